import type { SpanLists, SpanOfTrace } from '../../../features/telemetry/traces/index.ts';
import { type TypedAttributes, typedAttributes, typedTexts } from './typed-rules.ts';

/** What a resource or scope says, with the types of its attributes. */
export interface About {
  readonly attributes: TypedAttributes;
  readonly schemaUrl: string;
  readonly name: string;
  readonly version: string;
}

export interface SpanEvent {
  readonly timeNs: bigint;
  readonly name: string;
  readonly attributes: TypedAttributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly flags: number;
  readonly attributes: TypedAttributes;
}

export const spanKinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof spanKinds)[number];
/** A kind as Jaeger writes it, which has no word for a missing one. */
export function writtenKind(kind: string): string {
  return kind === 'unspecified' ? '' : kind;
}

export const statusCodes = ['unset', 'ok', 'error'] as const;
export type StatusCode = (typeof statusCodes)[number];

/** A span, from the store or from OTLP. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined: a root. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: StatusCode;
  readonly statusMessage: string;
  readonly startNs: bigint;
  readonly durationNs: bigint;
  readonly traceState: string;
  readonly flags: number;
  readonly attributes: TypedAttributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** Equal for spans of the same resource, and of the same scope. */
  readonly resourceKey: string;
  readonly scopeKey: string;
  readonly resource: About;
  readonly scope: About;
}

const noSpan = '0000000000000000';

/** Reads stored spans. Many share a resource and scope, which are read once. */
export function* readingSpans(rows: readonly SpanOfTrace[]): Generator<undefined, TraceSpan[]> {
  const abouts = new Map<string, About>();
  const aboutOf = (text: string): About => {
    const known = abouts.get(text) ?? readAbout(text);
    abouts.set(text, known);
    return known;
  };
  const spans: TraceSpan[] = [];
  for (const row of rows) {
    yield;
    spans.push({
      traceId: row.trace,
      spanId: row.span_id,
      parentSpanId: row.parent_span_id === noSpan ? undefined : row.parent_span_id,
      name: row.name,
      kind: spanKinds.find((kind) => kind === row.kind) ?? 'unspecified',
      status: statusCodes.find((status) => status === row.status) ?? 'unset',
      statusMessage: row.status_message,
      startNs: BigInt(row.start_ns),
      durationNs: BigInt(row.duration_ns),
      traceState: row.trace_state,
      flags: row.flags,
      attributes: typedAttributes(row),
      ...listsOf(row.lists_text),
      resourceKey: row.resource_text,
      scopeKey: row.scope_text,
      resource: aboutOf(row.resource_text),
      scope: aboutOf(row.scope_text),
    });
  }
  return spans;
}

/** The form of migration 25 of the telemetry store. */
function readAbout(text: string): About {
  const [texts, types, schemaUrl, , name, version]: [Record<string, string>, unknown, ...unknown[]] = JSON.parse(text);
  return {
    attributes: typedTexts(texts, types),
    schemaUrl: String(schemaUrl ?? ''),
    name: String(name ?? ''),
    version: String(version ?? ''),
  };
}

function listsOf(text: string): Pick<TraceSpan, 'events' | 'links'> {
  if (text === '') return { events: [], links: [] };
  const lists: SpanLists = JSON.parse(text);
  const [times, names, ofEvents, typesOfEvents, , traces, spans, ofLinks, typesOfLinks, states, flags] = lists;
  return {
    events: names.map((name, at) => ({
      timeNs: BigInt(times[at] ?? '0'),
      name,
      attributes: typedTexts(ofEvents[at] ?? {}, typesOfEvents[at]),
    })),
    links: traces.map((traceId, at) => ({
      traceId,
      spanId: spans[at] ?? '',
      traceState: states[at] ?? '',
      flags: flags[at] ?? 0,
      attributes: typedTexts(ofLinks[at] ?? {}, typesOfLinks[at]),
    })),
  };
}

/** The service of a span, as Jaeger calls it without a name (`internal/jptrace`). */
export function serviceOf({ resource }: Pick<TraceSpan, 'resource'>): string {
  const name = resource.attributes.find(([key]) => key === 'service.name')?.[1];
  if (name !== undefined) return String(name.value);
  return resource.attributes.length === 0 ? 'OTLPResourceNoServiceName' : '';
}

/** The spans of each trace, in the order of the ids; traces without spans are missing. */
export function byTrace(spans: readonly TraceSpan[], ids: readonly string[]): (readonly TraceSpan[])[] {
  const traces = new Map<string, TraceSpan[]>(ids.map((id) => [id, []]));
  for (const span of spans) {
    const known = traces.get(span.traceId);
    if (known === undefined) traces.set(span.traceId, [span]);
    else known.push(span);
  }
  return [...traces.values()].filter((trace) => trace.length > 0);
}
