import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { type ColourScheme, serviceColour } from '../../ui/colours.ts';
import { isError, type SpanNode } from './trace-tree.ts';
import classes from './waterfall.module.css';

/** A part of the trace that the waterfall shows, in nanoseconds from its start. */
export interface View {
  from: number;
  to: number;
}

/** A dragged part is at least this share of the trace, so that a click is not a zoom. */
const MIN_SHARE = 0.004;

/** The whole trace at a glance; dragging zooms the waterfall into a part of it, a double click shows all again. */
export function Minimap({
  rows,
  duration,
  view,
  onView,
  scheme,
}: {
  rows: readonly SpanNode[];
  duration: number;
  view: View;
  onView: (view: View) => void;
  scheme: ColourScheme;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const draw = () => paint(element, rows, duration, scheme);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [rows, duration, scheme]);

  const finish = () => {
    if (drag) {
      const { from, to } = spanOf(drag);
      if (to - from > MIN_SHARE) onView({ from: from * duration, to: to * duration });
    }
    setDrag(null);
  };
  const brush = drag ? spanOf(drag) : { from: view.from / duration, to: view.to / duration };
  const whole = !drag && view.from === 0 && view.to === duration;
  return (
    <div
      className={classes.minimap}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ start: share(event), end: share(event) });
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, end: share(event) });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={() => onView({ from: 0, to: duration })}
      aria-hidden
    >
      <canvas ref={canvas} />
      {!whole && (
        <div
          className={classes.brush}
          style={{ left: `${brush.from * 100}%`, width: `${(brush.to - brush.from) * 100}%` }}
        />
      )}
    </div>
  );
}

/** Where the pointer is, as a share (0 to 1) of the width of the map. */
function share(event: PointerEvent<HTMLElement>): number {
  const box = event.currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
}

function spanOf({ start, end }: { start: number; end: number }): View {
  return { from: Math.min(start, end), to: Math.max(start, end) };
}

function paint(element: HTMLCanvasElement, rows: readonly SpanNode[], duration: number, scheme: ColourScheme): void {
  const ratio = devicePixelRatio;
  const width = element.clientWidth;
  const height = element.clientHeight;
  element.width = Math.round(width * ratio);
  element.height = Math.round(height * ratio);
  const context = element.getContext('2d');
  if (!context || rows.length === 0) return;
  context.scale(ratio, ratio);
  const lane = (height - 8) / rows.length;
  const thickness = Math.max(1, Math.min(3, lane * 0.8));
  const errors: SpanNode[] = [];
  rows.forEach((node, index) => {
    if (isError(node.span)) errors.push(node);
    context.fillStyle = serviceColour(node.span.service, scheme);
    context.fillRect(
      (node.offset / duration) * width,
      4 + index * lane,
      Math.max(1, (node.duration / duration) * width),
      thickness,
    );
  });
  // Errors last and along the lower edge, so that they are visible among any number of spans.
  context.fillStyle = scheme === 'dark' ? '#ff7b81' : '#c02632';
  for (const node of errors)
    context.fillRect((node.offset / duration) * width, height - 3, Math.max(2, (node.duration / duration) * width), 3);
}
