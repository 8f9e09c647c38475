/** A dashboard in the form that Grafana has had for long, as far as the import reads it. Anything may be missing or wrong. */
export interface ClassicDashboard {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly panels: readonly Fields[];
  readonly variables: readonly Fields[];
  readonly links: readonly Fields[];
  readonly time: Fields;
  readonly refresh: string;
  readonly timeZone: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf).filter((one) => Object.keys(one).length > 0) : [];
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Rows and panels that are nested deeper than any page shows them. */
const maxDepth = 5;

/** Brings a dashboard of any version to the classic form; or says why it is not one of Grafana's. */
export function classicOf(json: unknown): ClassicDashboard | { readonly problem: string } {
  const given = fieldsOf(json);
  // As the API of Grafana returns it, and as a Kubernetes resource (v1, v2).
  const outer = 'dashboard' in given ? fieldsOf(given.dashboard) : given;
  const spec = 'spec' in outer ? fieldsOf(outer.spec) : outer;
  if ('elements' in spec) return ofElements(spec);
  if (!('panels' in spec) && !('rows' in spec))
    return { problem: 'it has neither panels, rows nor elements: export it in Grafana with “Export as JSON”' };
  return {
    title: textOf(spec.title),
    description: textOf(spec.description),
    tags: Array.isArray(spec.tags) ? spec.tags.map(textOf) : [],
    panels: 'rows' in spec && !('panels' in spec) ? ofRows(listOf(spec.rows)) : ungrouped(listOf(spec.panels), 0),
    variables: listOf(fieldsOf(spec.templating).list),
    links: listOf(spec.links),
    time: fieldsOf(spec.time),
    refresh: textOf(spec.refresh),
    timeZone: textOf(spec.timezone),
  };
}

/** A collapsed row holds its panels. */
function ungrouped(panels: readonly Fields[], depth: number): Fields[] {
  if (depth > maxDepth) return [];
  return panels.flatMap((panel) => [panel, ...ungrouped(listOf(panel.panels), depth + 1)]);
}

/** Before version 16 of its schema, a dashboard had rows whose panels have a width (`span`, of 12) and a height in pixels. */
function ofRows(rows: readonly Fields[]): Fields[] {
  let y = 0;
  return rows.flatMap((row) => {
    const header: Fields = {
      type: 'row',
      title: row.title,
      collapsed: row.collapse === true,
      gridPos: { x: 0, y, w: 24, h: 1 },
    };
    y += 1;
    let x = 0;
    let height = 0;
    const panels = listOf(row.panels).map((panel): Fields => {
      const w = Math.min(24, Math.max(1, Math.round(2 * (numberOf(panel.span) ?? 12))));
      const h = Math.max(3, Math.round((Number.parseInt(String(panel.height ?? row.height ?? 250), 10) || 250) / 38));
      if (x + w > 24) {
        x = 0;
        y += height;
        height = 0;
      }
      const placed = { ...panel, gridPos: { x, y, w, h } };
      x += w;
      height = Math.max(height, h);
      return placed;
    });
    y += height;
    return [...(textOf(row.title) === '' ? [] : [header]), ...panels];
  });
}

/** Version 2: panels are elements by name, and a layout says where each stands. */
function ofElements(spec: Fields): ClassicDashboard {
  const elements = fieldsOf(spec.elements);
  const time = fieldsOf(spec.timeSettings);
  const panels: Fields[] = [];
  let bottom = 0;
  const place = (name: string, gridPos: { x: number; y: number; w: number; h: number }) => {
    panels.push({ ...panelOfElement(fieldsOf(elements[name])), gridPos });
    bottom = Math.max(bottom, gridPos.y + gridPos.h);
  };
  const laidOut = (layout: Fields, depth: number): void => {
    if (depth > maxDepth) return;
    const { kind } = layout;
    const of = fieldsOf(layout.spec);
    const top = bottom;
    if (kind === 'GridLayout')
      for (const { spec } of listOf(of.items)) {
        const { element, x, y, width, height } = fieldsOf(spec);
        const box = {
          x: numberOf(x) ?? 0,
          y: top + (numberOf(y) ?? 0),
          w: numberOf(width) ?? 12,
          h: numberOf(height) ?? 8,
        };
        place(textOf(fieldsOf(element).name), box);
      }
    if (kind === 'AutoGridLayout')
      listOf(of.items).forEach(({ spec }, at) => {
        place(textOf(fieldsOf(fieldsOf(spec).element).name), {
          x: (at % 3) * 8,
          y: top + Math.floor(at / 3) * 8,
          w: 8,
          h: 8,
        });
      });
    for (const { spec: group } of [...listOf(of.rows), ...listOf(of.tabs)]) {
      const { title, collapse, layout: inner } = fieldsOf(group);
      panels.push({ type: 'row', title, collapsed: collapse === true, gridPos: { x: 0, y: bottom, w: 24, h: 1 } });
      bottom += 1;
      laidOut(fieldsOf(inner), depth + 1);
    }
  };
  laidOut(fieldsOf(spec.layout), 0);
  return {
    title: textOf(spec.title),
    description: textOf(spec.description),
    tags: Array.isArray(spec.tags) ? spec.tags.map(textOf) : [],
    panels,
    variables: listOf(spec.variables).map(({ kind, spec }) => ({
      ...fieldsOf(spec),
      type: textOf(kind)
        .replace(/Variable$/, '')
        .toLowerCase(),
    })),
    links: listOf(spec.links),
    time: { from: time.from, to: time.to },
    refresh: textOf(time.autoRefresh),
    timeZone: textOf(time.timezone),
  };
}

function panelOfElement({ spec }: Fields): Fields {
  const { title, description, data, vizConfig } = fieldsOf(spec);
  const viz = fieldsOf(vizConfig);
  const of = fieldsOf(viz.spec);
  const targets = listOf(fieldsOf(fieldsOf(data).spec).queries).map(({ spec }) => {
    const { query, hidden, refId } = fieldsOf(spec);
    const { kind, group, spec: inner } = fieldsOf(query);
    const type = textOf(group) || textOf(kind);
    return { ...fieldsOf(inner), hide: hidden, refId, ...(type !== '' && { datasource: { type } }) };
  });
  const type = textOf(viz.group) || textOf(viz.kind);
  return { title, description, type, targets, options: of.options, fieldConfig: of.fieldConfig };
}
