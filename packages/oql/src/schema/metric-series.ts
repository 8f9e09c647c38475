import type { Context } from '../check/context.ts';
import type { SeriesTrait } from '../check/relation.ts';
import { type Definition, type KnownKinds, type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, list, type Sql, sql, text } from '../sql/sql.ts';
import type { Read } from './rows.ts';

/** What a series is, the same for all its points. */
export const SERIES_COLUMNS = [
  ...[
    'metric',
    'project',
    'kind',
    'temporality',
    'monotonic',
    'unit',
    'description',
    'service',
    'scope_name',
    'environment',
    'resource',
    'attributes',
    'resource_types',
    'attribute_types',
    'scope_version',
    'scope_attributes',
    'scope_types',
    'resource_schema_url',
    'scope_schema_url',
    'resource_dropped_attributes_count',
    'scope_dropped_attributes_count',
  ],
] as const;

/** What decides a series: the same in all of its rows. */
const IDENTITY = [
  'metric',
  'project',
  'environment',
  'kind',
  'temporality',
  'service',
  'scope_name',
  'resource',
  'attributes',
];

/** Names of metrics, or what they match. */
export type Names = readonly string[] | { readonly pattern: string };

export function isNamed(metric: Sql, names: Names): Sql {
  if ('pattern' in names) return sql`match(${metric}, ${text(names.pattern)})`;
  const [only] = names;
  if (names.length === 1 && only !== undefined) return sql`(${metric} = ${text(only)})`;
  return sql`(${metric} IN (${list(names.map(text))}))`;
}

/** Names are looked for among the series, of which there are fewer than points, and points then found by their names. */
export function isMatching(metric: Sql, pattern: string, window: Window, ctx: Context): Sql {
  const scan: Scan = { op: 'scan', table: 'metric_series', window, columns: new Map() };
  const own = column(scanColumn(scan, 'metric', ctx.fresh));
  const name = ctx.fresh();
  const input: Plan = { op: 'filter', input: scan, predicate: isNamed(own, { pattern }) };
  const plan: Plan = { op: 'aggregate', input, keys: [{ id: name, value: own }], aggregates: [] };
  return sql`${metric} IN ${{ kind: 'query', plan, columns: [name] }}`;
}

/** What the series of a metric are: one row for each. */
export function seriesOf(metrics: Names, window: Window, ctx: Context, kinds?: KnownKinds) {
  const scan: Scan = { op: 'scan', table: 'metric_series', window, columns: new Map(), ...(kinds && { kinds }) };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const series = ctx.fresh();
  const columns = new Map<string, ColumnId>(SERIES_COLUMNS.map((name) => [name, ctx.fresh()]));
  const aggregates = [...columns].map(
    ([name, id]): Definition => ({
      id,
      // Rows of before have no types; those that have any have the same ones, since they decide the series.
      value: aggregate(name.endsWith('_types') ? 'max' : 'any', [read(name)]),
    }),
  );
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: scan, predicate: isNamed(read('metric'), metrics) },
    keys: [{ id: series, value: read('series') }],
    aggregates,
    alike: new Set(IDENTITY.flatMap((name) => columns.get(name) ?? [])),
  };
  return { plan, series, columns };
}

/**
 * Whether any series of a metric is so, as one value that is asked for before anything else: the engine leaves out what
 * a constant condition leaves no use for, and the columns that only that would read.
 */
export function anySeries(metrics: Names, trait: SeriesTrait, window: Window, ctx: Context): Sql {
  const scan: Scan = { op: 'scan', table: 'metric_series', window, columns: new Map() };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const found = ctx.fresh();
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: scan, predicate: isNamed(read('metric'), metrics) },
    keys: [],
    aggregates: [
      {
        id: found,
        value: aggregate('max', [sql`(${read(trait === 'delta' ? 'temporality' : 'kind')} = ${text(trait)})`]),
      },
    ],
  };
  return sql`ifNull(${{ kind: 'query', plan, columns: [found] }}, false)`;
}
