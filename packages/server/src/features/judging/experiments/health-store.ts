import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { FlagTraffic } from './health-rules.ts';

export async function readTraffic(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { flag, fromMs, toMs }: { readonly flag: string; readonly fromMs: number; readonly toMs: number },
  signal: AbortSignal,
): Promise<FlagTraffic> {
  const params = { flag, from_ms: String(fromMs), to_ms: String(toMs) };
  const from = `fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`;
  const to = `fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`;
  const [[counted], [seen]] = await Promise.all([
    telemetry.rows<{ evaluations: number; tracked: number }>(
      scope,
      `SELECT toFloat64(sum(flag_evaluations.evaluations)) AS evaluations, toFloat64(sumIf(flag_evaluations.evaluations, flag_evaluations.tracked)) AS tracked
       FROM flag_evaluations WHERE ${inScope(scope)} AND flag_evaluations.flag = {flag:String}
         AND minute >= toStartOfMinute(toDateTime(${from})) AND minute <= toDateTime(${to})`,
      params,
      signal,
    ),
    telemetry.rows<{ untracked: number; ahead: number; before: number }>(
      scope,
      `SELECT toFloat64(countIf(is_seen AND is_tracked = 0)) AS untracked, toFloat64(countIf(is_tracked = 1 AND began >= ${to} + INTERVAL 1 MINUTE)) AS ahead,
         toFloat64(countIf(was_tracked)) AS before
       FROM (SELECT unit, max(exposures.last_at >= ${from}) AS is_seen, maxIf(exposures.tracked, exposures.last_at >= ${from}) AS is_tracked,
           minIf(exposures.first_at, exposures.last_at >= ${from}) AS began, max(exposures.tracked = 1 AND exposures.first_at < ${from}) AS was_tracked FROM exposures
         WHERE ${inScope(scope)} AND exposures.flag = {flag:String} AND exposures.day >= toDate(${from} - INTERVAL 1 DAY) AND exposures.last_at >= ${from} - INTERVAL 1 DAY GROUP BY unit)`,
      params,
      signal,
    ),
  ]);
  return {
    evaluations: counted?.evaluations ?? 0,
    tracked: counted?.tracked ?? 0,
    untrackedUnits: seen?.untracked ?? 0,
    ahead: seen?.ahead ?? 0,
    beforeStart: seen?.before ?? 0,
  };
}
