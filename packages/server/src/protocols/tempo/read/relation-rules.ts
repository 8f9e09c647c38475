import type { LogicalOperator, SpansetOperator } from './traceql/tree.ts';

type StructuralOperator = Exclude<SpansetOperator, LogicalOperator>;
type Relation = '>' | '>>' | '<' | '<<' | '~';

/** The places of the parents of spans; -1: none, or it is not there. */
export interface TraceTree {
  readonly parents: Int32Array;
}

/** Of spans with one id, the first one is the parent of those that name it. */
export function treeOf(spans: readonly { readonly id: string; readonly parent: string | null }[]): TraceTree {
  const places = new Map<string, number>();
  for (const [i, { id }] of spans.entries()) if (!places.has(id)) places.set(id, i);
  const parents = Int32Array.from(spans, ({ parent }, i) => {
    const place = parent === null ? -1 : (places.get(parent) ?? -1);
    return place === i ? -1 : place;
  });
  return { parents };
}

const inverse: Readonly<Record<Relation, Relation>> = { '>': '<', '<': '>', '>>': '<<', '<<': '>>', '~': '~' };

/** The spans on the right that are in a relation with one on the left; with `!`, in none; with `&`, and their partners. */
export function relatedSpans(
  operator: StructuralOperator,
  left: readonly number[],
  right: readonly number[],
  tree: TraceTree,
): number[] {
  const relation = operator.replace(/^[!&]/, '') as Relation;
  const isRelated = relatedTo(relation, left, tree);
  if (operator.startsWith('!')) return right.filter((span) => !isRelated(span));
  const found = right.filter(isRelated);
  if (!operator.startsWith('&')) return found;
  const partners = left.filter(relatedTo(inverse[relation], right, tree));
  return [...new Set([...partners, ...found])].sort((a, b) => a - b);
}

function relatedTo(relation: Relation, left: readonly number[], { parents }: TraceTree): (span: number) => boolean {
  const isLeft = new Uint8Array(parents.length);
  for (const span of left) isLeft[span] = 1;
  switch (relation) {
    case '>':
      return (span) => isLeft[parents[span] ?? -1] === 1;
    case '<': {
      const isParent = new Uint8Array(parents.length);
      for (const span of left) if ((parents[span] ?? -1) >= 0) isParent[parents[span] ?? 0] = 1;
      return (span) => isParent[span] === 1;
    }
    case '~': {
      const children = new Int32Array(parents.length);
      for (const span of left) {
        const parent = parents[span] ?? -1;
        if (parent >= 0) children[parent] = (children[parent] ?? 0) + 1;
      }
      // A span is no sibling of itself.
      return (span) => {
        const parent = parents[span] ?? -1;
        return parent >= 0 && (children[parent] ?? 0) > (isLeft[span] ?? 0);
      };
    }
    case '<<': {
      const isAncestor = new Uint8Array(parents.length);
      for (const span of left)
        for (let up = parents[span] ?? -1; up >= 0 && isAncestor[up] === 0; up = parents[up] ?? -1) isAncestor[up] = 1;
      return (span) => isAncestor[span] === 1;
    }
    case '>>':
      return descendants(isLeft, parents);
  }
}

/** Each span is looked at once: `known` is 1 below a span on the left, 2 elsewhere. */
function descendants(isLeft: Uint8Array, parents: Int32Array): (span: number) => boolean {
  const known = new Uint8Array(parents.length);
  return (span) => {
    const path: number[] = [];
    let at = span;
    // What is on the path counts as not below, so that a cycle of parents ends.
    while (at >= 0 && known[at] === 0) {
      known[at] = 2;
      path.push(at);
      at = parents[at] ?? -1;
    }
    let below = at >= 0 && known[at] === 1;
    for (const one of path.reverse()) {
      const parent = parents[one] ?? -1;
      below = below || (parent >= 0 && isLeft[parent] === 1);
      known[one] = below ? 1 : 2;
    }
    return known[span] === 1;
  };
}

/** Numbers of a walk through the tree: a span's descendants have those between its own two. */
export function nestedSets({ parents }: TraceTree) {
  const children = new Map<number, number[]>();
  for (const [span, parent] of parents.entries()) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [span]);
    else siblings.push(span);
  }
  const left = new Int32Array(parents.length);
  const right = new Int32Array(parents.length);
  let next = 1;
  // A span is entered, and left after its children; `~span` is the way out.
  const open = [...(children.get(-1) ?? [])].reverse();
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    if (span < 0) right[~span] = next++;
    else {
      left[span] = next++;
      open.push(~span, ...[...(children.get(span) ?? [])].reverse());
    }
  }
  return { left, right, parent: (span: number) => ((parents[span] ?? -1) < 0 ? -1 : (left[parents[span] ?? 0] ?? 0)) };
}
