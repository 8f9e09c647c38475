import { inScope } from '../../../platform/scoped-telemetry.ts';
import type { Exposed } from './measure.ts';

/**
 * Common table expressions about the units of an analysis:
 *
 * - `units`: `unit`, `arm`, `at` (its first exposure in the window), for units that saw one variant;
 * - `seen`: the same with `arms`, which is 2 for a unit that saw several.
 *
 * A unit's first exposure counts, over all versions and sources. Only tracked exposures count: the part of a split that is
 * untracked is outside of the analysis.
 */
export function unitsOf({ scope }: Exposed): string {
  return `seen AS (SELECT unit, min(toString(exposures.variant)) AS arm, min(exposures.first_at) AS at, if(max(toString(exposures.variant)) = arm, 1, 2) AS arms
      FROM exposures WHERE ${inScope(scope)} AND exposures.flag = {seen_flag:String} AND exposures.tracked = 1 AND exposures.variant != ''
        AND exposures.day >= toDate(fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC')) AND exposures.day <= toDate(fromUnixTimestamp64Milli({seen_to:Int64}, 'UTC'))
        AND exposures.last_at >= fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC') AND exposures.first_at < fromUnixTimestamp64Milli({seen_to:Int64}, 'UTC')
      GROUP BY unit),
    units AS (SELECT unit, arm, greatest(at, fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC')) AS at FROM seen WHERE arms = 1 AND has({seen_arms:Array(String)}, arm))`;
}

export function unitParameters({ flag, arms, fromMs, toMs }: Exposed): Record<string, unknown> {
  return {
    seen_flag: flag,
    seen_arms: [...arms],
    seen_from: String(Math.max(0, fromMs)),
    seen_to: String(Math.max(0, toMs)),
  };
}

/** `traces`: `trace` (hexadecimal) and `unit`, for the traces in which a unit saw the flag. Uses `units`. */
export function tracesOf({ scope }: Exposed): string {
  return `traces AS (SELECT lower(hex(flag_events.trace_id)) AS trace, flag_events.unit AS unit FROM flag_events
      WHERE ${inScope(scope)} AND flag_events.flag = {seen_flag:String} AND flag_events.trace_id != toFixedString('', 16) AND flag_events.unit != ''
        AND flag_events.tracked AND flag_events.error = ''
        AND time >= fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({seen_to:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC')) AND toStartOfFiveMinutes(fromUnixTimestamp64Milli({seen_to:Int64}, 'UTC'))
      GROUP BY trace, unit)`;
}
