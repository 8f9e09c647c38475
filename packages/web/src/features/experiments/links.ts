import { quote, type Result } from '../../telemetry/oql.ts';
import type { Metric } from '../judging/queries.ts';
import type { Experiment } from './queries.ts';

const MOST_ROWS = 200;

type Of = Pick<Experiment, 'flag' | 'control'>;

/** The evaluations of units that got a variant in the split of an experiment, with the traces in which they got it. */
export function exposedTraces({ flag }: Of, variant: string): string {
  return `flags ${quote(flag)} | where tracked and variant == ${quote(variant)} and trace_id != null | sort -time | limit ${MOST_ROWS} | fields time, unit, span.name, span.duration, span.status, trace_id`;
}

/** The rows of a metric that belong to units of a variant, newest first, each with its trace. */
export function metricRows({ flag }: Of, variant: string, metric: Pick<Metric, 'source' | 'unit' | 'value'>): string {
  const { source, unit, value } = metric;
  const byTrace = unit === 'trace_id';
  // A unit evaluates a flag many times, and each of its rows is shown once: those after its first exposure.
  const exposed = `flags ${quote(flag)} | where tracked and variant == ${quote(variant)}`;
  const joined = byTrace
    ? `join (${exposed} | stats unit=max(unit) by trace_id) on trace_id as f`
    : `extend unit = ${unit} | join (${exposed} | stats seen=min(time) by unit) on unit as f | where time >= f.seen`;
  const measured = value === null ? '' : ` | extend value = (${value})`;
  const columns = ['time', byTrace ? 'f.unit' : 'unit', ...(value === null ? [] : ['value']), 'trace_id'];
  return `${source} | ${joined}${measured} | sort -time | limit ${MOST_ROWS} | fields ${columns.join(', ')}`;
}

/** Which attributes of requests differ between a variant and the control. */
export function armContrast({ flag, control }: Of, variant: string): string {
  return `spans | where kind == server or kind == consumer or root | join flags ${quote(flag)} on trace_id as f | where f.tracked and f.variant in (${quote(control)}, ${quote(variant)}) | contrast (f.variant == ${quote(variant)}) top 20`;
}

/** The answer of {@link armContrast}: shares of the requests with the variant and with the control. */
export function contrastRows({ columns, rows }: Pick<Result, 'columns' | 'rows'>) {
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  const [field, value, selected, rest] = ['field', 'value', 'selected_share', 'rest_share'].map(at);
  const all = rows.map((row) => ({
    field: String(row[field ?? -1] ?? ''),
    value: String(row[value ?? -1] ?? ''),
    selected: Number(row[selected ?? -1] ?? 0),
    rest: Number(row[rest ?? -1] ?? 0),
  }));
  // Below a tenth of a point the table would show the same number twice.
  return all.filter(({ selected, rest }) => Math.abs(selected - rest) >= 0.001);
}

/** The time of an experiment, for the pages of telemetry. */
export function windowOf({ started_at, stopped_at }: Pick<Experiment, 'started_at' | 'stopped_at'>) {
  return { ...(started_at !== null && { from: started_at }), to: stopped_at ?? 'now' };
}
