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
  /** `x` and `y` are the center of a node. */
  nodes: { node: N; x: number; y: number }[];
  /** `points` run from the border of the source to that of the target; `label` is where a text fits. */
  edges: { edge: E; points: Point[]; label: Point }[];
}

export const NODE = { width: 188, height: 56 } as const;
const LABEL = { width: 88, height: 18 } as const;

/** Places callers on the left of what they call. Omits calls between unknown nodes. */
export function placeMap<N extends MapNode, E extends MapEdge>(nodes: readonly N[], edges: readonly E[]): Placed<N, E> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 34, edgesep: 16, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map((node) => node.id));
  for (const node of nodes) graph.setNode(node.id, { ...NODE });
  const drawn = edges.filter((edge) => known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target);
  for (const edge of drawn) graph.setEdge(edge.source, edge.target, { ...LABEL, labelpos: 'c' });
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: nodes.map((node) => ({ node, ...pointOf(graph.node(node.id)) })),
    edges: drawn.map((edge) => {
      const placed = graph.edge(edge.source, edge.target) as { points?: Point[]; x?: number; y?: number };
      return { edge, points: placed.points ?? [], label: pointOf(placed) };
    }),
  };
}

function pointOf(placed: { x?: number | undefined; y?: number | undefined }): Point {
  return { x: placed.x ?? 0, y: placed.y ?? 0 };
}

/** A smooth path through points: straight to the first middle, then curves from middle to middle. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  let path = `M${place(first)}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const [control, next] = [rest[i], rest[i + 1]];
    if (!control || !next) continue;
    const end = i === rest.length - 2 ? next : { x: (control.x + next.x) / 2, y: (control.y + next.y) / 2 };
    path += `Q${place(control)} ${place(end)}`;
  }
  return rest.length === 1 ? `${path}L${place(last)}` : path;
}

function place({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
