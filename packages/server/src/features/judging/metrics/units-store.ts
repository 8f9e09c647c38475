import type { CompiledRelation } from '@fanion/oql';
import { inScope } from '../../../platform/scoped-telemetry.ts';
import type { Exposed, Slicing, SplitPart } from './measure.ts';

const dayMs = 86_400_000;
/** How long before an evaluation its trace may have begun. */
export const traceBeganMs = 600_000;

/**
 * Rows are joined to units by 128 bits of a hash: numbers are joined and grouped in two thirds of the processor time that texts take. Two of
 * 10⁹ units are equal with a probability of 10⁻²¹.
 */
export function hashOf(text: string): string {
  return `reinterpretAsUInt128(sipHash128(${text}))`;
}

/**
 * Common table expressions about the units of an analysis:
 *
 * - `seen`: `id` (the hash of the unit), `arm` (the hash of its name), `at` (its first exposure in the window), and `arms`, which is 2 for a unit that saw several;
 * - `units`: `id`, `arm` (its place in `exposed.arms`, from 1), `at` and `slice`, for units that saw one variant.
 *
 * A unit's first exposure counts, over all versions and sources. Unless asked for, only tracked exposures count: the part of a split that
 * is untracked is outside of the analysis.
 *
 * @param expression the relation of {@link sliceQuery}, for slices by an expression
 */
export function unitsOf(exposed: Exposed, slicing?: Slicing, expression?: CompiledRelation): string {
  const found = `SELECT seen.id AS id, toUInt8(indexOf(${armsOf('seen_arms')}, seen.arm)) AS arm,
      greatest(seen.at, ${ms('seen_from')}) AS at FROM seen WHERE seen.arms = 1 AND has(${armsOf('seen_arms')}, seen.arm)${exposed.countedFromMs === undefined ? '' : ` AND seen.at >= ${ms('counted_from')}`}`;
  return `seen AS (${seenOf(exposed, 'seen_flag')}), ${sliced(exposed, found, slicing, expression)}`;
}

function ms(parameter: string): string {
  return `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`;
}

/** Which exposures count: tracked ones in the window, or all of them. */
export function seenWhere(flag: string, untracked = false): string {
  return `exposures.flag = {${flag}:String}${untracked ? '' : ' AND exposures.tracked = 1'} AND ${seenInWindow}`;
}

const seenInWindow = `exposures.variant != ''
        AND exposures.day >= toDate(${ms('seen_from')}) AND exposures.day <= toDate(${ms('seen_to')})
        AND exposures.last_at >= ${ms('seen_from')} AND exposures.first_at < ${ms('seen_to')}`;

/**
 * The position of a unit on the line, from 0 to 100000, as `packages/flag-engine/src/bucket.ts` computes it: the first 60 bits of
 * SHA-1 as a fraction.
 */
const position = `bitShiftRight(reinterpretAsUInt64(reverse(substring(SHA1(concat({split_seed:String}, '.', unit)), 1, 8))), 4) / 1152921504606846975. * 100000`;

function seenOf({ scope, pinned, split, untracked }: Exposed, flag: string): string {
  if (split !== undefined)
    return `SELECT ${hashOf('unit')} AS id, ${armOf('arrayElement({split_arms:Array(String)}, arrayFirstIndex(one -> position < one, {split_ends:Array(Float64)}))')} AS arm, at, 1 AS arms
      FROM (SELECT unit, at, ${position} AS position FROM (
        SELECT unit, min(exposures.first_at) AS at FROM exposures WHERE ${inScope(scope)} AND exposures.flag = {${flag}:String} AND ${seenInWindow}
        GROUP BY unit HAVING min(toString(exposures.variant)) = {split_served:String} AND max(toString(exposures.variant)) = {split_served:String}))`;
  const live = `FROM exposures WHERE ${inScope(scope)} AND ${seenWhere(flag, untracked)}`;
  if (pinned === undefined)
    return `SELECT ${hashOf('unit')} AS id, min(${armOf('exposures.variant')}) AS arm, min(exposures.first_at) AS at, if(max(${armOf('exposures.variant')}) = arm, 1, 2) AS arms
      ${live} GROUP BY id`;
  const [first, last] = [armOf('experiment_units.first_arm'), armOf('experiment_units.last_arm')];
  return `SELECT id, min(low) AS arm, min(first_at) AS at, if(max(high) = arm, 1, 2) AS arms FROM (
        SELECT ${hashOf('unit')} AS id, ${armOf('exposures.variant')} AS low, low AS high, exposures.first_at AS first_at ${live}
        UNION ALL SELECT ${hashOf('unit')} AS id, least(${first}, ${last}) AS low, greatest(${first}, ${last}) AS high, experiment_units.at AS first_at FROM experiment_units
          WHERE ${inScope(scope)} AND experiment_units.experiment = {pinned:UUID} AND experiment_units.at < ${ms('seen_to')})
      GROUP BY id`;
}

/** Arms are compared by a hash of their names, as units are. */
function armOf(name: string): string {
  return `sipHash64(${name})`;
}

function armsOf(parameter: string): string {
  return `arrayMap(name -> ${armOf('name')}, {${parameter}:Array(String)})`;
}

function sliced(exposed: Exposed, found: string, slicing?: Slicing, expression?: CompiledRelation): string {
  const units = (slice: string) => `units AS (SELECT id, arm, at, ${slice} AS slice FROM (${found}))`;
  switch (slicing?.by) {
    case undefined:
    case 'day':
      return units(`''`);
    case 'start':
      return units(`toString(arrayCount(bound -> bound <= toUnixTimestamp64Milli(at), {slice_bounds:Array(Int64)}))`);
    case 'flag':
      return `other AS (${seenOf({ ...exposed, pinned: undefined }, 'slice_flag')}),
        units AS (SELECT u.id AS id, u.arm AS arm, u.at AS at, o.slice AS slice FROM (${found}) AS u INNER JOIN
          (SELECT other.id AS id, arrayElement({slice_arms:Array(String)}, indexOf(${armsOf('slice_arms')}, other.arm)) AS slice FROM other WHERE other.arms = 1 AND has(${armsOf('slice_arms')}, other.arm)) AS o ON u.id = o.id)`;
    case 'expression': {
      if (expression === undefined) throw new Error('a slice by an expression needs its relation');
      return `labels AS (SELECT ${hashOf('assumeNotNull(e.v2)')} AS id, argMin(ifNull(toString(e.v3), ''), e.v1) AS label FROM (${expression.sql}) AS e
          WHERE e.v2 IS NOT NULL AND e.v1 IS NOT NULL GROUP BY id),
        units AS (SELECT u.id AS id, u.arm AS arm, u.at AS at,
          if(l.label = '' OR empty({slice_values:Array(String)}) OR has({slice_values:Array(String)}, l.label), l.label, {slice_other:String}) AS slice
          FROM (${found}) AS u LEFT JOIN labels AS l ON u.id = l.id)`;
    }
  }
}

/** The slice of units whose value is not one of the wanted ones. */
export const otherSlice = '\u0001other';

/** OQL that returns time, unit and value of each evaluation of a flag. */
export function sliceQuery(flag: string, expression: string): string {
  return `flags ${JSON.stringify(flag)} | extend fanion_time=time, fanion_unit=unit, fanion_slice=(${expression}\n) | where tracked | fields fanion_time, fanion_unit, fanion_slice`;
}

export function unitParameters(
  { flag, arms, fromMs, toMs, pinned, countedFromMs, split }: Exposed,
  slicing?: Slicing,
): Record<string, unknown> {
  return {
    seen_flag: flag,
    seen_arms: [...arms],
    seen_from: String(Math.max(0, fromMs)),
    seen_to: String(Math.max(0, toMs)),
    ...(pinned !== undefined && { pinned }),
    ...(split !== undefined && {
      split_seed: split.seed,
      split_served: split.served,
      split_arms: split.parts.map(({ arm }) => arm),
      split_ends: endsOf(split.parts),
    }),
    ...(countedFromMs !== undefined && { counted_from: String(Math.max(0, countedFromMs)) }),
    ...(slicing?.by === 'start' && { slice_bounds: slicing.bounds.map((bound) => Math.trunc(bound)) }),
    ...(slicing?.by === 'flag' && { slice_flag: slicing.flag, slice_arms: [...slicing.arms] }),
    ...(slicing?.by === 'expression' && { slice_values: [...slicing.values], slice_other: otherSlice }),
  };
}

function endsOf(parts: readonly SplitPart[]): number[] {
  let end = 0;
  return parts.map(({ weight }) => {
    end += weight;
    return end;
  });
}

/** Whole days between the exposure of a unit and `t`. */
export const dayOfRow = `intDiv(toUnixTimestamp64Milli(r.t) - toUnixTimestamp64Milli(u.at), ${dayMs})`;

/** The days that a unit has had, from its exposure to the end of the window. */
export const daysOfUnit = `intDiv({seen_to:Int64} - toUnixTimestamp64Milli(at), ${dayMs})`;

/** `traces`: `trace` (the hash of its id in hexadecimal) and `unit` (its hash), for the traces in which a unit saw the flag. */
export function tracesOf({ scope, split, untracked = split !== undefined }: Exposed): string {
  return `traces AS (SELECT ${hashOf('lower(hex(flag_events.trace_id))')} AS trace, ${hashOf('flag_events.unit')} AS unit FROM flag_events
      WHERE ${inScope(scope)} AND flag_events.flag = {seen_flag:String} AND flag_events.trace_id != toFixedString('', 16) AND flag_events.unit != ''
        ${untracked ? '' : 'AND flag_events.tracked '}AND flag_events.error = ''
        AND time >= ${ms('seen_from')} AND time < ${ms('seen_to')}
        AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${ms('seen_from')}) AND toStartOfFiveMinutes(${ms('seen_to')})
      GROUP BY trace, unit)`;
}
