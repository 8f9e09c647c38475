import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatNumber, formatTimestamp } from '../format/index.ts';
import { useComputedColorScheme, useMediaQuery } from '../mantine.ts';
import { useOneStop } from '../one-stop.ts';
import { PHONE } from '../screen.ts';
import { useTimeZone } from '../time/use-time-zone.ts';
import classes from './chart.module.css';
import { LegendTable } from './legend-table.tsx';
import { type Mark, MarkButtons, type MarkPlace, placesOf, useMarks } from './marks.tsx';
import { type ChartWindow, chartOptions } from './options.ts';
import { hoverEntries, type Series, stackSeries, summarize } from './series.ts';
import { type Threshold, ThresholdLine, type ValueScale } from './threshold-line.tsx';

export interface ChartProps {
  /** What the chart shows, for screen readers. */
  label: string;
  /** Epoch milliseconds, ascending, shared by all series. */
  times: readonly number[];
  series: readonly Series[];
  /** The whole window, so that empty ends show as empty. */
  window?: ChartWindow | undefined;
  /** `stack` draws stacked bars, the first series lowest: for counts that add up to a whole. */
  kind?: 'line' | 'area' | 'points' | 'bars' | 'stack';
  format?: (value: number) => string;
  height?: number;
  /** `table` lists last, mean and largest value of each series. */
  legend?: boolean | 'table';
  /** The legend shows the sum of each series, for counts, instead of its last value. */
  totals?: boolean;
  /** Called with epoch milliseconds when the user drags over a window. */
  onZoom?: (from: number, to: number) => void;
  /** Charts with the same key share their crosshair. */
  syncKey?: string;
  /** Marked times, drawn as dashed lines with buttons that name them; by default what happened on the page's project. */
  marks?: readonly Mark[] | undefined;
  dots?: readonly Dot[] | undefined;
  onDot?: (dot: Dot) => void;
  /** A line at a value, which the user can drag. */
  threshold?: Threshold | undefined;
  /** Lines at values that stay where they are; those outside of the scale are not drawn. */
  lines?: readonly Threshold[] | undefined;
  /** Ends of the value axis; by default what the series need. */
  min?: number | undefined;
  max?: number | undefined;
  /** Called with the index of the pointed time, or null; instead of a tooltip, for charts that share one readout. */
  onPoint?: ((index: number | null) => void) | undefined;
  /** Pixels for the labels of the value axis, so that charts below or beside each other align. By default what they need. */
  axisWidth?: number | undefined;
}

/** A single measurement drawn over a chart, which links to something. */
export interface Dot {
  key: string;
  /** Epoch milliseconds. */
  time: number;
  /** On the scale of the series; null is drawn at the lower edge. */
  value: number | null;
  label: string;
}

interface Place {
  x: number;
  y: number;
}

interface Hover {
  index: number;
  left: number;
  top: number;
  width: number;
}

const TOOLTIP_ROWS = 14;
/** Pixels of the row of marks below the plot of a phone. */
const MARK_ROW = 32;
const NO_DOTS: readonly Dot[] = [];
const NO_LINES: readonly Threshold[] = [];

/** A time chart: gaps are gaps, hovering lists every series by value, dragging selects a window. */
export function Chart({
  label,
  times,
  series,
  window,
  kind = 'line',
  format = formatNumber,
  height: givenHeight = 220,
  legend = true,
  totals = false,
  onZoom,
  syncKey,
  marks: ownMarks,
  dots = NO_DOTS,
  onDot,
  threshold,
  lines = NO_LINES,
  min,
  max,
  onPoint,
  axisWidth,
}: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<{ plot: uPlot; labels: readonly string[] } | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [scale, setScale] = useState<ValueScale | null>(null);
  const [marked, setMarked] = useState<{ left: number; places: readonly MarkPlace[] } | null>(null);
  const marks = useMarks(ownMarks, window);
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const below = isPhone && marks.length > 0;
  const height = givenHeight - (below ? MARK_ROW : 0);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const scheme = useComputedColorScheme();
  const zone = useTimeZone();
  const shown = useMemo(() => series.filter((entry) => !hidden.has(entry.label)), [series, hidden]);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const point = useRef(onPoint);
  point.current = onPoint;
  const include = threshold?.value;

  useEffect(() => {
    const element = container.current;
    if (!element) return;
    // The highest stack is drawn first, so that the lower ones cover it.
    const drawn = kind === 'stack' ? stackSeries(shown).reverse() : shown;
    const options = chartOptions({
      element,
      series: drawn,
      kind: kind === 'stack' ? 'bars' : kind,
      format,
      height,
      window,
      syncKey,
      onHover: (next) => (point.current ? point.current(next?.index ?? null) : setHover(next)),
      axisWidth,
      onZoom: (from, to) => zoom.current?.(from, to),
      scheme,
      zone,
      marks,
      include,
      min,
      max,
      onDraw: (plot) => {
        if (marks.length > 0) setMarked(markedOf(plot, marks, below ? 'finger' : 'pin'));
        if (dots.length > 0) setPlaces(dots.map((dot) => placeOf(plot, dot)));
        if (include !== undefined || lines.length > 0) setScale(scaleOf(plot));
      },
    });
    const data = [times, ...drawn.map((entry) => entry.values)] as unknown[] as uPlot.AlignedData;
    const plot = new uPlot(options, data, element);
    drawing.current = { plot, labels: drawn.map((entry) => entry.label) };
    const resize = new ResizeObserver(() => plot.setSize({ width: Math.max(80, element.clientWidth), height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      drawing.current = null;
      plot.destroy();
      setHover(null);
    };
  }, [
    times,
    shown,
    kind,
    format,
    height,
    window,
    syncKey,
    scheme,
    zone,
    marks,
    below,
    dots,
    include,
    lines,
    min,
    max,
    axisWidth,
  ]);

  /** Fades all series but one. */
  const highlight = (entry: string | null) => {
    const { plot, labels } = drawing.current ?? {};
    const at = entry === null ? -1 : (labels?.indexOf(entry) ?? -1);
    plot?.setSeries(at === -1 ? null : at + 1, { focus: at !== -1 });
  };

  return (
    <figure className={classes.chart} aria-label={describe(label, series, format)} style={{ margin: 0 }}>
      <div className={classes.plot} ref={container} style={{ height }} />
      {marks.length > 0 && marked && <MarkButtons {...marked} below={below} />}
      {dots.length > 0 && (
        <ul className={classes.dots} aria-label="Exemplars">
          {dots.map((dot, index) => {
            const place = places[index];
            return (
              place && (
                <li key={dot.key}>
                  <button
                    type="button"
                    className={classes.exemplar}
                    style={{ left: place.x, top: place.y }}
                    aria-label={dot.label}
                    title={dot.label}
                    onClick={() => onDot?.(dot)}
                  />
                </li>
              )
            );
          })}
        </ul>
      )}
      {threshold && scale && <ThresholdLine threshold={threshold} scale={scale} format={format} />}
      {scale &&
        lines
          .filter(({ value }) => value >= scale.min && value <= scale.max)
          .map((line) => <ThresholdLine key={line.value} threshold={line} scale={scale} format={format} />)}
      {hover && <Tooltip hover={hover} times={times} series={shown} format={format} />}
      {legend === 'table' && series.length > 0 && (
        <LegendTable
          chart={label}
          series={series}
          isolated={hidden.size > 0 && shown.length === 1 ? shown[0]?.label : undefined}
          format={format}
          onHover={highlight}
          onIsolate={(entry) => setHidden(toggle(series, hidden, entry, true))}
        />
      )}
      {legend === true && series.length > 0 && (
        <Legend
          series={series}
          hidden={hidden}
          totals={totals}
          format={format}
          onToggle={(entry, alone) => setHidden(toggle(series, hidden, entry, alone))}
        />
      )}
    </figure>
  );
}

/** Where marks are drawn. */
function markedOf(plot: uPlot, marks: readonly Mark[], size: 'pin' | 'finger') {
  const { left, width } = plot.bbox;
  const ratio = devicePixelRatio;
  return { left: left / ratio, places: placesOf(marks, (time) => plot.valToPos(time, 'x'), width / ratio, size) };
}

/** Where the value axis of a chart is drawn, in pixels. */
function scaleOf(plot: uPlot): ValueScale {
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio;
  const { min, max } = plot.scales.y ?? {};
  return {
    left: left / ratio,
    top: top / ratio,
    width: width / ratio,
    height: height / ratio,
    min: min ?? 0,
    max: max ?? 1,
  };
}

/** Position of a dot over a chart in pixels; a dot outside the scale is drawn at its edge. */
function placeOf(plot: uPlot, { time, value }: Dot): Place {
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio;
  const clamp = (position: number, size: number) => Math.min(Math.max(position, 0), size / ratio);
  return {
    x: left / ratio + clamp(plot.valToPos(time, 'x'), width),
    y: top / ratio + (value === null ? height / ratio : clamp(plot.valToPos(value, 'y'), height)),
  };
}

function describe(label: string, series: readonly Series[], format: (value: number) => string): string {
  const parts = series.slice(0, 5).map((entry) => {
    const { last, max } = summarize(entry.values);
    return last === null || max === null
      ? `${entry.label}: no values`
      : `${entry.label}: last ${format(last)}, max ${format(max)}`;
  });
  return [label, ...parts].join('. ');
}

/** A click hides or shows one series; a click with a modifier shows only that series, or all again. */
function toggle(
  series: readonly Series[],
  hidden: ReadonlySet<string>,
  label: string,
  alone: boolean,
): ReadonlySet<string> {
  const others = series.map((entry) => entry.label).filter((candidate) => candidate !== label);
  if (alone) return others.every((other) => hidden.has(other)) ? new Set() : new Set(others);
  const next = new Set(hidden);
  if (!next.delete(label)) next.add(label);
  return next;
}

function Tooltip({
  hover,
  times,
  series,
  format,
}: {
  hover: Hover;
  times: readonly number[];
  series: readonly Series[];
  format: (value: number) => string;
}) {
  const entries = hoverEntries(series, hover.index);
  const right = hover.left > hover.width / 2;
  return (
    <div
      className={classes.tooltip}
      // A transform moves it without a layout of the page.
      style={{
        transform: right ? `translateX(calc(${hover.left - 12}px - 100%))` : `translateX(${hover.left + 12}px)`,
      }}
    >
      <div className={classes.when}>
        {formatTimestamp(times[hover.index])}
        <span className={classes.utc}>{formatTimestamp(times[hover.index], { utc: true, date: false })} UTC</span>
      </div>
      {entries.length === 0 && <div className="dim">no values</div>}
      <table>
        <tbody>
          {entries.slice(0, TOOLTIP_ROWS).map((entry, rank) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row shows the series of a rank, so rows never move
            <tr key={rank}>
              <td>
                <span className={classes.dot} style={{ background: entry.colour }} />
                <span className="truncate">{entry.label}</span>
              </td>
              <td>{format(entry.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length > TOOLTIP_ROWS && <div className="dim">and {entries.length - TOOLTIP_ROWS} more</div>}
    </div>
  );
}

function Legend({
  series,
  hidden,
  totals,
  format,
  onToggle,
}: {
  series: readonly Series[];
  hidden: ReadonlySet<string>;
  totals: boolean;
  format: (value: number) => string;
  onToggle: (label: string, alone: boolean) => void;
}) {
  const list = useOneStop<HTMLUListElement>();
  return (
    <ul ref={list} className={classes.legend} aria-label="Series">
      {series.map((entry) => {
        const { last, sum } = summarize(entry.values);
        const value = totals ? sum : last;
        return (
          <li key={entry.label}>
            <button
              type="button"
              className={classes.entry}
              aria-pressed={!hidden.has(entry.label)}
              title={`${entry.label}\nClick to hide, Ctrl-click to show only this`}
              onClick={(event) => onToggle(entry.label, event.ctrlKey || event.metaKey)}
            >
              <span className={classes.dot} style={{ background: entry.colour }} />
              <span className="truncate">{entry.label}</span>
              <span className={classes.value}>{value === null ? '–' : format(value)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
