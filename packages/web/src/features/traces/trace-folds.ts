import { isError, type SpanNode } from './trace-tree.ts';

/** From this many siblings of one operation on, they are shown as one row. */
export const FOLDED_FROM = 5;

/** Sibling spans of the same service, operation and kind, shown as one row until somebody opens it. */
export interface Fold {
  /** Different from every span id. */
  readonly id: string;
  /** By start. */
  readonly nodes: readonly SpanNode[];
  readonly first: SpanNode;
  /** When the last one ends, in nanoseconds from the start of the trace. */
  readonly end: number;
  /** How long they took together, in nanoseconds. */
  readonly total: number;
  /** Those that failed, and failed spans below them. */
  readonly errors: number;
}

/** The folds of a trace, by each of their spans. */
export type Folds = ReadonlyMap<SpanNode, Fold>;

export type WaterfallRow =
  | { readonly kind: 'span'; readonly node: SpanNode; readonly depth: number }
  | { readonly kind: 'fold'; readonly fold: Fold; readonly depth: number };

/** Finds the repeated siblings of a trace, such as the same query once per item of a cart. */
export function foldsOf(roots: readonly SpanNode[]): Folds {
  const folds = new Map<SpanNode, Fold>();
  const families: (readonly SpanNode[])[] = [roots];
  for (let siblings = families.pop(); siblings; siblings = families.pop()) {
    for (const node of siblings) if (node.children.length > 0) families.push(node.children);
    if (siblings.length < FOLDED_FROM) continue;
    for (const nodes of groupAlike(siblings)) {
      const [first] = nodes;
      if (first === undefined || nodes.length < FOLDED_FROM) continue;
      const fold = {
        id: `fold of ${first.span.span_id}`,
        nodes,
        first,
        end: nodes.reduce((latest, node) => Math.max(latest, node.offset + node.duration), 0),
        total: nodes.reduce((sum, node) => sum + node.duration, 0),
        errors: nodes.reduce((sum, node) => sum + node.errorsBelow + (isError(node.span) ? 1 : 0), 0),
      };
      for (const node of nodes) folds.set(node, fold);
    }
  }
  return folds;
}

function groupAlike(siblings: readonly SpanNode[]): SpanNode[][] {
  const groups = new Map<string, SpanNode[]>();
  for (const node of siblings) {
    const key = JSON.stringify([node.span.service, node.span.name, node.span.kind]);
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()];
}

/**
 * The rows of the waterfall from top to bottom. A fold stands where its first span is; in an opened one, its spans
 * follow it, one level deeper. Descendants of collapsed spans are left out.
 */
export function waterfallRows(
  roots: readonly SpanNode[],
  folds: Folds,
  { collapsed, opened }: { collapsed: ReadonlySet<string>; opened: ReadonlySet<string> },
): WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const stack: { node: SpanNode; depth: number; inFold: boolean }[] = [];
  const push = (nodes: readonly SpanNode[], depth: number, inFold: boolean) => {
    for (const node of nodes.toReversed()) stack.push({ node, depth, inFold });
  };
  push(roots, 0, false);
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth, inFold } = next;
    const fold = inFold ? undefined : folds.get(node);
    if (fold !== undefined) {
      if (fold.first !== node) continue;
      rows.push({ kind: 'fold', fold, depth });
      if (opened.has(fold.id)) push(fold.nodes, depth + 1, true);
      continue;
    }
    rows.push({ kind: 'span', node, depth });
    if (!collapsed.has(node.span.span_id)) push(node.children, depth + 1, false);
  }
  return rows;
}

/** The folds that must be open for a span to be visible. */
export function foldsAround(node: SpanNode, folds: Folds): string[] {
  const ids: string[] = [];
  for (let at: SpanNode | null = node; at; at = at.parent) {
    const fold = folds.get(at);
    if (fold !== undefined) ids.push(fold.id);
  }
  return ids;
}

/** Where a trace began to fail: the earliest failed span without failed spans below it. */
export function firstFailure(nodes: readonly SpanNode[]): SpanNode | undefined {
  let first: SpanNode | undefined;
  for (const node of nodes) {
    if (!isError(node.span) || node.errorsBelow > 0) continue;
    if (first === undefined || node.offset < first.offset) first = node;
  }
  return first;
}

/**
 * The failed span after or before the selected one in the order of the waterfall, from the last on to the first again.
 * Without a selection, the first or the last.
 * @param nodes all spans in the order of the waterfall
 */
export function nextError(
  nodes: readonly SpanNode[],
  selected: string | undefined,
  direction: 'next' | 'previous',
): SpanNode | undefined {
  const at = nodes.findIndex(({ span }) => span.span_id === selected);
  const errors = nodes.map((node, index) => ({ node, index })).filter(({ node }) => isError(node.span));
  if (direction === 'next') return (errors.find(({ index }) => index > at) ?? errors[0])?.node;
  return (errors.findLast(({ index }) => at !== -1 && index < at) ?? errors.at(-1))?.node;
}
