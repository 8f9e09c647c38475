import type { CompiledRelation } from '@fanion/oql';
import { fail } from '../../../platform/fail.ts';
import type { ArmSums } from './measure.ts';
import { type PartOptions, partOf } from './metric-parts-store.ts';
import type { Scan } from './scan-rules.ts';
import { dayOfRow, daysOfUnit, hashOf } from './units-store.ts';

/** Answers of {@link sumsStatement} are rows of these, one for each arm and slice. */
export interface SumsRow {
  /** Place of the arm, from 1. */
  readonly arm: number;
  readonly slice: string;
  /** The numbers of {@link sumsOf}. */
  readonly [column: string]: number | string | null;
}

/** The units that rows are joined to. */
export interface Population {
  /** Common table expressions: `units` and, for metrics by trace, `traces`. */
  readonly ctes: string;
  /**
   * What divides the sums of an arm. `unit`: each unit has one slice. `flag`: a unit stands in `units` and `traces` once for each flag that it saw, which is its
   * slice, and rows count from `since` on. A number: by so many days since the exposure.
   */
  readonly slices: 'none' | 'unit' | 'flag' | number;
}

/**
 * The engine would build the table of the join of the rows, which are many, where it knows nothing about the units: twice the processor time of the whole
 * statement (10M rows, 1M units, 2026-11-22).
 */
export const sumsSettings = { query_plan_join_swap_table: 'false' } as const;

/**
 * One statement for all metrics of a scan: rows are joined to their units once, aggregated by unit once, and summed up by arm. What a metric
 * does not need is not computed. Needs the parameter `all_units`, the number of units of all arms, where a metric has a cap, and {@link sumsSettings}.
 */
export function sumsStatement(
  relation: CompiledRelation,
  scan: Scan,
  { ctes, slices }: Population,
  beforeMs: number,
): string {
  const byDay = typeof slices === 'number';
  const options: PartOptions = { byTrace: scan.byTrace, beforeMs, isCapped: !byDay };
  const parts = scan.metrics.map(({ definition, columns }, i) =>
    partOf(definition, columns, `m${i}`, relation, options),
  );
  // Columns that hold the same for all rows cost as much as others, so they are left out.
  const weight = relation.weighted ? ', r.w AS w' : '';
  const hasSlice = slices === 'unit' || slices === 'flag';
  const isLate = slices === 'flag' && scan.byTrace;
  const ofUnit = `units.arm AS arm, units.at AS at${hasSlice ? ', units.slice AS slice' : ''}${isLate ? ', units.since AS since' : ''}`;
  const u = scan.byTrace
    ? `(SELECT traces.trace AS key, units.id AS unit, ${ofUnit} FROM traces INNER JOIN units ON traces.unit = units.id${slices === 'flag' ? ' AND traces.slice = units.slice' : ''})`
    : `(SELECT units.id AS key, ${ofUnit} FROM units)`;
  const rows = `SELECT ${scan.byTrace ? 'u.unit' : 'r.id'} AS unit, u.arm AS arm${hasSlice ? ', u.slice AS slice' : ''}${byDay ? `, ${dayOfRow} AS day` : ''}, r.t AS t${weight}, u.at AS at${list(parts.flatMap(({ columns }) => columns))}
    FROM (SELECT assumeNotNull(r.${scan.time}) AS t, ${hashOf(`assumeNotNull(r.${scan.unit})`)} AS id${weight}${list(parts.flatMap(({ inner }) => inner))}
      FROM (${relation.sql}) AS r WHERE r.${scan.unit} IS NOT NULL AND r.${scan.time} IS NOT NULL) AS r INNER JOIN ${u} AS u ON r.id = u.key${isLate ? ' WHERE r.t >= u.since' : ''}`;
  const complete = byDay ? `day >= 0 AND day < least(${slices}, ${daysOfUnit}) AND ` : '';
  const counts = anyOf(parts.flatMap(({ hits }) => hits));
  const slicesOfUnit = byDay
    ? ', day AS slice_'
    : slices === 'flag'
      ? ', slice AS slice_'
      : hasSlice
        ? ', any(slice) AS slice_'
        : '';
  const per = `SELECT any(arm) AS arm_${slicesOfUnit}${list(parts.flatMap(({ perUnit }) => perUnit))}
    FROM (${rows}) WHERE ${complete}(${counts}) GROUP BY unit${byDay ? ', day' : slices === 'flag' ? ', slice' : ''}`;
  const slice = slices === 'none' ? `''` : 'toString(slice_)';
  const perArm = `SELECT arm_ AS arm, ${slice} AS slice${list(parts.flatMap(({ perArm }) => perArm))} FROM (${per}) GROUP BY arm, slice`;
  const capped = parts.flatMap(({ capped }) => capped);
  if (capped.length === 0) return `WITH ${ctes} ${perArm}`;
  // The cap is a quantile of the units of all arms, so it is known when those of all arms are together.
  return `WITH ${ctes} SELECT arm, slice${list(parts.flatMap(({ outputs }) => outputs))}
    FROM (SELECT *${list(capped)} FROM (${perArm}))`;
}

const list = (columns: readonly string[]) => [...new Set(columns)].map((column) => `, ${column}`).join('');

/** That one of these lists of conditions holds. A list that contains another one adds nothing to it. */
function anyOf(lists: readonly (readonly string[])[]): string {
  const wider = (one: readonly string[], other: readonly string[]) =>
    one !== other && one.every((condition) => other.includes(condition));
  const needed = lists.filter(
    (one, i) => !lists.some((other, j) => wider(other, one) && (other.length < one.length || j < i)),
  );
  return needed.map((conditions) => `(${conditions.join(' AND ') || '1'})`).join(' OR ');
}

/**
 * The sums of one metric of a scan; undefined where none of its rows is in the arm. Throws `METRIC_INVALID` where a sum, as of squares, is
 * beyond the largest number.
 */
export function sumsOf(row: SumsRow, at: number): Omit<ArmSums, 'variant' | 'slice' | 'n'> | undefined {
  const of = (name: string) => {
    const value = Number(row[`m${at}_${name}`] ?? 0);
    if (!Number.isFinite(value)) throw fail('METRIC_INVALID', { reason: 'its values are too large to be added up' });
    return value;
  };
  const skipped = of('skipped');
  if (of('rows') === 0 && of('s_p') === 0 && of('s_pp') === 0)
    return skipped === 0 ? undefined : { ...nothing, skipped };
  const sum = (name: string) => of(`s_${name}`);
  const isQuantile = row[`m${at}_value`] !== undefined;
  return {
    x: sum('x'),
    xx: sum('xx'),
    y: sum('y'),
    yy: sum('yy'),
    xy: sum('xy'),
    p: sum('p'),
    pp: sum('pp'),
    px: sum('px'),
    py: sum('py'),
    q: sum('q'),
    qq: sum('qq'),
    qx: sum('qx'),
    qy: sum('qy'),
    pq: sum('pq'),
    active: of('active'),
    events: of(row[`m${at}_events`] === undefined ? 'active' : 'events'),
    rows: of('rows'),
    skipped,
    quantile: isQuantile ? { value: of('value'), lower: of('lower'), upper: of('upper'), delta: of('delta') } : null,
  };
}

const sums = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
/** Of units without rows. */
export const nothing = { ...sums, active: 0, events: 0, rows: 0, skipped: 0, quantile: null };

/** Milliseconds as the nanoseconds of a window. */
export function nsOf(ms: number): bigint {
  return BigInt(Math.max(0, Math.trunc(ms))) * 1_000_000n;
}
