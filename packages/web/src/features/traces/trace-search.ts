import { fieldPath } from '../../telemetry/filters.ts';
import { quote, whereStage } from '../../telemetry/oql.ts';

/** Maximum number of matching spans that are read for the list. */
export const LIMIT = 500;
/** Maximum number of listed traces. */
export const MOST_TRACES = 200;

export interface TraceSearch {
  q?: string | undefined;
  service?: string | undefined;
  status?: string | undefined;
  min?: string | undefined;
}

/**
 * The conditions of a search. Without conditions, the list has the root span of each trace; with conditions, all spans
 * that match, anywhere in a trace.
 */
export function searchConditions({ q, service, status, min }: TraceSearch): string[] {
  const conditions = [
    service !== undefined && `service.name == ${quote(service)}`,
    status === 'error' && 'status == error',
    min !== undefined && min !== '' && `duration >= ${duration(min)}`,
    q !== undefined && q !== '' && `(${q})`,
  ].filter((condition): condition is string => typeof condition === 'string');
  return conditions.length === 0 ? ['root'] : conditions;
}

/** `100` means milliseconds; other text is passed to OQL unchanged. */
function duration(text: string): string {
  const trimmed = text.trim().replace(/\s+/g, '');
  return /^\d+(\.\d+)?$/.test(trimmed) ? `${trimmed}ms` : trimmed;
}

export function tracesQuery(conditions: readonly string[]): string {
  return `spans${whereStage(conditions)} | sort -time | limit ${LIMIT} | fields time, service.name, name, status, duration, trace_id`;
}

function inTraces(traceIds: readonly string[]): string {
  return `trace_id in (${traceIds.map(quote).join(', ')})`;
}

/** Root, size and errors of traces. */
export function wholeTracesQuery(traceIds: readonly string[]): string {
  return `traces | where ${inTraces(traceIds)} | extend message = min_if(status_message, status == error) | fields trace_id, time, service.name, name, duration, spans, errors, message`;
}

/** The work of each service in traces: self time counts no moment twice, however spans nest. */
export function workQuery(traceIds: readonly string[]): string {
  return `spans | where ${inTraces(traceIds)} | stats self=sum(self_time) by trace_id, service.name`;
}

/** How many of the spans there are by the values of a field, over time. */
export function groupQuery(conditions: readonly string[], field: string): string {
  return `spans${whereStage(conditions)} | stats n=count() by ${fieldPath(field)}, bucket(auto)`;
}

export function volumeQuery(conditions: readonly string[], bucket: string): string {
  return `spans${whereStage(conditions)} | stats n=count() by bucket(${bucket})`;
}
