/**
 * A dashboard in the form that Grafana has had for long, as far as the import reads it. Anything may be missing or wrong.
 * Panels and variables are read while they are iterated, once: a file may have very many.
 */
export interface ClassicDashboard {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly panels: Iterable<ClassicPanel>;
  readonly variables: Iterable<Fields>;
  readonly links: readonly Fields[];
  readonly time: Fields;
  readonly refresh: string;
  readonly timeZone: string;
}

export interface ClassicPanel {
  readonly fields: Fields;
  /** Where it stands, if the panel itself does not say so. */
  readonly gridPos?: Fields;
  /** Why the panel is lost, if the file is the reason. */
  readonly problem?: string;
}

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
/** Lists within a panel or link are read only this far. */
const longestList = 1_000;
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.slice(0, longestList).filter(isFields) : [];

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

function* eachOf(value: unknown): Generator<Fields> {
  if (Array.isArray(value)) for (const one of value) if (isFields(one)) yield one;
}

/** Rows and panels that are nested deeper than any page shows them. */
const maxDepth = 5;

/** Brings a dashboard of any version to the classic form; or says why it is not one of Grafana's. */
export function classicOf(json: unknown): ClassicDashboard | { readonly problem: string } {
  const given = fieldsOf(json);
  // As the API of Grafana returns it, and as a Kubernetes resource (v1, v2).
  const outer = 'dashboard' in given ? fieldsOf(given.dashboard) : given;
  const spec = 'spec' in outer ? fieldsOf(outer.spec) : outer;
  if ('elements' in spec) return ofElements(spec);
  if (!Array.isArray(spec.panels) && !Array.isArray(spec.rows))
    return { problem: 'it has neither panels, rows nor elements: export it in Grafana with “Export as JSON”' };
  return {
    ...factsOf(spec),
    panels: Array.isArray(spec.panels) ? ungrouped(spec.panels) : ofRows(spec.rows),
    variables: eachOf(fieldsOf(spec.templating).list),
    time: fieldsOf(spec.time),
    refresh: textOf(spec.refresh),
    timeZone: textOf(spec.timezone),
  };
}

function factsOf(spec: Fields): Pick<ClassicDashboard, 'title' | 'description' | 'tags' | 'links'> {
  return {
    title: textOf(spec.title),
    description: textOf(spec.description),
    tags: Array.isArray(spec.tags) ? spec.tags.slice(0, longestList).map(textOf) : [],
    links: listOf(spec.links),
  };
}

/**
 * A collapsed row holds its panels, which stand as if it were open and alone: what is below it moves down by their height, so that they
 * stay below their row. Copies that Grafana made of a panel are made again from the panel.
 */
function* ungrouped(panels: unknown): Generator<ClassicPanel> {
  let down = 0;
  for (const fields of eachOf(panels)) {
    if (isCopy(fields)) continue;
    const box = moved(fields.gridPos, down);
    yield { fields, gridPos: box };
    const top = (numberOf(box.y) ?? 0) + (numberOf(box.h) ?? 1);
    let first: number | undefined;
    let bottom = top;
    for (const inside of insideOf(fields, 1)) {
      const y = numberOf(fieldsOf(inside.gridPos).y) ?? 0;
      first ??= y;
      const below = moved(inside.gridPos, top - first);
      yield { fields: inside, gridPos: below };
      bottom = Math.max(bottom, (numberOf(below.y) ?? 0) + (numberOf(below.h) ?? 1));
    }
    down += bottom - top;
  }
}

function* insideOf(fields: Fields, depth: number): Generator<Fields> {
  if (depth > maxDepth) return;
  for (const inside of eachOf(fields.panels)) {
    if (isCopy(inside)) continue;
    yield inside;
    yield* insideOf(inside, depth + 1);
  }
}

function isCopy({ repeatPanelId, repeatedByRow }: Fields): boolean {
  return numberOf(repeatPanelId) !== undefined || repeatedByRow === true;
}

function moved(box: unknown, down: number): Fields {
  const fields = fieldsOf(box);
  const y = numberOf(fields.y);
  return y === undefined ? fields : { ...fields, y: y + down };
}

/** Before version 16 of its schema, a dashboard had rows whose panels have a width (`span`, of 12) and a height in pixels. */
function* ofRows(rows: unknown): Generator<ClassicPanel> {
  let y = 0;
  for (const row of eachOf(rows)) {
    const { title } = row;
    const gridPos = { x: 0, y, w: 24, h: 1 };
    const facts = { title, collapsed: row.collapse === true, repeat: row.repeat };
    if (textOf(title) !== '' || textOf(row.repeat) !== '') yield { fields: { type: 'row', ...facts, gridPos } };
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of eachOf(row.panels)) {
      const w = Math.min(24, Math.max(1, Math.round(2 * (numberOf(panel.span) ?? 12))));
      const h = Math.max(3, Math.round((Number.parseInt(String(panel.height ?? row.height ?? 250), 10) || 250) / 38));
      if (x + w > 24) {
        x = 0;
        y += height;
        height = 0;
      }
      yield { fields: panel, gridPos: { x, y, w, h } };
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
}

/** Version 2: panels are elements by name, and a layout says where each stands. */
function ofElements(spec: Fields): ClassicDashboard {
  const time = fieldsOf(spec.timeSettings);
  return {
    ...factsOf(spec),
    panels: laidOut(fieldsOf(spec.elements), fieldsOf(spec.layout), { bottom: 0, placed: new Set() }, 0),
    variables: variablesOf(spec.variables),
    time: { from: time.from, to: time.to },
    refresh: textOf(time.autoRefresh),
    timeZone: textOf(time.timezone),
  };
}

function* variablesOf(variables: unknown): Generator<Fields> {
  for (const { kind, spec } of eachOf(variables)) {
    const type = textOf(kind)
      .replace(/Variable$/, '')
      .toLowerCase();
    const { name, label, query, definition, regex, current, multi, includeAll, hide } = fieldsOf(spec);
    yield { type, name, label, query, definition, regex, current, multi, includeAll, hide };
  }
}

/** What of a layout was read. */
interface Placed {
  bottom: number;
  readonly placed: Set<string>;
}

function* laidOut(elements: Fields, layout: Fields, state: Placed, depth: number): Generator<ClassicPanel> {
  if (depth > maxDepth) return;
  const { kind } = layout;
  const of = fieldsOf(layout.spec);
  const top = state.bottom;
  let at = 0;
  for (const { spec } of kind === 'GridLayout' || kind === 'AutoGridLayout' ? eachOf(of.items) : []) {
    const { element, x, y, width, height, repeat } = fieldsOf(spec);
    const gridPos =
      kind === 'GridLayout'
        ? { x: numberOf(x) ?? 0, y: top + (numberOf(y) ?? 0), w: numberOf(width) ?? 12, h: numberOf(height) ?? 8 }
        : { x: (at % 3) * 8, y: top + Math.floor(at / 3) * 8, w: 8, h: 8 };
    const name = textOf(fieldsOf(element).name);
    state.bottom = Math.max(state.bottom, gridPos.y + gridPos.h);
    at += 1;
    // A small layout could otherwise make a large dashboard of one element.
    if (state.placed.has(name)) yield { fields: { title: name }, problem: 'its element is shown more than once' };
    else yield { fields: { ...panelOfElement(fieldsOf(elements[name])), ...repeatOf(repeat) }, gridPos };
    // Panels after these are not imported.
    if (state.placed.size < longestList) state.placed.add(name);
  }
  for (const groups of [of.rows, of.tabs])
    for (const { spec } of eachOf(groups)) {
      const { title, collapse, repeat, layout: inner } = fieldsOf(spec);
      const gridPos = { x: 0, y: state.bottom, w: 24, h: 1 };
      yield { fields: { type: 'row', title, collapsed: collapse === true, ...repeatOf(repeat), gridPos } };
      state.bottom += 1;
      yield* laidOut(elements, fieldsOf(inner), state, depth + 1);
    }
}

/** The variable of a repetition of version 2, as the classic form has it. */
function repeatOf(given: unknown): Fields {
  const { mode, value, direction, maxPerRow } = fieldsOf(given);
  return mode === 'variable' ? { repeat: value, repeatDirection: direction, maxPerRow } : {};
}

function panelOfElement({ spec }: Fields): Fields {
  const { title, description, data, vizConfig } = fieldsOf(spec);
  const viz = fieldsOf(vizConfig);
  const of = fieldsOf(viz.spec);
  const targets = listOf(fieldsOf(fieldsOf(data).spec).queries).map(({ spec }) => {
    const { query, hidden, refId } = fieldsOf(spec);
    const { kind, group, spec: inner } = fieldsOf(query);
    const type = textOf(group) || textOf(kind);
    const { expr, legendFormat, format, maxLines } = fieldsOf(inner);
    const asked = { expr, legendFormat, format, maxLines, hide: hidden, refId };
    return { ...asked, ...(type !== '' && { datasource: { type } }) };
  });
  const type = textOf(viz.group) || textOf(viz.kind);
  return { title, description, type, targets, options: of.options, fieldConfig: of.fieldConfig };
}
