/** A node of a folded tree in pre-order: its parent comes before it. `base…` is the baseline of a comparison. */
export interface FlameNode {
  parent: number | null;
  name: string;
  file: string;
  self: number;
  total: number;
  base_total?: number;
}

/** Where a node is drawn: row from the root, left edge and width as shares (0 to 1) of the graph. */
export interface FlameBox {
  index: number;
  depth: number;
  left: number;
  width: number;
}

/** The weight that determines a node's width; in a comparison the larger side, so that nothing vanishes. */
function weight(node: FlameNode): number {
  return Math.max(node.total, node.base_total ?? 0);
}

/**
 * Lays out a tree. With `zoom`, the node at that index and its ancestors fill the width, and nodes not below it are
 * omitted. Boxes narrower than `least` (a share) are omitted with their descendants.
 */
export function layoutFlame(nodes: readonly FlameNode[], zoom: number | null = null, least = 0): FlameBox[] {
  const ancestors = zoom === null ? new Set<number>() : lineOf(nodes, zoom);
  const boxes: FlameBox[] = [];
  // For each node: its box, and where its next child starts; null if it is not drawn.
  const placed: ({ depth: number; left: number; width: number; next: number } | null)[] = [];
  const roots = nodes.reduce((sum, node) => sum + (node.parent === null ? weight(node) : 0), 0);
  let nextRoot = 0;
  nodes.forEach((node, index) => {
    const parent = node.parent === null ? null : placed[node.parent];
    if (parent === null && node.parent !== null) {
      placed.push(null);
      return;
    }
    const depth = parent ? parent.depth + 1 : 0;
    let box: { depth: number; left: number; width: number };
    if (ancestors.has(index)) {
      box = { depth, left: 0, width: 1 };
    } else if (zoom !== null && (node.parent === null || (ancestors.has(node.parent) && node.parent !== zoom))) {
      placed.push(null);
      return;
    } else {
      const above = node.parent === null ? undefined : nodes[node.parent];
      const whole = above ? Math.max(weight(above), childSum(nodes, node.parent)) : roots;
      const width = whole === 0 ? 0 : ((parent?.width ?? 1) * weight(node)) / whole;
      const left = parent ? parent.next : nextRoot;
      if (parent) parent.next += width;
      else nextRoot += width;
      box = { depth, left, width };
    }
    if (box.width < least || box.width === 0) {
      placed.push(null);
      return;
    }
    placed.push({ ...box, next: box.left });
    boxes.push({ index, ...box });
  });
  return boxes;
}

const sums = new WeakMap<readonly FlameNode[], number[]>();

/** Total weight of the children of each node: in a comparison it can exceed the node's own. */
function childSum(nodes: readonly FlameNode[], index: number | null): number {
  if (index === null) return 0;
  let known = sums.get(nodes);
  if (!known) {
    known = new Array<number>(nodes.length).fill(0);
    for (const node of nodes) if (node.parent !== null) known[node.parent] = (known[node.parent] ?? 0) + weight(node);
    sums.set(nodes, known);
  }
  return known[index] ?? 0;
}

/** A node and its ancestors. */
function lineOf(nodes: readonly FlameNode[], index: number): Set<number> {
  const line = new Set<number>();
  for (let at: number | null | undefined = index; at !== null && at !== undefined; at = nodes[at]?.parent) line.add(at);
  return line;
}

export interface FunctionTotal {
  name: string;
  file: string;
  self: number;
  /** A recursive function counts once, from its outermost call. */
  total: number;
}

/** The functions of a tree by self weight, largest first. */
export function functionTotals(nodes: readonly FlameNode[]): FunctionTotal[] {
  const byName = new Map<string, FunctionTotal>();
  nodes.forEach((node, index) => {
    const entry = byName.get(node.name) ?? { name: node.name, file: node.file, self: 0, total: 0 };
    entry.self += node.self;
    if (!isInside(nodes, index)) entry.total += node.total;
    byName.set(node.name, entry);
  });
  return [...byName.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}

/** Whether a node runs below another call of the same function. */
function isInside(nodes: readonly FlameNode[], index: number): boolean {
  const name = nodes[index]?.name;
  for (let at = nodes[index]?.parent; at !== null && at !== undefined; at = nodes[at]?.parent)
    if (nodes[at]?.name === name) return true;
  return false;
}

/** Share of the whole that runs in functions whose name or file contains a text; nested matches count once. */
export function matchedShare(nodes: readonly FlameNode[], search: string): number {
  const whole = nodes.reduce((sum, node) => sum + (node.parent === null ? node.total : 0), 0);
  const matched = nodes.map((node) => matches(node, search));
  let sum = 0;
  nodes.forEach((node, index) => {
    if (!matched[index]) return;
    for (let at = node.parent; at !== null && at !== undefined; at = nodes[at]?.parent ?? null) if (matched[at]) return;
    sum += node.total;
  });
  return whole === 0 ? 0 : sum / whole;
}

export function matches(node: FlameNode, search: string): boolean {
  const sought = search.trim().toLowerCase();
  return sought !== '' && `${node.name} ${node.file}`.toLowerCase().includes(sought);
}
