import { maxLogsOfTrace } from '@fanion/contract';
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
  /** As `decodeAboutText` reads them. */
  readonly resource_text: string;
  readonly scope_text: string;
  readonly string_attributes: Record<string, string>;
  readonly int_attributes: Record<string, string>;
  /** NaN and infinities as text. */
  readonly float_attributes: Record<string, number | string>;
  readonly bool_attributes: Record<string, boolean>;
  readonly json_attributes: Record<string, string>;
  /** Empty, or {@link SpanLists} as JSON. */
  readonly lists_text: string;
}

/** Of events: times in nanoseconds, names, attributes, their types, dropped counts. Then of links. */
export type SpanLists = readonly [
  eventNs: string[],
  eventName: string[],
  eventAttributes: Record<string, string>[],
  eventTypes: string[],
  eventDropped: number[],
  linkTraces: string[],
  linkSpans: string[],
  linkAttributes: Record<string, string>[],
  linkTypes: string[],
  linkState: string[],
  linkFlags: number[],
  linkDropped: number[],
];

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

/** A whole trace can be larger than other answers. Whole numbers of 64 bits, NaN and infinities come as text. */
const maxTraceBytes = 128 * 1024 ** 2;
/** Its events and links are a text within the answer, so quotes in them are escaped twice. */
const maxSpanBytes = 32 * 1024 ** 2;
const more = {
  settings: { output_format_json_quote_64bit_integers: 1, output_format_json_quote_denormals: 1 },
  limits: { maxResultBytes: maxTraceBytes, maxRowBytes: maxSpanBytes },
};
const dropped = `dropped_attributes_count, dropped_events_count, dropped_links_count`;
const attributes = `string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes`;

const span = `lower(hex(span_id)) AS span_id, lower(hex(parent_span_id)) AS parent_span_id, service, name, kind, status, status_message,
       toUnixTimestamp64Nano(time) AS start_ns, duration AS duration_ns, trace_state, flags, ${dropped}, resource_text, scope_text, ${attributes}, lists_text`;

/** Reads spans between the bounds that the trace index has of their traces. */
const spansOf = (scope: TelemetryScope, columns: string, isOfTraces: string) =>
  `WITH (SELECT (min(start), max(end)) FROM trace_index WHERE ${inScope(scope)} AND ${isOfTraces}) AS bounds
     SELECT ${columns}
     FROM spans
     WHERE ${inScope(scope)} AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(bounds.1) AND toStartOfFiveMinutes(bounds.2)
       AND time BETWEEN bounds.1 AND bounds.2 AND ${isOfTraces}`;

/** The spans of a trace by start time; the trace index tells which five minutes to read. */
export async function findSpans(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  traceId: string,
  signal: AbortSignal,
): Promise<SpanRow[]> {
  return telemetry.rows<SpanRow>(
    scope,
    `${spansOf(scope, span, 'trace_id = toFixedString(unhex({trace_id:String}), 16)')}
     ORDER BY time, span_id LIMIT ${maxSpansOfTrace + 1}`,
    { trace_id: traceId },
    signal,
    more,
  );
}

export interface SpanOfTrace extends SpanRow {
  /** The id of its trace. */
  readonly trace: string;
}

/** The spans of several traces by start time, at most `limit` of them. */
export async function findSpansOfTraces(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  traceIds: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<SpanOfTrace[]> {
  if (traceIds.length === 0) return [];
  const isOfTraces = `trace_id IN (SELECT toFixedString(unhex(arrayJoin({trace_ids:Array(String)})), 16))`;
  return telemetry.rows<SpanOfTrace>(
    scope,
    `${spansOf(scope, `lower(hex(trace_id)) AS trace, ${span}`, isOfTraces)}
     ORDER BY time, spans.span_id LIMIT {limit:UInt32}`,
    { trace_ids: traceIds, limit },
    signal,
    { ...more, limits: { ...more.limits, maxResultRows: limit } },
  );
}

/** The logs of a trace by time, one more than a trace shows if there are more. */
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
     ORDER BY time, service, span_id, body LIMIT ${maxLogsOfTrace + 1}`,
    { trace_id: traceId, from: String(fromNs), to: String(toNs) },
    signal,
    more,
  );
}
