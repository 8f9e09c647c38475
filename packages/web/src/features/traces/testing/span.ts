import type { TraceSpan } from '../trace-tree.ts';

/** A span of a test's trace; times in milliseconds. */
export function span(
  span_id: string,
  parent_span_id: string | null,
  startMs: number,
  durationMs: number,
  extra: Partial<TraceSpan> = {},
): TraceSpan {
  return {
    span_id,
    parent_span_id,
    service: 'cart',
    name: `op ${span_id}`,
    kind: 'server',
    status: 'unset',
    status_message: '',
    start: new Date(Date.UTC(2026, 0, 1) + startMs).toISOString(),
    duration_ns: String(durationMs * 1e6),
    trace_state: '',
    flags: 0,
    attributes: {},
    dropped_attributes_count: 0,
    dropped_events_count: 0,
    dropped_links_count: 0,
    resource: {},
    resource_schema_url: '',
    resource_dropped_attributes_count: 0,
    scope: { name: '', version: '', attributes: {}, schema_url: '', dropped_attributes_count: 0 },
    events: [],
    links: [],
    missing_parent: false,
    ...extra,
  };
}
