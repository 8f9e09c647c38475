import { Graph, layout } from '@dagrejs/dagre';

export interface MapNode {
  id: string;
}
export interface MapEdge {
  source: string;
  target: string;
}

export interface Point {
  x: number;
  y: number;
}

/** Positions in pixels from the upper left corner. */
export interface Placed<N, E> {
  width: number;
  height: number;
  nodeWidth: number;
  /** `x` and `y` are the center of a node. */
  nodes: { node: N; x: number; y: number }[];
  /** `points` run from the border of the source to that of the target; see `curve`. `label` is where a text fits. */
  edges: { edge: E; points: Point[]; label: Point }[];
}

export const NODE = { width: 172, height: 52 } as const;

/** Gaps between layers and widths of nodes, the widest first: the map takes the first with which it fits. */
const SIZES = [
  { gap: 120, node: NODE.width },
  { gap: 88, node: NODE.width },
  { gap: 60, node: NODE.width },
  { gap: 40, node: NODE.width },
  { gap: 36, node: 150 },
  { gap: 28, node: 138 },
] as const;

/** `placeMap` with the widest gaps that fit into a width; text never shrinks, so a map that is wider yet scrolls. */
export function fitMap<N extends MapNode, E extends MapEdge>(
  nodes: readonly N[],
  edges: readonly E[],
  width: number,
): Placed<N, E> {
  for (const size of SIZES) {
    const map = placeMap(nodes, edges, size);
    if (map.width <= width) return map;
  }
  return placeMap(nodes, edges, SIZES[SIZES.length - 1]);
}

/**
 * Places callers on the left of what they call, in layers `gap` pixels apart. Omits calls between unknown nodes.
 *
 * An edge never passes behind a node: within a layer it runs straight, at a height that the layout keeps free for it, and
 * it changes its height only in the gaps between layers, where no nodes are.
 */
export function placeMap<N extends MapNode, E extends MapEdge>(
  nodes: readonly N[],
  edges: readonly E[],
  { gap, node: nodeWidth }: { readonly gap: number; readonly node: number } = SIZES[0],
): Placed<N, E> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: gap, edgesep: 20, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map((node) => node.id));
  for (const node of nodes) graph.setNode(node.id, { width: nodeWidth, height: NODE.height });
  const drawn = edges.filter((edge) => known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target);
  for (const edge of drawn) graph.setEdge(edge.source, edge.target, {});
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  const centres = new Map(nodes.map((node) => [node.id, pointOf(graph.node(node.id))]));
  const layers = [...new Set([...centres.values()].map(({ x }) => Math.round(x)))];
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodeWidth,
    nodes: nodes.map((node) => ({ node, ...(centres.get(node.id) ?? { x: 0, y: 0 }) })),
    edges: drawn.map((edge) => {
      const placed = graph.edge(edge.source, edge.target) as { points?: Point[] };
      const points = route(
        centres.get(edge.source) ?? { x: 0, y: 0 },
        (placed.points ?? []).slice(1, -1),
        centres.get(edge.target) ?? { x: 0, y: 0 },
        { layers, nodeWidth },
      );
      return { edge, points, label: middleOf(points) };
    }),
  };
}

/** The way of an edge: straight through each layer between its ends, at the height of its bend there. */
function route(
  from: Point,
  bends: readonly Point[],
  to: Point,
  { layers, nodeWidth }: { readonly layers: readonly number[]; readonly nodeWidth: number },
): Point[] {
  const side = (nodeWidth / 2) * (to.x >= from.x ? 1 : -1);
  const through = bends
    .filter((bend) => layers.includes(Math.round(bend.x)))
    .flatMap(({ x, y }) => [
      { x: x - side, y },
      { x: x + side, y },
    ]);
  return [{ x: from.x + side, y: from.y }, ...through, { x: to.x - side, y: to.y }];
}

/** The middle of the longest change of height, or of the first stretch. */
function middleOf(points: readonly Point[]): Point {
  let best = { x: points[0]?.x ?? 0, y: points[0]?.y ?? 0 };
  let longest = -1;
  points.forEach((point, index) => {
    const next = points[index + 1];
    if (next === undefined || index % 2 === 1) return;
    const change = Math.abs(next.y - point.y);
    if (change <= longest) return;
    longest = change;
    best = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
  });
  return best;
}

function pointOf(placed: { x?: number | undefined; y?: number | undefined }): Point {
  return { x: placed.x ?? 0, y: placed.y ?? 0 };
}

/** A smooth path that leaves and reaches each point horizontally, so it stays within the box of each two points. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first || rest.length === 0) return '';
  let path = `M${place(first)}`;
  let last = first;
  for (const point of rest) {
    const middle = (last.x + point.x) / 2;
    path +=
      point.y === last.y
        ? `L${place(point)}`
        : `C${place({ x: middle, y: last.y })} ${place({ x: middle, y: point.y })} ${place(point)}`;
    last = point;
  }
  return path;
}

function place({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
