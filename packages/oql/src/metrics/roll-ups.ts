import type { Context, RollUpWidth } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import { type Definition, type Plan, type Scan, STORED_TIME, type UnionColumn, type Window } from '../plan/plan.ts';
import { rewrite, scansOf } from '../rules/columns.ts';
import { aggregate, all, call, column, integer, list, moment, type Sql, some, sql } from '../sql/sql.ts';
import type { Anchored } from './anchored.ts';
import type { BucketsOf } from './buckets.ts';
import { withCopies } from './runs.ts';

const SECOND_NS = 1_000_000_000n;
/** Shorter windows read points: that is cheap, and one statement less. */
const SHORTEST_NS = 6n * 3600n * SECOND_NS;
/** Hours with late points divide what is read from roll-ups. Of more parts, the longest are used. */
const MOST_PARTS = 16;

/** What can be read from roll-ups, and from which. */
export interface RolledParts {
  readonly width: RollUpWidth;
  /** Half-open, ascending and apart; each consists of whole slots. */
  readonly parts: readonly Window[];
}

/**
 * Which parts of a range can be read from roll-ups; undefined if none can. Each bucket has to consist of whole slots. Remembers in the
 * context that roll-ups could be used, also if it is not known that there are any. Beside many points they cost more than they save, so they have
 * to cover three quarters.
 */
export function rolledPartsOf(
  points: MetricPoints,
  input: Plan,
  { window, fromNs }: Pick<Anchored, 'window' | 'fromNs'>,
  buckets: BucketsOf,
  ctx: Context,
): RolledParts | undefined {
  const { rollUps } = points;
  const width = widthFor(buckets);
  if (!rollUps || width === undefined || window.toNs - fromNs <= SHORTEST_NS) return undefined;
  const scans = scansOf(input).filter(({ table }) => table === 'metric_points');
  // Rows that were moved in time, and conditions on single points, need the points.
  if (scans.length !== 1 || scans.some(({ shiftNs }) => shiftNs) || !withCopies(points, input)) return undefined;
  const widthNs = BigInt(width) * SECOND_NS;
  const [first, end] = [ceiled(fromNs, widthNs), window.toNs - (window.toNs % widthNs)];
  const hour = 3600n * SECOND_NS;
  // A slot must not contain the beginning of a lookback.
  const cutNs = buckets.kind === 'many' ? (buckets.cutNs ?? first) : first;
  const parts = rollUps.hours
    .map(([from, to]) => ({ fromNs: most(BigInt(from) * hour, first), toNs: least(BigInt(to) * hour, end) }))
    .flatMap(({ fromNs, toNs }) => [
      { fromNs, toNs: least(toNs, cutNs - (cutNs % widthNs)) },
      { fromNs: most(fromNs, ceiled(cutNs, widthNs)), toNs },
    ])
    .filter(({ fromNs, toNs }) => fromNs < toNs);
  const longest = [...parts].sort((a, b) => Number(b.toNs - b.fromNs - (a.toNs - a.fromNs))).slice(0, MOST_PARTS);
  const read = parts.filter((part) => longest.includes(part));
  const coveredNs = read.reduce((sum, part) => sum + part.toNs - part.fromNs, 0n);
  const isWorthIt = coveredNs * 4n >= (window.toNs - fromNs) * 3n;
  ctx.rollUps.push({ metric: rollUps.metric, width, read: isWorthIt ? read : [] });
  return isWorthIt ? { width, parts: read } : undefined;
}

function widthFor(buckets: BucketsOf): RollUpWidth | undefined {
  if (buckets.kind === 'whole') return 3600;
  const cellNs = buckets.kind === 'one' ? buckets.stepNs : buckets.kind === 'many' ? buckets.cellNs : 1n;
  return ([3600, 300] as const).find((width) => cellNs % (BigInt(width) * SECOND_NS) === 0n);
}

/**
 * Elements of a series in the order of time, as arrays of equal length: a point outside the parts, or a slot with points inside of
 * them. A point is a slot that contains nothing else.
 */
export interface RolledRuns {
  readonly plan: Plan;
  readonly series: Sql;
  /** Of the point, or when the slot begins; nanoseconds since the epoch. */
  readonly times: Sql;
  /** Of the first and of the last point of each. */
  readonly firsts: { readonly values: Sql; readonly starts: Sql };
  readonly lasts: { readonly values: Sql; readonly starts: Sql };
  /** The growth from the first point of each to its last. */
  readonly grown: Sql;
  readonly sums: Sql;
}

/** Gathers the points outside of the parts and the slots inside of them, each in the order of its table, and joins their arrays. */
export function rolledRunsOf(
  points: MetricPoints,
  input: Plan,
  { width, parts }: RolledParts,
  growth: 'increase' | 'difference',
  ctx: Context,
): RolledRuns {
  const ordered = withCopies(points, input) ?? input;
  const names = ['last_value', 'last_start_time', growth, 'sum', 'version'] as const;
  const own = new Map(names.map((name) => [name, ctx.fresh()]));
  const slot = (name: (typeof names)[number]) => column(own.get(name) ?? ctx.fresh());
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(${time})`;
  const [time, value, start] = [points.read('time'), points.read('value'), nanoseconds(points.read('start_time'))];
  const gathered = (from: Plan, values: readonly Sql[]) => {
    const [series, piece] = [ctx.fresh(), ctx.fresh()];
    const aggregates = values.map((of): Definition => ({ id: ctx.fresh(), value: aggregate('groupArray', [of]) }));
    const keys = [
      { id: series, value: points.series },
      { id: piece, value: sql`(${sumOf(parts.map((part) => sql`(${time} >= ${moment(part.fromNs)})`))})` },
    ];
    const plan: Plan = { op: 'aggregate', input: from, keys, aggregates, inOrder: true };
    return { plan, series: column(series), piece: column(piece), arrays: aggregates.map(({ id }) => column(id)) };
  };
  const replaced = (by: (scan: Scan) => Plan) =>
    rewrite(ordered, (node) => (node.op === 'scan' && node.table === 'metric_points' ? by(node) : node));
  const ofPoints = gathered(
    replaced((scan) => outside(scan, parts)),
    [nanoseconds(time), value, start],
  );
  const ofSlots = gathered(
    replaced((scan) => slotsOf(scan, own, { width, parts }, ctx)),
    [
      nanoseconds(time),
      value,
      start,
      slot('last_value'),
      nanoseconds(slot('last_start_time')),
      slot(growth),
      slot('sum'),
      slot('version'),
    ],
  );
  const [times = value, values = value, starts = value] = ofPoints.arrays;
  const nothing = sql`arrayMap(v -> 0., ${values})`;
  const asSlots = [times, values, starts, values, starts, nothing, values, sql`arrayMap(v -> toUInt64(0), ${values})`];
  return inOneOrder(ofPoints, ofSlots, asSlots, ctx);
}

interface Gathered {
  readonly plan: Plan;
  readonly series: Sql;
  readonly piece: Sql;
  readonly arrays: readonly Sql[];
}

/** A part comes after the points before it, and before those after it. */
function inOneOrder(ofPoints: Gathered, ofSlots: Gathered, asSlots: readonly Sql[], ctx: Context): RolledRuns {
  const [series, piece] = [ctx.fresh(), ctx.fresh()];
  const arrays = asSlots.map((of, i): UnionColumn => ({ id: ctx.fresh(), values: [of, ofSlots.arrays[i] ?? of] }));
  const both: Plan = {
    op: 'union',
    inputs: [ofPoints.plan, ofSlots.plan],
    columns: [
      { id: series, values: [ofPoints.series, ofSlots.series] },
      { id: piece, values: [sql`(${ofPoints.piece} * 2 + 1)`, sql`(${ofSlots.piece} * 2)`] },
      ...arrays,
    ],
  };
  const [joined, pieces] = [ctx.fresh(), ctx.fresh()];
  const apart = (of: Plan, columns: readonly Definition[]): Plan => ({ op: 'extend', input: of, columns, apart: true });
  const bySeries: Plan = {
    op: 'aggregate',
    input: both,
    keys: [{ id: joined, value: column(series) }],
    aggregates: [
      {
        id: pieces,
        value: aggregate('groupArray', [call('tuple', [column(piece), ...arrays.map(({ id }) => column(id))])]),
      },
    ],
  };
  const sorted = ctx.fresh();
  const whole = arrays.map(
    (_, i): Definition => ({
      id: ctx.fresh(),
      value: sql`arrayFlatten(arrayMap(p -> tupleElement(p, ${i + 2}), ${column(sorted)}))`,
    }),
  );
  const flat = apart(
    apart(bySeries, [{ id: sorted, value: sql`arraySort(p -> tupleElement(p, 1), ${column(pieces)})` }]),
    whole,
  );
  return mended(
    flat,
    column(joined),
    whole.map(({ id }) => column(id)),
    ctx,
  );
}

/**
 * One element for each time. A slot that was made again has a higher version; of points that were sent twice, the one with the largest
 * value and then the latest start counts, as everywhere else.
 */
function mended(plan: Plan, series: Sql, arrays: readonly Sql[], ctx: Context): RolledRuns {
  const [times = series] = arrays;
  const versions = arrays.at(-1) ?? series;
  const [isMixed, best] = [ctx.fresh(), ctx.fresh()];
  // By time, then by version; the others follow in their order.
  const compared = [times, versions, ...arrays.slice(1, -1)];
  const checked: Plan = {
    op: 'extend',
    input: plan,
    columns: [
      { id: isMixed, value: sql`(arrayMin(arrayPopFront(arrayDifference(${times}))) <= 0)` },
      {
        id: best,
        value: sql`if(${column(isMixed)}, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(${list(compared)})))), [])`,
      },
    ],
    apart: true,
  };
  const columns = [times, ...arrays.slice(1, -1)].map(
    (of, i): Definition => ({
      id: ctx.fresh(),
      value: sql`if(${column(isMixed)}, tupleElement(${column(best)}, ${i === 0 ? 1 : i + 2}), ${of})`,
    }),
  );
  const [
    time = series,
    value = series,
    start = series,
    lastValue = series,
    lastStart = series,
    grown = series,
    sum = series,
  ] = columns.map(({ id }) => column(id));
  return {
    plan: { op: 'extend', input: checked, columns, apart: true },
    series,
    times: time,
    firsts: { values: value, starts: start },
    lasts: { values: lastValue, starts: lastStart },
    grown,
    sums: sum,
  };
}

function outside(scan: Scan, parts: readonly Window[]): Plan {
  const time = timeOf(scan);
  const predicate = all(parts.map((part) => sql`(NOT ${within(time, part)})`));
  return { op: 'filter', input: scan, predicate };
}

/** The same rows of roll-ups instead of points: the same columns, for the slot's first point, and others. */
function slotsOf(scan: Scan, own: ReadonlyMap<string, number>, { width, parts }: RolledParts, ctx: Context): Plan {
  const mark = scan.columns.get('no_recorded_value');
  const ofWidth = ctx.fresh();
  const columns = new Map([...scan.columns, ...own, ['width', ofWidth]]);
  columns.delete('no_recorded_value');
  const window = { fromNs: parts[0]?.fromNs ?? 0n, toNs: parts.at(-1)?.toNs ?? 0n };
  const isIn = parts.length > 1 ? [some(parts.map((part) => within(timeOf(scan), part)))] : [];
  const slots: Plan = {
    op: 'filter',
    input: { op: 'scan', table: 'metric_rollups', window, columns },
    predicate: all([sql`(${column(ofWidth)} = ${integer(BigInt(width))})`, ...isIn]),
  };
  // Marks are no points, so no slot is made of them.
  return mark === undefined ? slots : { op: 'extend', input: slots, columns: [{ id: mark, value: sql`false` }] };
}

function timeOf({ columns }: Scan): Sql {
  // A condition on what is stored lets the engine skip whole parts. The windows consist of whole seconds.
  const id = columns.get(STORED_TIME);
  if (id === undefined) throw new Error('points are read without their times');
  return column(id);
}

function within(time: Sql, { fromNs, toNs }: Window): Sql {
  return sql`(${time} >= ${moment(fromNs)} AND ${time} < ${moment(toNs)})`;
}

function sumOf(values: readonly Sql[]): Sql {
  return values.reduce((before, value) => sql`${before} + ${value}`);
}

function ceiled(value: bigint, unit: bigint): bigint {
  return value + ((unit - (value % unit)) % unit);
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
