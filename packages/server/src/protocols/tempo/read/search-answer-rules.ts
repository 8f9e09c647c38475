import type { ResultValue } from '@fanion/oql';
import { anyValue, type KeyValue } from './attribute-rules.ts';
import type { SpanSet } from './evaluate-rules.ts';

/** A span that the store has read for a search. */
export interface SpanFacts {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly startNs: bigint;
  /** Nanoseconds as text. */
  readonly durationNs: string;
  readonly name: string;
  /** By the columns of the plan. */
  readonly values: readonly ResultValue[];
  /** Its numbers in the tree of the trace, where a query selects them. */
  readonly numbers?: readonly (readonly [name: string, value: number])[];
}

export interface TraceFacts {
  readonly startNs: bigint;
  readonly durationNs: number;
  readonly service: string;
  readonly name: string;
  readonly services: Map<string, { readonly spans: number; readonly errors: number }>;
}

interface FoundSpan {
  readonly spanID: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly durationNanos: string;
  readonly attributes?: readonly KeyValue[];
}

interface FoundSet {
  readonly spans: readonly FoundSpan[];
  readonly matched: number;
  readonly attributes?: readonly KeyValue[];
}

/** `tempopb.TraceSearchMetadata` in protobuf's JSON. */
export interface FoundTrace {
  readonly traceID: string;
  readonly rootServiceName: string;
  readonly rootTraceName: string;
  readonly startTimeUnixNano: string;
  readonly durationMs: number;
  readonly spanSet?: FoundSet;
  readonly spanSets: readonly FoundSet[];
  readonly serviceStats: Readonly<Record<string, { readonly spanCount: number; readonly errorCount?: number }>>;
}

export interface Shown {
  /** Attributes of each span, and their columns. */
  readonly shown: readonly { readonly key: string; readonly column: number }[];
  /** Most spans of a set; 0: all. */
  readonly most: number;
}

export function foundTrace(
  id: string,
  facts: TraceFacts | undefined,
  sets: readonly SpanSet[],
  spans: readonly SpanFacts[],
  shown: Shown,
): FoundTrace {
  const [first, ...more] = sets.map((set) => foundSet(set, spans, shown));
  return {
    // Tempo writes ids without leading zeros.
    traceID: id.replace(/^0+(?=.)/, ''),
    rootServiceName: facts?.service ?? '',
    rootTraceName: facts?.name ?? '',
    startTimeUnixNano: String(facts?.startNs ?? 0n),
    durationMs: Math.floor((facts?.durationNs ?? 0) / 1_000_000),
    ...(first !== undefined && { spanSet: first }),
    spanSets: first === undefined ? [] : [first, ...more],
    serviceStats: Object.fromEntries(
      [...(facts?.services ?? [])].map(([service, { spans, errors }]) => [
        service,
        { spanCount: spans, ...(errors > 0 && { errorCount: errors }) },
      ]),
    ),
  };
}

function foundSet(set: SpanSet, spans: readonly SpanFacts[], { shown, most }: Shown): FoundSet {
  const listed = most === 0 ? set.spans : set.spans.slice(0, most);
  const attributes = set.attributes.map(([key, value]) => ({ key, value: anyValue(value) }));
  return {
    spans: listed.flatMap((place) => {
      const span = spans[place];
      return span === undefined ? [] : [foundSpan(span, shown)];
    }),
    matched: set.spans.length,
    ...(attributes.length > 0 && { attributes }),
  };
}

function foundSpan(span: SpanFacts, shown: Shown['shown']): FoundSpan {
  const attributes = [
    ...shown.flatMap(({ key, column }) => {
      const value = span.values[column] ?? null;
      return value === null ? [] : [{ key, value: anyValue(value) }];
    }),
    ...(span.numbers ?? []).map(([key, value]) => ({ key, value: anyValue(value) })),
  ];
  return {
    spanID: span.id,
    name: span.name,
    startTimeUnixNano: String(span.startNs),
    durationNanos: span.durationNs,
    ...(attributes.length > 0 && { attributes }),
  };
}
