import { maxFlagsOfTrace, maxLogsOfTrace } from '@fanion/contract';
import { complete, type Steps } from '../../../platform/steps.ts';

/** What the rules of a trace need of a span; times in nanoseconds since the epoch. */
export interface SpanTimes {
  readonly id: string;
  readonly parentId: string | null;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** Spans whose parent is named but not there: it was not sent, not sampled, or has not arrived yet. */
export function missingParents(spans: readonly SpanTimes[]): Set<string> {
  return complete(findingMissingParents(spans));
}

/** {@link missingParents} in steps. */
export function* findingMissingParents(spans: readonly SpanTimes[]): Steps<Set<string>> {
  const ids = yield* idsOf(spans);
  const missing = new Set<string>();
  for (const { id, parentId } of spans) {
    yield;
    if (parentId !== null && !ids.has(parentId)) missing.add(id);
  }
  return missing;
}

function* idsOf(spans: readonly SpanTimes[]): Steps<Set<string>> {
  const ids = new Set<string>();
  for (const { id } of spans) {
    yield;
    ids.add(id);
  }
  return ids;
}

/** A span of a critical path, and for how long the trace depends on it alone: on none of its children. */
export interface CriticalSpan {
  readonly id: string;
  readonly ns: bigint;
}

/**
 * The spans that the duration of a trace depends on, by their start (the critical path as Jaeger's and Google's papers on
 * tracing define it): from the end of the longest root, walk back in time. The child that ended last is on the path; go on
 * at its start, with the child that ended last before that. A child counts inside of its parent only, and one that takes no
 * time there is not on the path. The times add up to the duration of the root. OQL computes the same in SQL
 * (`packages/oql/src/rules/critical-path.ts`).
 *
 * Each span is entered once, so neither depth nor a cycle of parents can hurt. Of spans with one id, the first one counts.
 */
export function criticalPath(spans: readonly SpanTimes[]): CriticalSpan[] {
  return complete(followingCriticalPath(spans));
}

/** {@link criticalPath} in steps: of 50,000 spans it takes longer than other requests should wait. */
export function* followingCriticalPath(spans: readonly SpanTimes[]): Steps<CriticalSpan[]> {
  const byId = new Map<string, SpanTimes>();
  for (const span of spans) {
    yield;
    const known = byId.get(span.id);
    if (!known || byBegin(span, known) < 0) byId.set(span.id, span);
  }
  const children = new Map<string, SpanTimes[]>();
  let root: SpanTimes | undefined;
  for (const span of byId.values()) {
    yield;
    if (span.parentId !== null && span.parentId !== span.id && byId.has(span.parentId)) {
      const siblings = children.get(span.parentId);
      if (siblings) siblings.push(span);
      else children.set(span.parentId, [span]);
    } else if (root === undefined || byLength(span, root) < 0) root = span;
  }
  if (root === undefined) return [];
  const path: { readonly span: SpanTimes; readonly ns: bigint }[] = [];
  const open = [{ span: root, from: root.startNs, until: root.endNs }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { span, until } = next;
    let ns = until - next.from;
    let reached = until;
    for (const child of (children.get(span.id) ?? []).sort(byEnd)) {
      yield;
      const from = child.startNs > next.from ? child.startNs : next.from;
      const end = child.endNs < reached ? child.endNs : reached;
      // A child that ended after the point reached ran beside what is on the path already.
      if (from >= end || (child.endNs > reached && reached < until)) continue;
      ns -= end - from;
      open.push({ span: child, from, until: end });
      reached = from;
    }
    path.push({ span, ns });
  }
  return path.sort((a, b) => byBegin(a.span, b.span)).map(({ span, ns }) => ({ id: span.id, ns }));
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first to begin, then the longest. */
function byBegin(a: SpanTimes, b: SpanTimes): number {
  return compare(a.startNs, b.startNs) || compare(b.endNs, a.endNs) || compare(a.id, b.id);
}

function byLength(a: SpanTimes, b: SpanTimes): number {
  return compare(b.endNs - b.startNs, a.endNs - a.startNs) || compare(a.startNs, b.startNs) || compare(a.id, b.id);
}

/** The last to end, then the first to begin. */
function byEnd(a: SpanTimes, b: SpanTimes): number {
  return compare(b.endNs, a.endNs) || compare(a.startNs, b.startNs) || compare(a.id, b.id);
}

/** Warnings about lists that lack later entries, by the number of entries that were found. */
export function warningsOf(traceId: string, found: { readonly logs: number; readonly flags: number }): string[] {
  const isOfTrace = `where trace_id == "${traceId}"`;
  return [
    ...(found.logs > maxLogsOfTrace
      ? [`only the first ${maxLogsOfTrace} log records; run logs | ${isOfTrace} for all of them`]
      : []),
    ...(found.flags > maxFlagsOfTrace
      ? [`only the first ${maxFlagsOfTrace} evaluations; run flags "KEY" | ${isOfTrace} for those of a flag`]
      : []),
  ];
}
