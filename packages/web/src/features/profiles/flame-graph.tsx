import { type MouseEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { hashName } from '../../ui/colours.ts';
import { formatPercent } from '../../ui/format/index.ts';
import { Button, useComputedColorScheme } from '../../ui/mantine.ts';
import { type FlameBox, type FlameNode, layoutFlame, matches } from './flame.ts';
import { packageOf } from './packages.ts';
import classes from './profiles.module.css';

const ROW = 19;
/** Boxes narrower than this many pixels are not visible. */
const LEAST = 0.6;
const NO_TREE: FlameBox[] = [];

interface FlameGraphProps {
  label: string;
  nodes: readonly FlameNode[];
  /** Total of all samples, the base of all shares. */
  total: number;
  /** Shows a comparison: colors distinguish increase from decrease. */
  baseTotal?: number;
  format: (value: number) => string;
  search: string;
  /** A function was double-clicked. */
  onPick?: (name: string) => void;
}

/** A flame graph on canvas: hover shows a frame's values, a click zooms into it, a double-click picks its function. */
export function FlameGraph(props: FlameGraphProps) {
  const { label, nodes, total, baseTotal, search, onPick } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  const width = useParentWidth(canvas);
  const [zoom, setZoom] = useState<number | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new tree starts at its root
  useEffect(() => {
    setZoom(null);
    setHover(null);
  }, [nodes]);
  const boxes = useMemo(
    () => (zoom !== null && zoom >= nodes.length ? NO_TREE : layoutFlame(nodes, zoom, LEAST / width)),
    [nodes, zoom, width],
  );
  const height = (1 + boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0)) * ROW;

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    draw(context, boxes, { nodes, total, baseTotal, search, width, height, scheme });
  }, [boxes, nodes, width, height, search, scheme, total, baseTotal]);

  const find = (event: MouseEvent<HTMLCanvasElement>) => frameAt(event, boxes, width);
  const pointed = hover ? nodes[hover.index] : undefined;
  return (
    <div className={classes.flame}>
      <canvas
        ref={canvas}
        className={classes.canvas}
        style={{ height }}
        role="img"
        aria-label={label}
        onMouseMove={(event) => setHover(find(event))}
        onMouseLeave={() => setHover(null)}
        onClick={(event) => {
          const found = find(event);
          if (found) setZoom(nodes[found.index]?.parent === null ? null : found.index);
        }}
        onDoubleClick={(event) => {
          const name = nodes[find(event)?.index ?? -1]?.name;
          if (name !== undefined) onPick?.(name);
        }}
      />
      {zoom !== null && (
        <div className={classes.reset}>
          <Button variant="default" size="xs" onClick={() => setZoom(null)}>
            Reset zoom
          </Button>
        </div>
      )}
      {hover && pointed && <Tooltip {...props} node={pointed} x={hover.x} y={hover.y} width={width} />}
    </div>
  );
}

/** How wide the parent of an element is, in pixels. */
function useParentWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1000);
  useEffect(() => {
    const element = ref.current?.parentElement;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

interface Drawing extends Pick<FlameGraphProps, 'nodes' | 'total' | 'search'> {
  baseTotal: number | undefined;
  width: number;
  height: number;
  scheme: 'light' | 'dark';
}

function draw(context: CanvasRenderingContext2D, boxes: readonly FlameBox[], drawing: Drawing): void {
  const { nodes, total, baseTotal, search, width, height, scheme } = drawing;
  context.canvas.width = width * devicePixelRatio;
  context.canvas.height = height * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.clearRect(0, 0, width, height);
  context.font = '11px "JetBrains Mono", monospace';
  context.textBaseline = 'middle';
  for (const box of boxes) {
    const node = nodes[box.index];
    if (!node) continue;
    const far = search.trim() !== '' && !matches(node, search);
    context.globalAlpha = far ? 0.25 : 1;
    context.fillStyle =
      baseTotal === undefined ? frameColour(node, scheme) : changeColour(node, total, baseTotal, scheme);
    context.fillRect(box.left * width, box.depth * ROW, Math.max(LEAST, box.width * width - 1), ROW - 1);
    const room = Math.floor((box.width * width - 8) / 6.7);
    if (room >= 3) {
      context.fillStyle = scheme === 'dark' ? '#e3e7ed' : '#171c24';
      context.fillText(
        node.name.length > room ? `${node.name.slice(0, room - 1)}…` : node.name,
        box.left * width + 4,
        box.depth * ROW + ROW / 2,
      );
    }
  }
  context.globalAlpha = 1;
}

/** The frame under the pointer, and where in the graph that is. */
function frameAt(event: MouseEvent<HTMLCanvasElement>, boxes: readonly FlameBox[], width: number) {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  const [x, y] = [event.clientX - left, event.clientY - top];
  const depth = Math.floor(y / ROW);
  const at = x / width;
  const box = boxes.find((one) => one.depth === depth && at >= one.left && at < one.left + one.width);
  return box ? { index: box.index, x, y } : null;
}

function Tooltip({
  node,
  total,
  baseTotal,
  format,
  x,
  y,
  width,
}: FlameGraphProps & { node: FlameNode; x: number; y: number; width: number }) {
  return (
    <div
      className={classes.tooltip}
      style={{
        top: y + 16,
        ...(x > width / 2 ? { right: width - x + 8 } : { left: x + 8 }),
      }}
    >
      <div className={classes.frame}>{node.name}</div>
      {node.file !== '' && <div className="dim">{node.file}</div>}
      {packageOf(node) !== '' && <div className="dim">package {packageOf(node)}</div>}
      <div>
        {format(node.total)}, {formatPercent(total === 0 ? 0 : node.total / total)} · self {format(node.self)}
      </div>
      {baseTotal !== undefined && (
        <div>
          before {format(node.base_total ?? 0)},{' '}
          {formatPercent(baseTotal === 0 ? 0 : (node.base_total ?? 0) / baseTotal)}
        </div>
      )}
    </div>
  );
}

/** A color for each package, a shade for each function; what belongs to no package is gray. */
function frameColour(node: FlameNode, scheme: 'light' | 'dark'): string {
  const owner = packageOf(node);
  if (owner === '' || node.name.startsWith('(')) return scheme === 'dark' ? '#3a4452' : '#d0d6de';
  const hue = (hashName(owner) % 24) * 15;
  const shade = hashName(node.name) % 7;
  return scheme === 'dark' ? `hsl(${hue} 36% ${28 + shade}%)` : `hsl(${hue} 68% ${74 + shade}%)`;
}

/** Red: a larger share than before; blue: a smaller one. The intensity grows with the change in share. */
function changeColour(node: FlameNode, total: number, baseTotal: number, scheme: 'light' | 'dark'): string {
  const share = total === 0 ? 0 : node.total / total;
  const before = baseTotal === 0 ? 0 : (node.base_total ?? 0) / baseTotal;
  const change = Math.max(-1, Math.min(1, (share - before) / Math.max(share, before, 1e-9)));
  const strength = Math.abs(change);
  const hue = change >= 0 ? 356 : 216;
  return scheme === 'dark'
    ? `hsl(${hue} ${Math.round(8 + 44 * strength)}% 32%)`
    : `hsl(${hue} ${Math.round(10 + 70 * strength)}% ${Math.round(88 - 14 * strength)}%)`;
}
