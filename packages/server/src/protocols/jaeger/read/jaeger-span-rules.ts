import { type SpanLink, serviceOf, type TraceSpan } from './span-rules.ts';
import type { TypedAttributes, TypedValue } from './typed-rules.ts';

/*
 * Spans in the form that the Jaeger UI reads (`internal/uimodel`), translated from OTLP as Jaeger does
 * (`pkg/translator/jaeger` of the OpenTelemetry Collector).
 */

interface Tag {
  readonly key: string;
  readonly type: 'string' | 'bool' | 'int64' | 'float64';
  readonly value: string | boolean | number;
}

interface Process {
  readonly serviceName: string;
  readonly tags: readonly Tag[];
}

/** A trace. `spans` must have at least one. */
export function* writingJaegerTrace(spans: readonly TraceSpan[]): Generator<undefined, object> {
  const processIds = new Map<string, string>();
  const processes: Record<string, Process> = {};
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const written: object[] = [];
  for (const span of spans) {
    yield;
    const known = processIds.get(span.resourceKey);
    const processId = known ?? `p${processIds.size + 1}`;
    if (known === undefined) {
      processIds.set(span.resourceKey, processId);
      processes[processId] = processOf(span);
    }
    written.push(spanOf(span, processId, ids));
  }
  return { traceID: shownTraceId(spans[0]?.traceId ?? ''), spans: written, processes, warnings: null };
}

function spanOf(span: TraceSpan, processID: string, ids: ReadonlySet<string>) {
  const { parentSpanId } = span;
  const isOrphan = parentSpanId !== undefined && !ids.has(parentSpanId);
  return {
    traceID: shownTraceId(span.traceId),
    spanID: span.spanId,
    ...(span.flags !== 0 && { flags: span.flags }),
    operationName: span.name,
    references: referencesOf(span),
    startTime: microsOf(span.startNs),
    duration: microsOf(span.durationNs),
    tags: tagsOf(span),
    logs: span.events.map(({ timeNs, name, attributes }) => ({
      timestamp: microsOf(timeNs),
      fields: [
        ...(name === '' || attributes.some(([key]) => key === 'event') ? [] : [textTag('event', name)]),
        ...attributes.map(([key, value]) => tagOf(key, value)),
      ],
    })),
    processID,
    warnings: isOrphan ? [`the parent span ${parentSpanId} is not in the trace`] : null,
  };
}

/** Jaeger writes 64 bits where the rest is zero (`model.TraceID.String`). */
function shownTraceId(id: string): string {
  return id.startsWith('0000000000000000') ? id.slice(16) : id;
}

function microsOf(ns: bigint): number {
  return Number(ns / 1_000n);
}

function referencesOf({ traceId, parentSpanId, links }: TraceSpan) {
  const reference = (refType: 'CHILD_OF' | 'FOLLOWS_FROM', trace: string, spanID: string) => ({
    refType,
    traceID: shownTraceId(trace),
    spanID,
  });
  return [
    ...(parentSpanId === undefined ? [] : [reference('CHILD_OF', traceId, parentSpanId)]),
    ...links
      .filter((link) => !(link.traceId === traceId && link.spanId === parentSpanId))
      .map((link) => reference(refTypeOf(link), link.traceId, link.spanId)),
  ];
}

function refTypeOf({ attributes }: SpanLink): 'CHILD_OF' | 'FOLLOWS_FROM' {
  const type = attributes.find(([key]) => key === 'opentracing.ref_type')?.[1];
  return type?.value === 'child_of' ? 'CHILD_OF' : 'FOLLOWS_FROM';
}

function tagsOf({ scope, attributes, kind, status, statusMessage, traceState }: TraceSpan): Tag[] {
  return [
    ...(scope.name === '' ? [] : [textTag('otel.scope.name', scope.name)]),
    ...(scope.version === '' ? [] : [textTag('otel.scope.version', scope.version)]),
    ...scope.attributes.map(([key, value]) => tagOf(key, value)),
    ...attributes.map(([key, value]) => tagOf(key, value)),
    ...(kind === 'unspecified' ? [] : [textTag('span.kind', kind)]),
    ...(status === 'unset' ? [] : [textTag('otel.status_code', status.toUpperCase())]),
    ...(status === 'error' && !attributes.some(([key]) => key === 'error')
      ? [{ key: 'error', type: 'bool', value: true } as const]
      : []),
    ...(statusMessage === '' ? [] : [textTag('otel.status_description', statusMessage)]),
    ...(traceState === '' ? [] : [textTag('w3c.tracestate', traceState)]),
  ];
}

function processOf(span: TraceSpan): Process {
  return { serviceName: serviceOf(span), tags: tagsOfResource(span.resource.attributes) };
}

function tagsOfResource(attributes: TypedAttributes): Tag[] {
  return attributes.filter(([key]) => key !== 'service.name').map(([key, value]) => tagOf(key, value));
}

function textTag(key: string, value: string): Tag {
  return { key, type: 'string', value };
}

function tagOf(key: string, typed: TypedValue): Tag {
  switch (typed.type) {
    case 'bool':
      return { key, type: 'bool', value: typed.value };
    case 'int': {
      const number = Number(typed.value);
      return { key, type: 'int64', value: Number.isSafeInteger(number) ? number : typed.value };
    }
    case 'double':
      return { key, type: 'float64', value: Number.isFinite(typed.value) ? typed.value : String(typed.value) };
    case 'nested':
      return textTag(key, typeof typed.value === 'string' ? typed.value : JSON.stringify(typed.value));
    case 'string':
      return textTag(key, typed.value);
  }
}
