import { serviceOf, type TraceSpan } from './span-rules.ts';

interface Counts {
  spanCount: number;
  errorSpanCount: number;
}

/** What version 3 says of a trace without its spans (`apiv3/summaries.go`). */
export function summaryOf(spans: readonly TraceSpan[]) {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const services = new Map<string, Counts>();
  const all: Counts & { orphanSpanCount: number } = { spanCount: 0, errorSpanCount: 0, orphanSpanCount: 0 };
  let [start, end] = [spans[0]?.startNs ?? 0n, 0n];
  for (const span of spans) {
    const service = serviceOf(span);
    const of = services.get(service) ?? { spanCount: 0, errorSpanCount: 0 };
    services.set(service, of);
    for (const counts of [of, all]) {
      counts.spanCount += 1;
      if (span.status === 'error') counts.errorSpanCount += 1;
    }
    if (span.parentSpanId !== undefined && !ids.has(span.parentSpanId)) all.orphanSpanCount += 1;
    if (span.startNs < start) start = span.startNs;
    if (span.startNs + span.durationNs > end) end = span.startNs + span.durationNs;
  }
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined);
  return {
    traceId: spans[0]?.traceId ?? '',
    rootServiceName: root === undefined ? '' : serviceOf(root),
    rootOperationName: root?.name ?? '',
    minStartTimeUnixNano: String(start),
    maxEndTimeUnixNano: String(end),
    ...all,
    services: [...services].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, counts]) => ({ name, ...counts })),
  };
}
