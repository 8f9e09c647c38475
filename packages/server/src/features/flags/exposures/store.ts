import { maxFlagsOfTrace } from '@fanion/contract';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';

/** The use of one flag in one environment. */
export interface FlagUse {
  readonly environment: string;
  readonly flag: string;
  /** Unix milliseconds, of the minute. */
  readonly lastAt: number;
  /** Within the window, so never before its start. */
  readonly firstAt: number;
  /** Variants served in the window. */
  readonly variants: readonly string[];
}

interface UseRow {
  readonly environment: string;
  readonly flag: string;
  readonly first: number;
  readonly last: number;
  readonly variants: string[];
}

/** The use of these flags since a moment, by environment. Both sources report the same variants and times. */
export async function findUse(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { flags, environments, fromMs }: { flags: readonly string[]; environments: readonly string[]; fromMs: number },
  signal: AbortSignal,
): Promise<FlagUse[]> {
  const rows = await telemetry.rows<UseRow>(
    scope,
    `SELECT environment, flag, toFloat64(toUnixTimestamp(min(minute))) AS first, toFloat64(toUnixTimestamp(max(minute))) AS last,
       groupUniqArrayIf(100)(variant, variant != '') AS variants
     FROM flag_evaluations
     WHERE ${inScope(scope)} AND environment IN {environments:Array(String)} AND flag IN {flags:Array(String)}
       AND minute >= toDateTime({from:UInt32}, 'UTC')
     GROUP BY environment, flag`,
    { flags, environments, from: Math.max(0, Math.floor(fromMs / 1000)) },
    signal,
  );
  return rows.map(({ environment, flag, first, last, variants }) => ({
    environment,
    flag,
    firstAt: first * 1000,
    lastAt: last * 1000,
    variants,
  }));
}

/** An evaluation within a trace. */
export interface TraceEvaluation {
  readonly time_ns: string;
  readonly flag: string;
  readonly variant: string;
  readonly reason: string;
  readonly version: string;
  readonly unit: string;
  readonly tracked: boolean;
  readonly source: 'server' | 'otlp';
  readonly service: string;
  readonly span_id: string;
  readonly error: string;
}

/**
 * The flag evaluations of a trace, by time. If the server and a client report the same flag, version and unit, only the
 * client's row is returned. If there are more than a trace shows, the result has one more.
 */
export async function findEvaluationsOfTrace(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  traceId: string,
  window: { readonly fromNs: bigint; readonly toNs: bigint },
  signal: AbortSignal,
): Promise<TraceEvaluation[]> {
  return telemetry.rows<TraceEvaluation>(
    scope,
    `WITH (SELECT groupUniqArrayIf((flag, version, unit), source = 'otlp') FROM flag_events
           WHERE ${inScope(scope)} AND time BETWEEN fromUnixTimestamp64Nano({from:Int64}) AND fromUnixTimestamp64Nano({to:Int64})
             AND trace_id = toFixedString(unhex({trace_id:String}), 16)) AS reported
     SELECT toString(toUnixTimestamp64Nano(time)) AS time_ns, flag, variant, reason, version, unit, tracked, toString(source) AS source,
       service, lower(hex(span_id)) AS span_id, error
     FROM flag_events
     WHERE ${inScope(scope)} AND time BETWEEN fromUnixTimestamp64Nano({from:Int64}) AND fromUnixTimestamp64Nano({to:Int64})
       AND trace_id = toFixedString(unhex({trace_id:String}), 16)
       AND (flag_events.source = 'otlp' OR NOT has(reported, (flag, version, unit)))
     ORDER BY time, flag LIMIT ${maxFlagsOfTrace + 1}`,
    { trace_id: traceId, from: String(window.fromNs), to: String(window.toNs) },
    signal,
    { settings: { output_format_json_quote_64bit_integers: 1 } },
  );
}
