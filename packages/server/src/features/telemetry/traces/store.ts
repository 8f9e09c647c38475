import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';

export interface SpanRow {
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly service: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly status_message: string;
  readonly start_ns: string;
  readonly duration_ns: string;
  readonly trace_state: string;
  readonly flags: number;
  readonly dropped_attributes_count: number;
  readonly dropped_events_count: number;
  readonly dropped_links_count: number;
  readonly scope_name: string;
  readonly scope_version: string;
  readonly scope_attributes: Record<string, string>;
  readonly scope_types: string;
  readonly scope_schema_url: string;
  readonly scope_dropped_attributes_count: number;
  readonly resource: Record<string, string>;
  readonly resource_types: string;
  readonly resource_schema_url: string;
  readonly resource_dropped_attributes_count: number;
  readonly string_attributes: Record<string, string>;
  readonly int_attributes: Record<string, string>;
  /** NaN and infinities as text. */
  readonly float_attributes: Record<string, number | string>;
  readonly bool_attributes: Record<string, boolean>;
  readonly json_attributes: Record<string, string>;
  readonly event_ns: string[];
  readonly event_name: string[];
  readonly event_attributes: Record<string, string>[];
  readonly event_types: string[];
  readonly event_dropped_attributes_count: number[];
  readonly link_traces: string[];
  readonly link_spans: string[];
  readonly link_attributes: Record<string, string>[];
  readonly link_types: string[];
  readonly link_trace_state: string[];
  readonly link_flags: number[];
  readonly link_dropped_attributes_count: number[];
}
export interface LogRow {
  readonly time_ns: string;
  readonly severity: number;
  readonly severity_text: string;
  readonly body: string;
  readonly service: string;
  readonly span_id: string;
  readonly string_attributes: Record<string, string>;
  readonly int_attributes: Record<string, string>;
  readonly float_attributes: Record<string, number | string>;
  readonly bool_attributes: Record<string, boolean>;
  readonly json_attributes: Record<string, string>;
}

/** Beyond this many spans a trace is an error (a loop that never starts a new trace), not a page. */
export const maxSpansOfTrace = 50_000;
const maxLogsOfTrace = 5_000;

/** A whole trace can be larger than other answers. Whole numbers of 64 bits, NaN and infinities come as text. */
const maxTraceBytes = 128 * 1024 ** 2;
const more = {
  settings: { output_format_json_quote_64bit_integers: 1, output_format_json_quote_denormals: 1 },
  limits: { maxResultBytes: maxTraceBytes },
};
const dropped = `dropped_attributes_count, dropped_events_count, dropped_links_count`;
const about = `resource_types, resource_schema_url, resource_dropped_attributes_count, scope_name, scope_version, scope_attributes,
       scope_types, scope_schema_url, scope_dropped_attributes_count`;
const attributes = `string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes`;

/** The spans of a trace by start time; the trace index tells which five minutes to read. */
export async function findSpans(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  traceId: string,
  signal: AbortSignal,
): Promise<SpanRow[]> {
  const condition = inScope(scope);
  return telemetry.rows<SpanRow>(
    scope,
    `WITH (SELECT (min(start), max(end)) FROM trace_index WHERE ${condition} AND trace_id = toFixedString(unhex({trace_id:String}), 16)) AS bounds
     SELECT lower(hex(span_id)) AS span_id, lower(hex(parent_span_id)) AS parent_span_id, service, name, toString(kind) AS kind, toString(status) AS status, status_message,
       toString(toUnixTimestamp64Nano(time)) AS start_ns, toString(duration) AS duration_ns, trace_state, flags, ${dropped}, ${about}, resource, ${attributes},
       arrayMap(t -> toString(toUnixTimestamp64Nano(t)), event_time) AS event_ns, event_name, event_attributes, event_types, event_dropped_attributes_count,
       arrayMap(t -> lower(hex(t)), link_trace_id) AS link_traces, arrayMap(s -> lower(hex(s)), link_span_id) AS link_spans, link_attributes,
       link_types, link_trace_state, link_flags, link_dropped_attributes_count
     FROM spans
     WHERE ${condition} AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(bounds.1) AND toStartOfFiveMinutes(bounds.2)
       AND time BETWEEN bounds.1 AND bounds.2 AND trace_id = toFixedString(unhex({trace_id:String}), 16)
     ORDER BY time, span_id LIMIT ${maxSpansOfTrace + 1}`,
    { trace_id: traceId },
    signal,
    more,
  );
}

export async function findLogs(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  traceId: string,
  fromNs: bigint,
  toNs: bigint,
  signal: AbortSignal,
): Promise<LogRow[]> {
  return telemetry.rows<LogRow>(
    scope,
    `SELECT toString(toUnixTimestamp64Nano(time)) AS time_ns, severity, severity_text, body, service, lower(hex(span_id)) AS span_id, ${attributes}
     FROM logs
     WHERE ${inScope(scope)} AND time BETWEEN fromUnixTimestamp64Nano({from:Int64}) AND fromUnixTimestamp64Nano({to:Int64})
       AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(fromUnixTimestamp64Nano({from:Int64})) AND toStartOfFiveMinutes(fromUnixTimestamp64Nano({to:Int64})) AND trace_id = toFixedString(unhex({trace_id:String}), 16)
     ORDER BY time LIMIT ${maxLogsOfTrace}`,
    { trace_id: traceId, from: String(fromNs), to: String(toNs) },
    signal,
    more,
  );
}
