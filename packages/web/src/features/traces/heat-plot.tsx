import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { timeTicks } from '../../ui/chart/axis.ts';
import type { ColourScheme } from '../../ui/colours.ts';
import { formatDuration } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { useTimeZone } from '../../ui/time/use-time-zone.ts';
import { useClientSize } from '../../ui/use-client-size.ts';
import classes from './heat-map.module.css';
import { type Box, bandsOf, bandTicks, boxOf, clockTicks, type readHeat } from './heat-map.ts';

/** A drag of fewer pixels counts as a click. */
const DRAG = 6;
const INK = {
  light: { base: [70, 80, 207], error: [192, 38, 50], label: '#566170', grid: '#e7eaef' },
  dark: { base: [152, 162, 244], error: [255, 123, 129], label: '#9aa5b4', grid: '#232a34' },
} as const;
const AXIS = { left: 64, bottom: 22 } as const;

/** The heat map itself, on which a box can be dragged. */
export function HeatMap({
  cells,
  window,
  width: bucket,
  height,
  box,
  onBox,
}: {
  cells: ReturnType<typeof readHeat>;
  window: { from: number; to: number };
  width: number;
  height: number;
  box: Box | null;
  onBox: (box: Box) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  const zone = useTimeZone();
  const bands = useMemo(() => bandsOf(cells), [cells]);
  const width = useClientSize(canvas, 'clientWidth', 800);
  const scales = scalesOf(bands, window, width, height);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scales derive from the listed values
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    element.width = width * devicePixelRatio;
    element.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.clearRect(0, 0, width, height);
    drawAxes(context, scales, scheme);
    drawCells(context, scales, cells, bucket, scheme);
  }, [cells, bands, window.from, window.to, bucket, width, height, scheme, zone]);

  const dragging = useDrag(scales, (area) => onBox(boxOf(area, window, bands, bucket)));
  const drawn = dragging.drawn ?? (box && boxPlace(box, scales));
  return (
    <div className={classes.map} style={{ height }} {...dragging.handlers}>
      <canvas ref={canvas} className={classes.canvas} role="img" aria-label="Durations of spans over time" />
      {drawn && <div className={classes.box} style={drawn} />}
    </div>
  );
}

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The area that somebody drags, in pixels; `onEnd` gets it as shares (0 to 1) of the plot. */
function useDrag(
  { width, plotWidth, plotHeight }: Scales,
  onEnd: (area: { left: number; right: number; top: number; bottom: number }) => void,
) {
  const [drag, setDrag] = useState<{ x0: number; y0: number; x1: number; y1: number } | null>(null);
  const at = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return {
      x: Math.min(Math.max(event.clientX - left, AXIS.left), width),
      y: Math.min(Math.max(event.clientY - top, 0), plotHeight),
    };
  };
  const drawn: Area | null = drag && {
    left: Math.min(drag.x0, drag.x1),
    top: Math.min(drag.y0, drag.y1),
    width: Math.abs(drag.x1 - drag.x0),
    height: Math.abs(drag.y1 - drag.y0),
  };
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { x: x0, y: y0 } = at(event);
      setDrag({ x0, y0, x1: x0, y1: y0 });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const { x: x1, y: y1 } = at(event);
      setDrag((old) => old && { ...old, x1, y1 });
    },
    onPointerUp: () => {
      if (!drawn) return;
      setDrag(null);
      if (drawn.width < DRAG || drawn.height < DRAG) return;
      onEnd({
        left: (drawn.left - AXIS.left) / plotWidth,
        right: (drawn.left + drawn.width - AXIS.left) / plotWidth,
        top: drawn.top / plotHeight,
        bottom: (drawn.top + drawn.height) / plotHeight,
      });
    },
    onPointerCancel: () => setDrag(null),
  };
  return { drawn, handlers };
}

interface Scales {
  bands: ReturnType<typeof bandsOf>;
  window: { from: number; to: number };
  width: number;
  height: number;
  plotWidth: number;
  plotHeight: number;
  /** Pixels from the left, by a time in epoch milliseconds. */
  x: (time: number) => number;
  /** Pixels from the top, by the upper edge of a band. */
  y: (band: number) => number;
}

function scalesOf(bands: Scales['bands'], window: Scales['window'], width: number, height: number): Scales {
  const plotWidth = width - AXIS.left;
  const plotHeight = height - AXIS.bottom;
  const x = (time: number) => AXIS.left + ((time - window.from) / (window.to - window.from)) * plotWidth;
  const y = (band: number) => ((bands.high - band) / (bands.high - bands.low)) * plotHeight;
  return { bands, window, width, height, plotWidth, plotHeight, x, y };
}

function drawAxes(context: CanvasRenderingContext2D, scales: Scales, scheme: ColourScheme): void {
  const { bands, window, width, height, plotWidth, plotHeight, x, y } = scales;
  const ink = INK[scheme];
  context.font = '11px Inter, system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const { band, ns } of bandTicks(bands)) {
    context.fillStyle = ink.grid;
    context.fillRect(AXIS.left, Math.round(y(band)), plotWidth, 1);
    context.fillStyle = ink.label;
    context.textAlign = 'right';
    context.fillText(formatDuration(ns), AXIS.left - 8, Math.max(7, Math.min(y(band), plotHeight - 6)));
  }
  const { step, times } = clockTicks(window, Math.max(2, Math.floor(plotWidth / 90)));
  context.textAlign = 'center';
  for (const [index, label] of timeTicks(times, step).entries()) {
    const at = x(times[index] ?? 0);
    context.fillStyle = ink.grid;
    context.fillRect(Math.round(at), plotHeight, 1, 4);
    context.fillStyle = ink.label;
    const [clock = '', day] = label.split('\n');
    context.fillText(day ?? clock, Math.min(at, width - 20), height - 8);
  }
}

function drawCells(
  context: CanvasRenderingContext2D,
  { bands, window, width, plotWidth, plotHeight, x, y }: Scales,
  cells: ReturnType<typeof readHeat>,
  bucket: number,
  scheme: ColourScheme,
): void {
  const ink = INK[scheme];
  const rows = bands.high - bands.low;
  const most = Math.log1p(Math.max(...cells.map((cell) => cell.count)));
  const cellWidth = Math.max(1.5, (bucket / (window.to - window.from)) * plotWidth - 0.5);
  const cellHeight = Math.max(1.5, plotHeight / rows - 0.5);
  for (const { time, band, count, errors } of cells) {
    const [r, g, b] = ink.base.map((from, index) => Math.round(from + ((ink.error[index] ?? 0) - from) * errors));
    context.fillStyle = `rgba(${r}, ${g}, ${b}, ${0.18 + 0.82 * (Math.log1p(count) / most)})`;
    const left = Math.max(AXIS.left, x(time));
    context.fillRect(left, y(band + 1), Math.min(cellWidth - (left - x(time)), width - left), cellHeight);
  }
}

function boxPlace(box: Box, { x, y }: Scales): Area {
  const band = (ns: number) => Math.log10(ns / 1000) * 8;
  const left = Math.max(AXIS.left, x(box.from));
  return { left, top: y(band(box.max)), width: x(box.to) - left, height: y(band(box.min)) - y(band(box.max)) };
}
