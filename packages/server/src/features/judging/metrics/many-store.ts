import { inScope } from '../../../platform/scoped-telemetry.ts';
import type { ManyExposed } from './measure.ts';
import { hashOf, traceBeganMs } from './units-store.ts';

const seenTo = `fromUnixTimestamp64Milli({seen_to:Int64}, 'UTC')`;
const earliest = `fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC')`;
const placeOfFlag = (flag: string) => `indexOf({many_flags:Array(String)}, ${flag})`;
const fromOf = (slice: string) => `fromUnixTimestamp64Milli(arrayElement({many_from:Array(Int64)}, ${slice}), 'UTC')`;
const armsOf = (slice: string) => `arrayElement({many_arms:Array(Array(String))}, ${slice})`;

/**
 * Common table expressions about the units of several flags at once, each as `unitsOf` has them for one:
 *
 * - `seen`: `id` (the hash of the unit), `slice` (the place of the flag, from 1), `first_arm`, `last_arm` (in the order of texts), and `at`;
 * - `units`: `id`, `slice`, `arm` (its place in the arms of the flag, from 1), `at`, and `since` (rows by trace count from then on), for units that saw one variant.
 */
export function unitsOfMany({ scope }: ManyExposed): string {
  return `seen AS (SELECT id, slice, min(variant) AS first_arm, max(variant) AS last_arm, min(at) AS at FROM (
      SELECT ${hashOf('unit')} AS id, ${placeOfFlag('toString(flag)')} AS slice, toString(exposures.variant) AS variant, exposures.first_at AS at FROM exposures
        WHERE ${inScope(scope)} AND exposures.flag IN {many_flags:Array(String)} AND exposures.tracked = 1 AND exposures.variant != ''
          AND exposures.day >= toDate(${earliest}) AND exposures.day <= toDate(${seenTo})
          AND exposures.last_at >= ${fromOf(placeOfFlag('toString(flag)'))} AND exposures.first_at < ${seenTo})
      GROUP BY id, slice),
    units AS (SELECT id, slice, toUInt8(indexOf(${armsOf('slice')}, first_arm)) AS arm, greatest(at, ${fromOf('slice')}) AS at,
        ${fromOf('slice')} - toIntervalMillisecond(${traceBeganMs}) AS since
      FROM seen WHERE first_arm = last_arm AND has(${armsOf('slice')}, first_arm))`;
}

/** `traces`: `trace`, `unit` and `slice`, for the traces in which a unit saw one of the flags. */
export function tracesOfMany({ scope }: ManyExposed): string {
  return `traces AS (SELECT ${hashOf('lower(hex(flag_events.trace_id))')} AS trace, ${hashOf('flag_events.unit')} AS unit, ${placeOfFlag('toString(flag)')} AS slice FROM flag_events
      WHERE ${inScope(scope)} AND flag_events.flag IN {many_flags:Array(String)} AND flag_events.trace_id != toFixedString('', 16) AND flag_events.unit != ''
        AND flag_events.tracked AND flag_events.error = ''
        AND time >= ${fromOf(placeOfFlag('toString(flag)'))} AND time >= ${earliest} AND time < ${seenTo}
        AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${earliest}) AND toStartOfFiveMinutes(${seenTo})
      GROUP BY trace, unit, slice)`;
}

export function manyParameters({ flags, toMs }: ManyExposed): Record<string, unknown> {
  return {
    many_flags: flags.map(({ flag }) => flag),
    many_arms: flags.map(({ arms }) => [...arms]),
    many_from: flags.map(({ fromMs }) => Math.max(0, fromMs)),
    seen_from: String(Math.max(0, Math.min(...flags.map(({ fromMs }) => fromMs)))),
    seen_to: String(Math.max(0, toMs)),
  };
}
