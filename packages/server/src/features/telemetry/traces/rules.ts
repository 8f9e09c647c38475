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

/**
 * The chain of spans that the trace's length hangs on, root first: from the longest root, walk back in time from its
 * end; the child that ended last before the point reached is on the path, then go on from that child's start
 * (the critical path as Jaeger's and Google's tracing papers define it). Children that outlive their parent count up
 * to the parent's end. Iterative, and each span is entered once, so neither depth nor a cycle of parents can hurt.
 */
export function criticalPath(spans: readonly SpanTimes[]): string[] {
  return complete(followingCriticalPath(spans));
}

/** {@link criticalPath} in steps: of 50,000 spans it takes longer than other requests should wait. */
export function* followingCriticalPath(spans: readonly SpanTimes[]): Steps<string[]> {
  const ids = yield* idsOf(spans);
  const children = new Map<string, SpanTimes[]>();
  let root: SpanTimes | undefined;
  for (const span of spans) {
    yield;
    if (span.parentId !== null && ids.has(span.parentId)) {
      const siblings = children.get(span.parentId);
      if (siblings) siblings.push(span);
      else children.set(span.parentId, [span]);
    } else if (root === undefined || span.endNs - span.startNs > root.endNs - root.startNs) root = span;
  }
  if (root === undefined) return [];
  const onPath = new Set<string>([root.id]);
  const open: { span: SpanTimes; until: bigint }[] = [{ span: root, until: root.endNs }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let until = next.until;
    const byEnd = [...(children.get(next.span.id) ?? [])].sort((a, b) =>
      a.endNs < b.endNs ? 1 : a.endNs > b.endNs ? -1 : 0,
    );
    for (const child of byEnd) {
      yield;
      if (child.startNs >= until || onPath.has(child.id)) continue;
      const end = child.endNs < until ? child.endNs : until;
      // A child that ended after the point reached ran beside what is on the path already.
      if (child.endNs > until && until !== next.until) continue;
      onPath.add(child.id);
      open.push({ span: child, until: end });
      until = child.startNs;
    }
  }
  return spans
    .filter((span) => onPath.has(span.id))
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0))
    .map((span) => span.id);
}
