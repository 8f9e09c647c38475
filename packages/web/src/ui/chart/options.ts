import uPlot from 'uplot';
import type { ColourScheme } from '../colours.ts';
import { LOCAL, type TimeZone } from '../format/zone.ts';
import { timeAxisSize, timeTicks, valueRange } from './axis.ts';
import type { Mark, MarkTone } from './marks.tsx';
import { partialPaths } from './partial.ts';
import { isolatedPoints, type Series } from './series.ts';

/** Of the surface below a line, in hexadecimal: lower series stay visible. */
const AREA_OPACITY = '2e';
const FONT = '11px Inter, system-ui, sans-serif';

const INK: Record<ColourScheme, { grid: string; label: string }> = {
  light: { grid: '#e7eaef', label: '#566170' },
  dark: { grid: '#232a34', label: '#9aa5b4' },
};

/** The meaning colours, for canvases. */
const TONES: Record<ColourScheme, Record<MarkTone, string>> = {
  light: { neutral: '#566170', accent: '#4650cf', ok: '#157347', error: '#c02632' },
  dark: { neutral: '#9aa5b4', accent: '#98a2f4', ok: '#52c78f', error: '#ff7b81' },
};

/** The time range of a chart, in epoch milliseconds. */
export interface ChartWindow {
  from: number;
  to: number;
  /** Times of points that stand for only part of their time bucket: drawn dashed or pale. */
  partial?: readonly number[];
}

interface ChartRequest {
  element: HTMLElement;
  series: readonly Series[];
  kind: 'line' | 'area' | 'points' | 'bars';
  format: (value: number) => string;
  height: number;
  window: ChartWindow | undefined;
  syncKey: string | undefined;
  onHover: (hover: { index: number; left: number; top: number; width: number } | null) => void;
  onZoom: (from: number, to: number) => void;
  /** Called after each drawing; its scales convert times and values to positions. */
  onDraw?: ((plot: uPlot) => void) | undefined;
  marks?: readonly Mark[] | undefined;
  /** A value that the scale contains whatever the series are. */
  include?: number | undefined;
  /** Ends of the value axis; by default what the series need. */
  min?: number | undefined;
  max?: number | undefined;
  /** Pixels for the labels of the value axis; by default what they need. */
  axisWidth?: number | undefined;
  scheme: ColourScheme;
  /** The zone in whose hours and days the time axis is divided. */
  zone: TimeZone;
}

/** uPlot's options for a chart. */
export function chartOptions(given: ChartRequest): uPlot.Options {
  const { element, kind, height, window } = given;
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.82, 40], align: 1 }) : undefined;
  const builder = kind === 'points' ? undefined : (bars ?? uPlot.paths.linear?.());
  const partial =
    builder && window?.partial?.length ? partialPaths(bars ? 'bars' : 'lines', builder, window.partial) : undefined;
  return {
    width: Math.max(80, element.clientWidth),
    height,
    ms: 1,
    ...(given.zone !== LOCAL && { tzDate: (time: number) => uPlot.tzDate(new Date(time), given.zone) }),
    legend: { show: false },
    // Space for half of a time label at the right.
    padding: [8, 18, 0, 0],
    focus: { alpha: 0.15 },
    cursor: {
      y: false,
      move: (plot, left, top) => [onData(plot, left), top],
      points: { show: kind !== 'bars', size: 7 },
      drag: { x: true, y: false, setScale: false },
      ...(given.syncKey !== undefined && { sync: { key: given.syncKey, setSeries: false } }),
    },
    scales: {
      x: { time: true, ...(window && { range: () => [window.from, window.to] as [number, number] }) },
      y: {
        range: (_plot, min, max) => {
          const fit = valueRange(...withValue(min, max, given.include));
          const [least, most] = [given.min ?? fit[0], given.max ?? fit[1]];
          return least < most ? [least, most] : fit;
        },
      },
    },
    axes: axesOf(given),
    series: [{}, ...given.series.map((entry) => seriesOf(entry, kind, bars, partial?.paths))],
    hooks: {
      ...(partial && { drawSeries: [partial.drawSeries] }),
      draw: [
        ...(given.marks?.length ? [(plot: uPlot) => drawMarks(plot, given.marks ?? [], TONES[given.scheme])] : []),
        ...(given.onDraw ? [given.onDraw] : []),
      ],
      setCursor: [(plot) => given.onHover(hoverOf(plot, element.clientWidth))],
      setSelect: [(plot) => zoomToSelection(plot, given.onZoom)],
    },
  };
}

function axesOf({ scheme, format, axisWidth }: ChartRequest): uPlot.Axis[] {
  const ink = INK[scheme];
  return [
    {
      font: FONT,
      stroke: ink.label,
      grid: { show: false },
      ticks: { show: true, stroke: ink.grid, width: 1, size: 4 },
      border: { show: true, stroke: ink.grid, width: 1 },
      size: (_plot, labels) => timeAxisSize(labels),
      gap: 4,
      values: (_plot, ticks, _axis, _space, increment) => timeTicks(ticks, increment),
    },
    {
      font: FONT,
      stroke: ink.label,
      grid: { stroke: ink.grid, width: 1 },
      ticks: { show: false },
      size: (_plot, labels) => axisWidth ?? 16 + 6.5 * Math.max(3, ...(labels ?? []).map((label) => label.length)),
      gap: 6,
      space: 36,
      values: (_plot, ticks) => ticks.map((tick) => format(tick)),
    },
  ];
}

function seriesOf(
  entry: Series,
  kind: ChartRequest['kind'],
  bars: uPlot.Series.PathBuilder | undefined,
  partial: uPlot.Series.PathBuilder | undefined,
): uPlot.Series {
  return {
    label: entry.label,
    stroke: entry.colour,
    width: kind === 'bars' || kind === 'points' ? 0 : 1.5,
    spanGaps: false,
    ...(entry.dash && { dash: [...entry.dash] }),
    ...((partial || bars) && { paths: partial ?? bars }),
    ...(bars && { fill: entry.colour, points: { show: false } }),
    ...(kind === 'area' && { fill: `${entry.colour}${AREA_OPACITY}` }),
    ...(!bars && {
      points: {
        show: true,
        size: 4,
        fill: entry.colour,
        ...(kind !== 'points' && { filter: (plot, index) => isolatedPoints(plot.data[index] ?? []) }),
      },
    }),
  };
}

/** What the pointer is over; null if it is outside of the plot. Pixels. */
function hoverOf(plot: uPlot, width: number): Parameters<ChartRequest['onHover']>[0] {
  const { idx, left = -1, top = 0 } = plot.cursor;
  if (idx === null || idx === undefined || left < 0) return null;
  return { index: idx, left: left + plot.bbox.left / devicePixelRatio, top, width };
}

function zoomToSelection(plot: uPlot, zoom: (from: number, to: number) => void): void {
  const { left, width } = plot.select;
  if (width < 4) return;
  zoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** The crosshair stands at the time of the nearest values, never where there are none. Pixels from the left of the plot. */
function onData(plot: uPlot, left: number): number {
  const time = left < 0 ? undefined : plot.data[0][plot.posToIdx(left)];
  return time === undefined ? left : Math.max(0, plot.valToPos(time, 'x'));
}

/** A range with a value in it, and space above the value to drag it to. */
function withValue(min: number | null, max: number | null, value: number | undefined): [number | null, number | null] {
  if (value === undefined || !Number.isFinite(value)) return [min, max];
  return [Math.min(min ?? value, value), Math.max(max ?? value, value * 1.2)];
}

/** A dashed line at each marked time; what lasts is shaded. Buttons name them: labels in the plot would cover its lines. */
function drawMarks(plot: uPlot, marks: readonly Mark[], tones: Readonly<Record<MarkTone, string>>): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { time, end, tone = 'neutral' } of marks) {
    const x = Math.round(plot.valToPos(time, 'x', true));
    ctx.strokeStyle = tones[tone];
    ctx.fillStyle = tones[tone];
    if (end !== undefined) {
      const from = Math.max(x, bbox.left);
      ctx.globalAlpha = 0.1;
      ctx.fillRect(from, bbox.top, Math.min(plot.valToPos(end, 'x', true), right) - from, bbox.height);
      ctx.globalAlpha = 1;
    }
    if (x < bbox.left || x > right) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
