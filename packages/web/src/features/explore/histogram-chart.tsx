import { useMemo } from 'react';
import { axisFormat } from '../../telemetry/results.ts';
import { SERIES_COLOURS, seriesColour, serviceColour } from '../../ui/colours.ts';
import { countOf, formatNumber } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import classes from './explore.module.css';
import type { Histogram, HistogramSeries } from './histogram.ts';

/** Groups that are drawn, the largest ones. */
const GROUPS = 10;
const TICKS = 6;
/** Units of the drawing, which is stretched to the width of the panel. */
const WIDE = 1_000;
const HIGH = 100;

/** Bars over the bounds of the buckets; for each group a row of bars, all on one scale. */
export function HistogramChart({ histogram, keys }: { histogram: Histogram; keys: readonly string[] }) {
  const scheme = useComputedColorScheme();
  const { field, type, width, series } = histogram;
  const format = axisFormat(type);
  const shown = useMemo(() => largest(series), [series]);
  const bars = shown.flatMap((one) => one.bars);
  const from = Math.min(...bars.map((bar) => bar.from));
  const to = Math.max(...bars.map((bar) => bar.from)) + width;
  const most = Math.max(...bars.map(({ count }) => count), 1);
  const ticks = ticksOf(from, to, width);
  const place = (value: number) => (100 * (value - from)) / (to - from);
  const colourOf = (label: string, at: number) =>
    keys.length === 1 && keys[0] === 'service.name' ? serviceColour(label, scheme) : seriesColour(at, scheme);
  return (
    <Panel
      title={`${field}, by ${format(width)}`}
      actions={
        series.length > GROUPS && <span className="dim">The {countOf(GROUPS, 'group')} with most rows are drawn</span>
      }
    >
      <div className={classes.histograms}>
        {shown.map(({ label, bars }, at) => (
          <figure key={label} aria-label={describe(field, label, bars, width, format)}>
            {label !== '' && <figcaption>{label}</figcaption>}
            <span className={classes.most} aria-hidden>
              {formatNumber(most)}
            </span>
            <svg
              viewBox={`0 0 ${WIDE} ${HIGH}`}
              preserveAspectRatio="none"
              style={{ height: shown.length === 1 ? 260 : 110 }}
              aria-hidden
            >
              {bars.map((bar) => (
                <rect
                  key={bar.from}
                  x={(WIDE * (bar.from - from)) / (to - from)}
                  width={Math.max(1, ((WIDE * width) / (to - from)) * 0.94)}
                  y={HIGH * (1 - bar.count / most)}
                  height={(HIGH * bar.count) / most}
                  fill={label === '' ? SERIES_COLOURS[scheme][0] : colourOf(label, at)}
                >
                  <title>{`${format(bar.from)} to ${format(bar.from + width)}: ${countOf(bar.count, 'row')}`}</title>
                </rect>
              ))}
            </svg>
            <div className={classes.bounds} aria-hidden>
              {ticks.map((tick) => (
                <span key={tick} style={{ left: `${place(tick)}%`, transform: aligned(place(tick)) }}>
                  {format(tick)}
                </span>
              ))}
            </div>
          </figure>
        ))}
      </div>
    </Panel>
  );
}

/** Labels at the ends stay inside. @param at percent */
const aligned = (at: number) => `translateX(${at < 3 ? 0 : at > 97 ? -100 : -50}%)`;

const rowsOf = ({ bars }: HistogramSeries) => bars.reduce((sum, { count }) => sum + count, 0);

function largest(series: readonly HistogramSeries[]): readonly HistogramSeries[] {
  return series.toSorted((a, b) => rowsOf(b) - rowsOf(a)).slice(0, GROUPS);
}

function ticksOf(from: number, to: number, width: number): number[] {
  const step = tickStep(width, to - from);
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(1, Math.floor((to - first) / step) + 1) }, (_, at) => first + at * step);
}

/** A whole number of buckets, so that labels stand at bounds. */
function tickStep(width: number, range: number): number {
  const least = range / TICKS / width;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return width * ([1, 2, 5, 10].map((factor) => factor * power).find((factor) => factor >= least) ?? 1);
}

function describe(
  field: string,
  label: string,
  bars: HistogramSeries['bars'],
  width: number,
  format: (value: number) => string,
): string {
  const [first, ...others] = bars;
  const fullest = others.reduce((most, bar) => (most !== undefined && most.count >= bar.count ? most : bar), first);
  const what = `Histogram of ${field}${label === '' ? '' : ` of ${label}`}`;
  if (fullest === undefined) return what;
  const { from, count } = fullest;
  return `${what}: ${countOf(bars.length, 'bar')}, most rows from ${format(from)} to ${format(from + width)}: ${formatNumber(count)}`;
}
