import {
  type DashboardModel,
  type DashboardPanel,
  type DashboardVariable,
  dashboardColumns,
  dashboardSchemaVersion,
} from '@fanion/contract';
import { type ClassicDashboard, classicOf, type Fields, fieldsOf, listOf, numberOf, textOf } from './classic-rules.ts';
import { type Box, withoutHoles } from './holes-rules.ts';
import { translatedLogs } from './logql-rules.ts';
import { keptTargets } from './targets-rules.ts';
import { oneLine } from './text-rules.ts';
import { variableOf } from './variables-rules.ts';

/** What became of one thing of the dashboard. */
export interface ImportLine {
  readonly what: 'panel' | 'variable' | 'dashboard';
  readonly name: string;
  readonly kept: boolean;
  readonly losses: readonly string[];
}

export interface Imported {
  readonly model: DashboardModel;
  readonly report: readonly ImportLine[];
}

const maxVariables = 50;
/** Of names and losses in the report, which repeat what the file says. */
const longestText = 500;

/**
 * Converts a dashboard of Grafana (classic, v1, v2), in steps, so that others can run between. Queries in PromQL stay as
 * they are written. Nothing is dropped silently: the report has a line for each panel and variable.
 * @param maxPanels how many panels a dashboard may have: more could not be saved
 * @returns what was imported, or why the JSON is no dashboard of Grafana
 */
export function* convertedGrafana(
  json: unknown,
  maxPanels: number,
): Generator<undefined, Imported | { readonly problem: string }, undefined> {
  const classic = classicOf(json);
  if ('problem' in classic) return classic;
  const report: ImportLine[] = [];
  const list = (what: ImportLine['what'], name: string, kept: boolean, losses: readonly string[]) =>
    report.push({ what, name: oneLine(name), kept, losses: losses.map((loss) => loss.slice(0, longestText)) });
  const variables: DashboardVariable[] = [];
  let variableCount = 0;
  for (const given of classic.variables) {
    variableCount += 1;
    if (variableCount <= maxVariables) {
      const { variable, losses } = variableOf(given);
      if (variable) variables.push(variable);
      list('variable', textOf(given.name), variable !== undefined, losses);
    }
    yield;
  }
  const names = new Set(variables.map(({ name }) => name));
  const panels: DashboardPanel[] = [];
  const holes: Box[] = [];
  const ids = new Set<string>();
  let panelCount = 0;
  for (const { fields, gridPos, problem } of classic.panels) {
    panelCount += 1;
    if (panelCount <= maxPanels) {
      const losses: string[] = problem === undefined ? [] : [problem];
      const content = problem === undefined ? contentOf(fields, names, losses) : undefined;
      const repeat = repeatOf(fields, names, losses);
      const box = gridPos ?? fieldsOf(fields.gridPos);
      if (content) {
        const id = freeId(fields.id, ids);
        ids.add(id);
        panels.push({ ...factsOf(fields, box, losses), ...content, ...repeat, id });
      } else if (numberOf(box.w) !== undefined && numberOf(box.h) !== undefined) holes.push(factsOf(fields, box, []));
      list('panel', textOf(fields.title) || textOf(fields.type), content !== undefined, losses);
    }
    yield;
  }
  const lost = lostOf(classic.links, { panels: panelCount, maxPanels, variables: variableCount });
  if (lost.length > 0) list('dashboard', classic.title, true, lost);
  return { model: modelOf(classic, [...withoutHoles(panels, holes)], variables), report };
}

function modelOf(
  { title, description, tags, links, time, refresh }: ClassicDashboard,
  panels: DashboardPanel[],
  variables: DashboardVariable[],
): DashboardModel {
  return {
    schema_version: dashboardSchemaVersion,
    name: oneLine(title) || 'Imported dashboard',
    description: description.slice(0, 10_000),
    tags: tags
      .map(oneLine)
      .filter((tag) => tag !== '')
      .slice(0, 20),
    panels,
    variables,
    links: keptLinks(links).slice(0, 20),
    time: {
      from: isTime(time.from) ? time.from : 'now-1h',
      to: isTime(time.to) ? time.to : 'now',
      refresh: /^[1-9]\d{0,3}[smh]$/.test(refresh) ? refresh : 'off',
      time_zone: 'browser',
    },
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && /^now(-\d{1,9}[smhdw])?$/.test(value);
const isLink = (url: string) => /^https?:\/\/[^\s<>"\\]*$/.test(url) && url.length <= 2_000;

function keptLinks(links: readonly Fields[]) {
  return links
    .map(({ title, url }) => ({ title: oneLine(textOf(title)) || 'Link', url: textOf(url) }))
    .filter(({ url }) => isLink(url));
}

function lostOf(
  links: readonly Fields[],
  { panels, maxPanels, variables }: Readonly<Record<'panels' | 'maxPanels' | 'variables', number>>,
): string[] {
  const lost = links.length - keptLinks(links).length;
  return [
    ...(lost > 0 ? [`${lost} links that lead to dashboards of Grafana`] : []),
    ...(panels > maxPanels ? [`${panels - maxPanels} panels beyond ${maxPanels}`] : []),
    ...(variables > maxVariables ? [`${variables - maxVariables} variables beyond ${maxVariables}`] : []),
  ];
}

function freeId(given: unknown, taken: ReadonlySet<string>): string {
  const wanted = `panel-${typeof given === 'number' && Number.isSafeInteger(given) && given >= 0 ? given : 1}`;
  if (!taken.has(wanted)) return wanted;
  for (let n = taken.size + 1; ; n++) if (!taken.has(`panel-${n}`)) return `panel-${n}`;
}

const units: Readonly<Record<string, string>> = {
  ...{ s: 's', ms: 'ms', µs: 'us', ns: 'ns', dtdurations: 's', bytes: 'By', decbytes: 'By' },
  ...{ percent: '%', percentunit: '1', Bps: 'By/s', binBps: 'By/s', reqps: '{request}/s', ops: '{operation}/s' },
};
const plainUnits = new Set(['', 'none', 'short', 'locale', 'string']);
const colours: Readonly<Record<string, 'ok' | 'warning' | 'error'>> = {
  green: 'ok',
  yellow: 'warning',
  orange: 'warning',
  red: 'error',
};

/** What every panel has, besides what it shows. */
function factsOf(panel: Fields, box: Fields, losses: string[]): Omit<DashboardPanel, 'id' | 'type'> {
  const whole = (value: unknown, least: number, most: number, otherwise: number) =>
    Math.min(most, Math.max(least, Math.round(numberOf(value) ?? otherwise)));
  const x = whole(box.x, 0, dashboardColumns - 1, 0);
  const { unit, decimals, min, max, thresholds } = fieldsOf(fieldsOf(panel.fieldConfig).defaults);
  const given = textOf(unit) || textOf(panel.format);
  const steps = listOf(fieldsOf(thresholds).steps).flatMap(({ value, color }) => {
    const at = numberOf(value);
    return at === undefined
      ? []
      : [
          {
            value: at,
            color: colours[textOf(color).replace(/^(dark|light|semi-dark|super-light)-/, '')] ?? ('neutral' as const),
          },
        ];
  });
  if (!plainUnits.has(given) && units[given] === undefined) losses.push(`the unit ${given} is shown as a plain number`);
  if (listOf(panel.transformations).length > 0) losses.push('its transformations');
  if (listOf(fieldsOf(panel.fieldConfig).overrides).length > 0) losses.push('settings of single series');
  const [least, most] = [numberOf(min), numberOf(max)];
  return {
    title: oneLine(textOf(panel.title)),
    description: textOf(panel.description).slice(0, 2_000),
    x,
    y: whole(box.y, 0, 10_000, 0),
    w: Math.min(whole(box.w, 1, dashboardColumns, 12), dashboardColumns - x),
    h: whole(box.h, 1, 100, 8),
    ...(units[given] !== undefined && { unit: units[given] }),
    ...(numberOf(decimals) !== undefined && { decimals: whole(decimals, 0, 10, 0) }),
    ...(least !== undefined && (most === undefined || least < most) && { min: least }),
    ...(most !== undefined && (least === undefined || least < most) && { max: most }),
    ...(steps.length > 0 && { thresholds: steps.slice(0, 10) }),
  };
}

/** The variable that a panel or row repeats by, and where the copies of a panel stand. */
function repeatOf(panel: Fields, variables: ReadonlySet<string>, losses: string[]): Pick<DashboardPanel, 'repeat'> {
  const variable = textOf(panel.repeat);
  if (variable === '') return {};
  if (!variables.has(variable)) {
    losses.push(`it is shown once: $${variable.slice(0, 64)} is no variable of the imported dashboard`);
    return {};
  }
  if (textOf(panel.type) === 'row') return { repeat: { variable } };
  const most = numberOf(panel.maxPerRow);
  const perLine =
    most !== undefined && Number.isInteger(most) && most >= 1 && most <= dashboardColumns ? most : undefined;
  return {
    repeat: {
      variable,
      ...(textOf(panel.repeatDirection) === 'v' && { direction: 'down' as const }),
      ...(perLine !== undefined && { max_per_line: perLine }),
    },
  };
}

const types: Readonly<Record<string, DashboardPanel['type']>> = {
  ...{
    timeseries: 'time_series',
    graph: 'time_series',
    stat: 'stat',
    singlestat: 'stat',
    gauge: 'gauge',
    bargauge: 'bar',
  },
  ...{ barchart: 'bar', table: 'table', 'table-old': 'table', heatmap: 'heat_map', logs: 'logs', text: 'text' },
  'state-timeline': 'time_series',
  'status-history': 'time_series',
  row: 'row',
};
/** Types of panels that only resemble what they become. */
const lookalikes: ReadonlySet<string> = new Set(['state-timeline', 'status-history']);

/** What a panel shows; undefined: it is lost, and the losses say why. */
function contentOf(
  panel: Fields,
  variables: ReadonlySet<string>,
  losses: string[],
): (Pick<DashboardPanel, 'type'> & Partial<DashboardPanel>) | undefined {
  const given = textOf(panel.type);
  const type = Object.hasOwn(types, given) ? types[given] : undefined;
  if (type === undefined) {
    losses.push(`there is no panel of the type ${given || 'that it has'}`);
    return undefined;
  }
  if (type === 'row') return { type, collapsed: panel.collapsed === true };
  if (type === 'text') {
    const options = fieldsOf(panel.options);
    if ((textOf(options.mode) || textOf(panel.mode)) === 'html') losses.push('HTML is shown as text');
    return { type, text: (textOf(options.content) || textOf(panel.content)).slice(0, 65_536) };
  }
  const targets = listOf(panel.targets).filter(({ hide }) => hide !== true);
  const [first] = targets;
  if (first === undefined) {
    losses.push('it has no query');
    return undefined;
  }
  const kept =
    type === 'logs' ? keptLogs(panel, targets, variables, losses) : keptTargets(panel, targets, variables, losses);
  if ('lost' in kept) {
    losses.push(kept.lost);
    return undefined;
  }
  if (lookalikes.has(given)) losses.push('states are shown as lines');
  if (textOf(first.format) === 'heatmap') losses.push('each bucket counts all values up to its bound');
  const stacking = textOf(fieldsOf(fieldsOf(fieldsOf(fieldsOf(panel.fieldConfig).defaults).custom).stacking).mode);
  return {
    type,
    ...kept,
    ...((panel.stack === true || (stacking !== '' && stacking !== 'none')) && { stacked: true }),
  };
}

/** The query of log lines in OQL; `lost`: why the panel is lost. */
function keptLogs(
  panel: Fields,
  targets: readonly Fields[],
  variables: ReadonlySet<string>,
  losses: string[],
): Pick<DashboardPanel, 'query'> | { readonly lost: string } {
  const [target = {}, ...others] = targets;
  const source = textOf(fieldsOf(target.datasource).type) || textOf(fieldsOf(panel.datasource).type);
  const expression = textOf(target.expr);
  if ((source !== '' && source !== 'loki') || expression === '')
    return { lost: `queries of ${source || 'this data source'} are not translated` };
  const translated = translatedLogs(expression, { variables, maxLines: numberOf(target.maxLines) });
  if ('problem' in translated) return { lost: `its LogQL has no equal: ${translated.problem}` };
  losses.push(...new Set(translated.losses));
  if (others.length > 0) losses.push(`${others.length} of its ${targets.length} queries: a panel of logs has one`);
  return { query: translated.query };
}
