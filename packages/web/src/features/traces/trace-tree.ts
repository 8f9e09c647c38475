import type { getTrace, RouteResponse } from '@fanion/contract';

export type Trace = RouteResponse<typeof getTrace>;
export type TraceSpan = Trace['spans'][number];

/** A span at its place in the tree. Times are nanoseconds from the start of the trace. */
export interface SpanNode {
  span: TraceSpan;
  parent: SpanNode | null;
  children: SpanNode[];
  depth: number;
  offset: number;
  duration: number;
  /** Spans below this one. */
  descendants: number;
  /** Spans below this one whose status is an error. */
  errorsBelow: number;
}

export interface TraceTree {
  roots: SpanNode[];
  bySpanId: ReadonlyMap<string, SpanNode>;
  /** Length of the whole trace in nanoseconds; at least 1. */
  duration: number;
}

export function isError(span: TraceSpan): boolean {
  return span.status === 'error';
}

/**
 * Nanoseconds between two RFC 3339 times, exact to the nanosecond for traces of up to about 100 days: seconds and
 * fractions are subtracted separately, since epoch nanoseconds do not fit a double.
 */
export function nanosecondsBetween(from: string, to: string): number {
  const [fromSeconds, fromRest] = secondsAndNanoseconds(from);
  const [toSeconds, toRest] = secondsAndNanoseconds(to);
  return (toSeconds - fromSeconds) * 1e9 + (toRest - fromRest);
}

function secondsAndNanoseconds(text: string): [number, number] {
  const match = /^(.*?\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(.*)$/.exec(text);
  if (!match) return [0, 0];
  const [, base = '', fraction = '', zone = ''] = match;
  const seconds = Date.parse(base.replace(' ', 'T') + (zone === '' ? 'Z' : zone)) / 1000;
  return [Number.isFinite(seconds) ? seconds : 0, Number(fraction.padEnd(9, '0'))];
}

/**
 * Builds the tree of a trace. Children are ordered by start. A span whose parent is missing, or that is its own
 * ancestor, becomes a root, so that every span is shown exactly once.
 */
export function buildTree(trace: Pick<Trace, 'spans'>): TraceTree {
  const start = earliest(trace.spans);
  const nodes = trace.spans.map(
    (span): SpanNode => ({
      span,
      parent: null,
      children: [],
      depth: 0,
      offset: nanosecondsBetween(start, span.start),
      duration: Math.max(0, Number(span.duration_ns)),
      descendants: 0,
      errorsBelow: 0,
    }),
  );
  const bySpanId = new Map<string, SpanNode>();
  for (const node of nodes) if (!bySpanId.has(node.span.span_id)) bySpanId.set(node.span.span_id, node);

  nodes.sort((a, b) => a.offset - b.offset || b.duration - a.duration);
  const roots: SpanNode[] = [];
  for (const node of nodes) {
    const parent = node.span.parent_span_id ? bySpanId.get(node.span.parent_span_id) : undefined;
    if (parent && parent !== node && !isAncestor(node, parent)) {
      node.parent = parent;
      parent.children.push(node);
    } else {
      roots.push(node);
    }
  }
  countBelow(roots);
  const end = nodes.reduce((latest, node) => Math.max(latest, node.offset + node.duration), 1);
  return { roots, bySpanId, duration: end };
}

function earliest(spans: readonly TraceSpan[]): string {
  let first = spans[0]?.start ?? '1970-01-01T00:00:00Z';
  for (const span of spans) if (nanosecondsBetween(first, span.start) < 0) first = span.start;
  return first;
}

function isAncestor(candidate: SpanNode, node: SpanNode): boolean {
  for (let at: SpanNode | null = node; at; at = at.parent) if (at === candidate) return true;
  return false;
}

/** Sets depth and the counts below each span; without recursion, since traces can be thousands of spans deep. */
function countBelow(roots: readonly SpanNode[]): void {
  const order: SpanNode[] = [];
  const stack = [...roots];
  for (let node = stack.pop(); node; node = stack.pop()) {
    node.depth = node.parent ? node.parent.depth + 1 : 0;
    order.push(node);
    stack.push(...node.children);
  }
  for (const node of order.reverse()) {
    if (!node.parent) continue;
    node.parent.descendants += 1 + node.descendants;
    node.parent.errorsBelow += node.errorsBelow + (isError(node.span) ? 1 : 0);
  }
}

/** The rows of the waterfall from top to bottom; descendants of collapsed spans are left out. */
export function visibleNodes(roots: readonly SpanNode[], collapsed: ReadonlySet<string>): SpanNode[] {
  const rows: SpanNode[] = [];
  const stack = roots.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    rows.push(node);
    if (collapsed.has(node.span.span_id)) continue;
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i];
      if (child) stack.push(child);
    }
  }
  return rows;
}

/** The ids of all ancestors of a span, which must be expanded to show it. */
export function ancestorIds(node: SpanNode): string[] {
  const ids: string[] = [];
  for (let at = node.parent; at; at = at.parent) ids.push(at.span.span_id);
  return ids;
}

/**
 * Time in a span itself: its duration minus the time covered by its children (overlaps count once, and only within the
 * span).
 */
export function selfTime(node: SpanNode): number {
  const end = node.offset + node.duration;
  let covered = 0;
  let until = node.offset;
  for (const child of node.children) {
    const from = Math.max(child.offset, until);
    const to = Math.min(child.offset + child.duration, end);
    if (to > from) {
      covered += to - from;
      until = to;
    }
  }
  return Math.max(0, node.duration - covered);
}

/** Whether a span contains a text anywhere: name, service, ids, attributes, resource, status message, events. */
export function spanMatches(span: TraceSpan, needle: string): boolean {
  const wanted = needle.trim().toLowerCase();
  if (wanted === '') return false;
  const says = (text: string) => text.toLowerCase().includes(wanted);
  if (says(span.name) || says(span.service) || says(span.span_id) || says(span.status_message)) return true;
  const inAttributes = (attributes: Record<string, unknown>) =>
    Object.entries(attributes).some(
      ([key, value]) => says(key) || says(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    );
  return (
    inAttributes(span.attributes) ||
    inAttributes(span.resource) ||
    span.events.some((event) => says(event.name) || inAttributes(event.attributes))
  );
}

/** Evenly spaced marks of the time axis: round steps of 1, 2 or 5, about `count` of them. Nanoseconds. */
export function axisTicks(from: number, to: number, count = 6): number[] {
  const rough = (to - from) / count;
  if (!(rough > 0)) return [];
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= rough) ?? rough;
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}
