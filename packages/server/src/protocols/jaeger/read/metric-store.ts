import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Measure, MeasuredRow } from './metric-rules.ts';

/**
 * Measures the spans of each window `(at - rate, at]`, where a span counts in every window that it began in. A sampled span counts
 * as many as it stands for.
 * @param quantile of the durations
 */
export async function measureSpans(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { services, isByOperation, kinds, firstMs, lastMs, stepMs, rateMs }: Measure,
  quantile: number,
  limit: number,
  signal: AbortSignal,
): Promise<MeasuredRow[]> {
  const bound = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  const fives = `toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${bound('from')}) AND toStartOfFiveMinutes(${bound('to')})`;
  // The first and the last window that a span is in, by their numbers.
  const after = `toUnixTimestamp64Nano(time) - {first:Int64} * 1000000`;
  const firstWindow = `greatest(0, toInt64(ceil(toFloat64(${after}) / ({step:Int64} * 1000000))))`;
  const lastWindow = `least({last:Int64}, toInt64(ceil((toFloat64(${after}) + {rate:Int64} * 1000000) / ({step:Int64} * 1000000))) - 1)`;
  return telemetry.rows<MeasuredRow>(
    scope,
    `SELECT toString(spans.service) AS service, ${isByOperation ? 'toString(spans.name)' : `''`} AS operation,
       toFloat64({first:Int64} + arrayJoin(range(toUInt64(${firstWindow}), toUInt64(greatest(${firstWindow}, ${lastWindow} + 1)))) * {step:Int64}) AS at,
       sum(weight) AS calls, sumIf(weight, status = 'error') AS failed,
       quantileExactWeighted({quantile:Float64})(duration, toUInt64(greatest(1, round(weight)))) / 1e6 AS latency_ms
     FROM spans
     WHERE ${inScope(scope)} AND time > ${bound('from')} AND time <= ${bound('to')} AND ${fives}
       AND service IN {services:Array(String)} AND toString(kind) IN {kinds:Array(String)}
     GROUP BY service, operation, at ORDER BY service, operation, at LIMIT {limit:UInt32}`,
    {
      ...{ from: String(Math.max(0, firstMs - rateMs)), to: String(lastMs), first: String(firstMs) },
      ...{ step: String(stepMs), rate: String(rateMs), last: String(Math.floor((lastMs - firstMs) / stepMs)) },
      ...{ services, kinds, quantile, limit },
    },
    signal,
    { limits: { maxResultRows: limit } },
  );
}
