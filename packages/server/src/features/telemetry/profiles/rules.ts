import { fail } from '../../../platform/fail.ts';
import { complete, type Steps } from '../../../platform/steps.ts';

/** A function in a stack. */
export interface Frame {
  readonly name: string;
  readonly file: string;
}

/** A call stack and its cost in each window. */
export interface Stack {
  /** The root first. */
  readonly frames: readonly Frame[];
  readonly values: readonly number[];
}

/** A node of a folded tree; `self` and `total` have one value for each window. */
export interface FlameNode extends Frame {
  /** Index of the parent in the list; null for a root. */
  readonly parent: number | null;
  readonly self: readonly number[];
  readonly total: readonly number[];
}

export const otherName = '(other)';
const unknownName = '(unknown)';

interface Growing {
  readonly frame: Frame;
  readonly children: Map<string, Growing>;
  readonly self: number[];
  readonly total: number[];
}

function grow(frame: Frame, windows: number): Growing {
  const zeros = () => Array.from({ length: windows }, () => 0);
  return { frame, children: new Map(), self: zeros(), total: zeros() };
}

function add(to: number[], values: readonly number[]): void {
  for (const [at, value] of values.entries()) to[at] = (to[at] ?? 0) + value;
}

/**
 * Folds stacks into a tree: stacks with a common prefix share its nodes. The list is in pre-order with the largest
 * total first among siblings (then by name). The totals of the roots sum to those of the stacks, and a node's total is
 * its self plus its children's totals. If there are more than `maxNodes`, the smallest branches among siblings are
 * merged into one `(other)` each.
 */
export function fold(stacks: Iterable<Stack>, options: { windows: number; maxNodes: number }): Folded {
  return complete(folding(stacks, options));
}

export interface Folded {
  readonly total: readonly number[];
  readonly nodes: readonly FlameNode[];
}

/** A larger tree is rejected, since it would not fit into the memory of a server. */
const maxGrown = 500_000;

/** {@link fold} in steps, so that a large tree does not block. Throws `QUERY_TOO_EXPENSIVE`. */
export function* folding(
  stacks: Iterable<Stack>,
  { windows, maxNodes }: { windows: number; maxNodes: number },
): Steps<Folded> {
  const root = grow({ name: '', file: '' }, windows);
  let grown = 0;
  for (const { frames, values } of stacks) {
    yield;
    add(root.total, values);
    let node = root;
    for (const frame of frames.length > 0 ? frames : [{ name: unknownName, file: '' }]) {
      const key = `${frame.name}\0${frame.file}`;
      let child = node.children.get(key);
      if (child === undefined) {
        child = grow({ name: frame.name || unknownName, file: frame.file }, windows);
        node.children.set(key, child);
        if (++grown > maxGrown)
          throw fail('QUERY_TOO_EXPENSIVE', {
            reason: `the tree has more than ${maxGrown} nodes; narrow the time window or choose a service`,
          });
      }
      add(child.total, values);
      node = child;
    }
    add(node.self, values);
  }
  const smallest = yield* smallestKept(root, maxNodes);
  return { total: root.total, nodes: yield* flatten(root, smallest) };
}

/** The weight of a branch when choosing which to draw: its largest share in any window. */
function weightOf(node: Growing, whole: readonly number[]): number {
  return Math.max(
    ...node.total.map((value, at) => (whole[at] === 0 || whole[at] === undefined ? 0 : Math.abs(value / whole[at]))),
  );
}

/** The smallest weight of a drawn branch, so that at most `maxNodes` are drawn. */
function* smallestKept(root: Growing, maxNodes: number): Steps<number> {
  const weights: number[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield;
    for (const child of node.children.values()) {
      weights.push(weightOf(child, root.total));
      waiting.push(child);
    }
  }
  if (weights.length <= maxNodes) return 0;
  const ascending = Float64Array.from(weights).sort();
  // Branches of exactly the same weight as the first one left out are left out too.
  return next(ascending[ascending.length - 1 - maxNodes] ?? 0);
}

/** The smallest double above a positive one. */
function next(value: number): number {
  return value * (1 + Number.EPSILON) + Number.MIN_VALUE;
}

function* flatten(root: Growing, smallest: number): Steps<FlameNode[]> {
  const nodes: FlameNode[] = [];
  // Depth first without recursion: stacks of a thousand frames are common in some languages.
  const waiting: { node: Growing; parent: number | null }[] = [];
  const push = (parent: Growing, place: number | null) => {
    const { kept, other } = divide(parent, root.total, smallest);
    if (other !== undefined) waiting.push({ node: other, parent: place });
    for (const node of kept.reverse()) waiting.push({ node, parent: place });
  };
  push(root, null);
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    yield;
    const { node, parent } = item;
    nodes.push({ ...node.frame, parent, self: node.self, total: node.total });
    push(node, nodes.length - 1);
  }
  return nodes;
}

function divide(parent: Growing, whole: readonly number[], smallest: number) {
  const kept: Growing[] = [];
  let other: Growing | undefined;
  for (const child of parent.children.values()) {
    if (weightOf(child, whole) >= smallest) {
      kept.push(child);
      continue;
    }
    other ??= grow({ name: otherName, file: '' }, whole.length);
    add(other.total, child.total);
    add(other.self, child.total);
  }
  const size = (node: Growing) => node.total.reduce((sum, value) => sum + value, 0);
  kept.sort((a, b) => size(b) - size(a) || compare(a.frame.name, b.frame.name) || compare(a.frame.file, b.frame.file));
  return { kept, other };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The callers and callees of a function: for each stack that contains it, from its outermost call, the path down to the
 * leaf and the path up to the root, both starting at the function.
 */
export function aroundFunction(stacks: Iterable<Stack>, name: string): { callers: Stack[]; callees: Stack[] } {
  const callers: Stack[] = [];
  const callees: Stack[] = [];
  for (const { frames, values } of stacks) {
    const at = frames.findIndex((frame) => frame.name === name);
    if (at < 0) continue;
    // The function is a single root node of both, whatever file a build names.
    const here = { name, file: frames[at]?.file ?? '' };
    callees.push({ frames: [here, ...frames.slice(at + 1)], values });
    callers.push({ frames: [here, ...frames.slice(0, at).reverse()], values });
  }
  return { callers, callees };
}

/** The cost of the function itself: the values of stacks whose leaf it is. */
export function selfOf(stacks: Iterable<Stack>, name: string): number {
  let sum = 0;
  for (const { frames, values } of stacks) if (frames.at(-1)?.name === name) sum += values[0] ?? 0;
  return sum;
}

/** `cpu:nanoseconds` is in nanoseconds; a type without a unit is a count. */
export function unitOf(profileType: string): string {
  const colon = profileType.lastIndexOf(':');
  return colon < 0 ? 'count' : profileType.slice(colon + 1);
}
