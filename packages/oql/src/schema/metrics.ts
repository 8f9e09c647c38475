import type { CatalogueMetric, MetricRollUps } from '../check/catalogue.ts';
import type { Context } from '../check/context.ts';
import { METRIC_KIND, TEMPORALITY } from '../check/enumeration.ts';
import { flagsOf } from '../check/histogram-value.ts';
import type { Classic, Histograms, Relation, Rows, SeriesTrait } from '../check/relation.ts';
import { assumed } from '../metrics/assumption.ts';
import { classicOf, mentionsBound } from '../metrics/classic.ts';
import type { KnownKinds, Plan, Scan, UnionColumn, Window } from '../plan/plan.ts';
import { STORED_TIME, scanColumn } from '../plan/plan.ts';
import { all, type ColumnId, column, NULL, type Sql, sql, text } from '../sql/sql.ts';
import { attributeValue } from './attributes.ts';
import { ABOUT, enumerated, optionalText, plain, RESOURCE, typedMap } from './fields.ts';
import { anySeries, isMatching, isNamed, type Names, SERIES_COLUMNS, seriesOf } from './metric-series.ts';
import { intrinsicsOf, type Read } from './rows.ts';

/** What each point has, and what it is in a table that has it not. */
const POINT_COLUMNS: Readonly<Record<string, Sql>> = {
  time: NULL,
  start_time: NULL,
  value: sql`CAST(NULL, 'Nullable(Float64)')`,
  integer: sql`toInt64(0)`,
  count: sql`CAST(NULL, 'Nullable(UInt64)')`,
  sum: sql`CAST(NULL, 'Nullable(Float64)')`,
  min: sql`CAST(NULL, 'Nullable(Float64)')`,
  max: sql`CAST(NULL, 'Nullable(Float64)')`,
  bounds: sql`CAST([], 'Array(Float64)')`,
  bucket_counts: sql`CAST([], 'Array(UInt64)')`,
  scale: sql`toInt8(0)`,
  zero_count: sql`toUInt64(0)`,
  zero_threshold: sql`0.`,
  positive_offset: sql`toInt32(0)`,
  positive_counts: sql`CAST([], 'Array(UInt64)')`,
  negative_offset: sql`toInt32(0)`,
  negative_counts: sql`CAST([], 'Array(UInt64)')`,
  quantiles: sql`CAST([], 'Array(Float64)')`,
  quantile_values: sql`CAST([], 'Array(Float64)')`,
};
const INTEGER = 'integer';
const MAY_BE_MISSING = new Set(['value', 'count']);
/** The mark that says that a series has ended; without it, such points are left out. */
const MARK = 'no_recorded_value';
const OF_POINTS = new Set(['time', 'start_time', 'value', INTEGER, MARK]);
const OF_HISTOGRAMS = new Set(Object.keys(POINT_COLUMNS).filter((name) => name !== 'value' && name !== INTEGER));

export const METRIC_FIELDS = {
  time: plain('time', 'timestamp', 'When it was measured.', 'order key'),
  start_time: {
    doc: 'When a sum or histogram started to count; null if the source did not send it.',
    value: (read: Read) => ({
      type: 'timestamp' as const,
      sql: sql`nullIf(${read('start_time')}, toDateTime64(0, 9, 'UTC'))`,
      nullable: true,
    }),
  },
  value: {
    ...plain('value', 'float', 'The value of a point of a gauge or sum; null for histograms.'),
    value: nullable('value', 'float'),
  },
  count: { doc: 'The number of observations of a histogram.', value: nullable('count', 'int') },
  sum: { doc: 'The sum of the observations of a histogram.', value: nullable('sum', 'float') },
  min: { doc: 'The smallest observation of a histogram, if sent.', value: nullable('min', 'float') },
  max: { doc: 'The largest observation of a histogram, if sent.', value: nullable('max', 'float') },
  kind: enumerated('kind', METRIC_KIND, 'gauge, sum, histogram, exponential_histogram or summary.'),
  temporality: enumerated('temporality', TEMPORALITY, 'Whether values are totals (cumulative) or differences (delta).'),
  monotonic: plain('monotonic', 'bool', 'Whether a sum only increases.'),
  unit: optionalText('unit', 'The unit of the values.'),
  description: optionalText('description', 'The description that the source sent.'),
  'service.name': plain('service', 'string', 'The service that sent it.'),
  environment: optionalText('environment', 'The environment that sent it.'),
  'metric.name': plain('metric', 'string', 'The name of the metric, useful if a query reads several metrics.'),
  ...ABOUT,
  series: {
    doc: 'The series of the point.',
    value: (read: Read) => ({ type: 'string' as const, sql: sql`toString(${read('series')})`, nullable: false }),
  },
  attributes: typedMap('attributes', 'attribute_types', 'All attributes of the series.'),
  resource: RESOURCE,
};

function nullable(name: string, type: 'float' | 'int') {
  return (read: Read) => ({ type, sql: read(name), nullable: true });
}

/** The points of a metric, or of all whose names match, whatever their kind, each with what its series is. */
export function metricRelation(
  of: { readonly metric: string } | { readonly pattern: string },
  window: Window,
  ctx: Context,
): Relation {
  const metric = 'metric' in of ? of.metric : '';
  const series = ctx.fresh();
  const known = ctx.types?.metrics?.filter(({ name }) => name === metric) ?? [];
  const tables = POINT_TABLES.filter(
    (table) => known.length === 0 || known.some(({ kind }) => tableOf(kind) === table),
  );
  const ofBuckets = classicOf(metric);
  const mayBeClassic = ofBuckets && (known.length === 0 || known.some(({ classic = true }) => classic));
  const isOfBounds = mentionsBound(ctx.following);
  const classic = mayBeClassic && !isOfBounds ? ofBuckets : undefined;
  const names: Names = 'pattern' in of ? of : classic ? [classic.buckets, classic.sum] : [metric];
  // Labels show whether there are classic histograms, and a pattern matches many metrics.
  const kinds = ctx.types?.checked && 'metric' in of && !ofBuckets ? kindsOf(known) : undefined;
  const points = pointsOf(names, tables, window, series, ctx, kinds);
  const about = seriesOf(names, window, ctx, kinds);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: points.plan,
    right: about.plan,
    on: [{ left: column(series), right: column(about.series) }],
  };
  const read: Read = (name) => {
    if (name === 'series') return column(series);
    return column(points.columns.get(name) ?? about.columns.get(name) ?? series);
  };
  const seen = [...known, ...(ctx.catalogue?.metrics ?? []).filter(({ name }) => name === metric)];
  const histograms = 'pattern' in of ? 'several' : histogramsIn(seen, classic);
  const rowsFrom = (from: Read): Rows => ({
    signal: 'metric',
    ...observing(withIntegers(intrinsicsOf(METRIC_FIELDS, from), from, ctx), from, histograms),
    defaults: ['time', 'value', 'service.name', 'attributes', 'resource'],
    subject: 'value',
    attribute: (scope, keys) => {
      const maps = {
        signal: { kind: 'text', map: from('attributes'), types: from('attribute_types') },
        resource: { kind: 'text', map: from('resource'), types: from('resource_types') },
        scope: { kind: 'text', map: from('scope_attributes'), types: from('scope_types') },
      } as const;
      return attributeValue(maps, scope, keys);
    },
  });
  // What only the other table may lack is of the same type where that one is not read.
  const readNullable: Read = (name) =>
    tables.length === 1 && MAY_BE_MISSING.has(name) ? sql`toNullable(${read(name)})` : read(name);
  const isOwn = sql`(${read('metric')} = ${text(metric)})`;
  const rows: Rows = {
    ...rowsFrom(readNullable),
    points: {
      series: column(series),
      read,
      histograms,
      ...(classic && { classic: { ...classic, isOwn } }),
      ...(mayBeClassic && isOfBounds && { bucketsOf: metric }),
      columns: Object.keys(POINT_COLUMNS),
      about: SERIES_COLUMNS,
      has: (table) => tables.includes(table),
      alone: (plan, table) => alone(plan, series, tables.indexOf(table)),
      lookup: (over) => seriesOf(names, over, ctx, kinds),
      anySeries: (trait, over) => (mayBe(known, trait) ? anySeries(names, trait, over, ctx) : undefined),
      alike: ctx.types?.alike === true,
      plain: known.length > 0 && known.every(isPlainHistogram),
      ...('metric' in of && !ofBuckets && { rollUps: rollUpsOf(metric, ctx) }),
      rowsFrom,
    },
  };
  const time = rows.intrinsic('time');
  // Sums of histograms are no points of the buckets' metric: only what gathers buckets reads them.
  const own: Plan = classic ? { op: 'filter', input: plan, predicate: isOwn } : plan;
  return { plan: own, columns: [], window, sorted: false, ...(time ? { time } : {}), rows };
}

function rollUpsOf(metric: string, { types }: Context): MetricRollUps {
  return types?.rollUps?.find((one) => one.metric === metric) ?? { metric, hours: [] };
}

/** The value of a point may have been sent as an integer that it rounds. */
function withIntegers(fields: ReturnType<typeof intrinsicsOf>, from: Read, { types }: Context): typeof fields {
  const intrinsic: typeof fields.intrinsic = (name) => {
    const value = fields.intrinsic(name);
    if (name !== 'value' || !value) return value;
    const isExpected = types?.integers;
    return {
      ...value,
      integer: isExpected === false ? 'none' : { sql: from(INTEGER), isExpected: isExpected === true },
    };
  };
  return { ...fields, intrinsic };
}

/** The value of a histogram's point is null; its sum and mean are those of what it has counted. */
function observing(fields: ReturnType<typeof intrinsicsOf>, from: Read, histograms: Histograms) {
  if (histograms === 'none') return fields;
  const intrinsic: typeof fields.intrinsic = (name) => {
    const value = fields.intrinsic(name);
    if (name !== 'value' || !value) return value;
    const observed = { sum: from('sum'), count: from('count') };
    const summary = { levels: from('quantiles'), values: from('quantile_values') };
    return { ...value, observed, summary, ...flagsOf(histograms) };
  };
  return { ...fields, intrinsic };
}

/** Whether a metric has histograms or summaries, by what its series have been seen to be. */
function histogramsIn(seen: readonly CatalogueMetric[], classic: Classic | undefined): Histograms {
  if (classic) return seen.some((one) => one.classic) ? 'some' : 'unknown';
  if (seen.length === 0) return 'unknown';
  if (seen.every(({ kind }) => kind === 'summary')) return 'summaries';
  return seen.some(({ kind }) => kind !== 'gauge' && kind !== 'sum') ? 'some' : 'none';
}

/** Points and histograms of one metric, side by side; a table without rows of it costs one look into its index. */
function pointsOf(
  metrics: Names,
  tables: readonly PointTable[],
  window: Window,
  series: ColumnId,
  ctx: Context,
  kinds: KnownKinds | undefined,
) {
  const columns = new Map<string, ColumnId>(
    [...Object.keys(POINT_COLUMNS), ...(readsMarks(ctx) ? [MARK] : [])].map((name) => [name, ctx.fresh()]),
  );
  const inputs = tables.map((table) =>
    scanOf(
      table,
      table === 'metric_points' || 'pattern' in metrics ? metrics : metrics.slice(0, 1),
      window,
      ctx,
      kinds,
    ),
  );
  const union: UnionColumn[] = [{ id: series, values: inputs.map(({ read }) => read('series')) }];
  for (const [name, id] of columns) {
    const values = inputs.map(({ read, has }) => (has.has(name) ? read(name) : (POINT_COLUMNS[name] ?? sql`false`)));
    union.push({ id, values });
  }
  const plan: Plan = { op: 'union', inputs: inputs.map((input) => input.plan), columns: union };
  return { plan, columns };
}

const POINT_TABLES = ['metric_points', 'metric_histograms'] as const;
export type PointTable = (typeof POINT_TABLES)[number];

function tableOf(kind: CatalogueMetric['kind']): PointTable {
  return kind === 'gauge' || kind === 'sum' ? 'metric_points' : 'metric_histograms';
}

/** Undefined where a temporality is not known. */
function kindsOf(known: readonly CatalogueMetric[]): KnownKinds | undefined {
  const kinds = known.flatMap(({ kind, temporality }) => (temporality ? [{ kind, temporality }] : []));
  return kinds.length > 0 && kinds.length === known.length ? kinds : undefined;
}

function isPlainHistogram({ kind, temporality }: CatalogueMetric): boolean {
  return kind === 'histogram' && temporality !== undefined && temporality !== 'delta';
}

/** Whether a series may be so, by what is known of all of them. */
function mayBe(known: readonly CatalogueMetric[], trait: SeriesTrait): boolean {
  return (
    known.length === 0 ||
    known.some(({ kind, temporality = trait }) => (trait === 'delta' ? temporality === 'delta' : kind === trait))
  );
}

/**
 * A plan over the points of one table alone, the `at`-th of those that are read, where each point goes through it by itself; undefined where it does not (the
 * first ten points are others in each table).
 */
function alone(plan: Plan, series: ColumnId, at: number): Plan | undefined {
  switch (plan.op) {
    case 'union': {
      const input = plan.inputs[at];
      if (!input || !plan.columns.some(({ id }) => id === series)) return undefined;
      return {
        op: 'extend',
        input,
        columns: plan.columns.map(({ id, values }) => ({ id, value: values[at] ?? NULL })),
      };
    }
    case 'filter': {
      const input = alone(plan.input, series, at);
      return input && { ...plan, input };
    }
    case 'join': {
      const left = plan.lookup && alone(plan.left, series, at);
      return left ? { ...plan, left } : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether the rows go to `latest`, which must see where a series ended. */
function readsMarks(ctx: Context): boolean {
  const next = ctx.following.find(({ kind }) => kind !== 'where' && kind !== 'offset');
  return next?.kind === 'trend' && next.fn === 'latest';
}

export interface MetricScan {
  readonly plan: Plan;
  readonly read: Read;
  readonly has: ReadonlySet<string>;
}

/** Which of several points of one series and moment counts: the first in this order. */
const WINNER: Readonly<Record<PointTable, readonly string[]>> = {
  metric_points: ['value', 'start_time'],
  metric_histograms: ['count', 'sum', 'start_time'],
};

/**
 * One table's points of a metric, without the marks that say that a series has ended. A point that was sent twice (a retry,
 * two Collectors) counts once; where its copies differ, the one with the largest value or count does. The tables are in
 * the order of series and time, so this is a merge and no sort.
 */
export function scanOf(
  table: PointTable,
  metrics: Names,
  window: Window,
  ctx: Context,
  kinds?: KnownKinds,
): MetricScan {
  const scan: Scan = { op: 'scan', table, window, columns: new Map(), ...(kinds && { kinds }) };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const isOwn =
    'pattern' in metrics ? isMatching(read('metric'), metrics.pattern, window, ctx) : isNamed(read('metric'), metrics);
  const conditions = [isOwn, ...(readsMarks(ctx) ? [] : [sql`NOT ${read('no_recorded_value')}`])];
  // The engine may check rows that other conditions exclude, so those of other metrics must not fail it.
  if (table === 'metric_points' && ctx.types?.integers === false)
    conditions.push(sql`NOT ${assumed(sql`(${read(INTEGER)} != 0 AND ${isOwn})`, 'integers')}`);
  const predicate = all(conditions);
  // In the columns of the order key: with an expression, the engine does not see that the rows are in order, and takes twice as long.
  const point = ['series', STORED_TIME, 'nanos'].map(read);
  // As the table is: by metric first, where there are several.
  const place = ['pattern' in metrics || metrics.length > 1 ? ['metric'] : [], 'series', STORED_TIME, 'nanos'].flat();
  const orders = [
    ...place.map((name) => ({ value: read(name), descending: false })),
    ...WINNER[table].map((name) => ({ value: read(name), descending: true })),
  ];
  const recorded: Plan = { op: 'filter', input: scan, predicate };
  return {
    plan: {
      op: 'distinct',
      input: { op: 'sort', input: recorded, orders },
      by: point,
      follows: [scanColumn(scan, 'time', ctx.fresh)],
    },
    read,
    has: table === 'metric_points' ? OF_POINTS : OF_HISTOGRAMS,
  };
}
