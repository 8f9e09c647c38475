import { whereStage } from '../../telemetry/oql.ts';
import { toDate } from '../../ui/format/index.ts';
import { zoneOffset } from '../../ui/format/zone.ts';

/** Bands of a factor of ten in duration. */
export const PER_DECADE = 8;

export interface HeatCell {
  /** Start of the bucket in epoch milliseconds. */
  time: number;
  /** Number of the band, from 1 µs up. */
  band: number;
  count: number;
  /** 0 to 1. */
  errors: number;
}

/** A part of the heat map: half-open, times in epoch milliseconds, durations in nanoseconds. */
export interface Box {
  from: number;
  to: number;
  min: number;
  max: number;
}

/** Exact counts for any number of spans, in bands of equal width on a logarithmic scale. */
export function heatQuery(conditions: readonly string[], bucket: string): string {
  return `spans${whereStage([...conditions, 'duration > 0ns'])} | stats n=count(), errors=ratio(status == error) by bucket(${bucket}), band=floor(log10(duration / 1us) * ${PER_DECADE})`;
}

/** The cells of an answer to `heatQuery`. */
export function readHeat(rows: readonly Record<string, unknown>[]): HeatCell[] {
  return rows.flatMap((row) => {
    const time = typeof row.time === 'string' || typeof row.time === 'number' ? toDate(row.time)?.getTime() : undefined;
    const band = Number(row.band);
    if (time === undefined || !Number.isFinite(band)) return [];
    return [{ time, band, count: Number(row.n), errors: Number(row.errors ?? 0) }];
  });
}

/** Start of a band in nanoseconds. */
export function bandStart(band: number): number {
  return 1000 * 10 ** (band / PER_DECADE);
}

/** The bands to draw: those with spans, and one more on either side. */
export function bandsOf(cells: readonly HeatCell[]): { low: number; high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { band } of cells) {
    low = Math.min(low, band);
    high = Math.max(high, band);
  }
  return cells.length === 0 ? { low: 0, high: 8 } : { low: low - 1, high: high + 2 };
}

/** The whole bands and buckets that a rectangle selects, given as shares (0 to 1) of the map from its upper left corner. */
export function boxOf(
  area: { left: number; right: number; top: number; bottom: number },
  window: { from: number; to: number },
  bands: { low: number; high: number },
  width: number,
): Box {
  const span = window.to - window.from;
  const rows = bands.high - bands.low;
  const upper = Math.ceil(bands.high - area.top * rows);
  const lower = Math.floor(bands.high - area.bottom * rows);
  return {
    from: Math.floor((window.from + area.left * span) / width) * width,
    to: Math.ceil((window.from + area.right * span) / width) * width,
    min: Math.round(bandStart(lower)),
    max: Math.round(bandStart(Math.max(upper, lower + 1))),
  };
}

/** Format in the URL: `from~to~min~max`. */
export function boxText({ from, to, min, max }: Box): string {
  return [from, to, min, max].join('~');
}

export function parseBox(text: string | undefined): Box | null {
  const parts = (text ?? '').split('~').map(Number);
  const [from, to, min, max] = parts;
  if (parts.length !== 4 || !parts.every(Number.isFinite)) return null;
  if (from === undefined || to === undefined || min === undefined || max === undefined) return null;
  return from < to && min < max ? { from, to, min, max } : null;
}

/** Bands with a label: powers of ten, and half powers (3 ms, 30 ms) while there are few bands. */
export function bandTicks({ low, high }: { low: number; high: number }): { band: number; ns: number }[] {
  const ticks: { band: number; ns: number }[] = [];
  const halves = high - low < 3 * PER_DECADE;
  for (let power = Math.floor(low / PER_DECADE); power * PER_DECADE <= high; power++) {
    for (const factor of halves ? [1, 3] : [1]) {
      const band = (power + Math.log10(factor)) * PER_DECADE;
      if (band >= low && band <= high) ticks.push({ band, ns: Math.round(factor * 1000 * 10 ** power) });
    }
  }
  return ticks;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** Round times in a window, at most `count` of them; epoch milliseconds by the clock of the chosen zone. */
export function clockTicks(
  { from, to }: { from: number; to: number },
  count: number,
): { step: number; times: number[] } {
  const seconds = STEPS.find((candidate) => (to - from) / (candidate * 1000) <= count);
  const step = (seconds ?? Math.ceil((to - from) / (86_400_000 * count)) * 86_400) * 1000;
  const zone = -zoneOffset(from);
  const times: number[] = [];
  for (let time = Math.ceil((from - zone) / step) * step + zone; time <= to; time += step) times.push(time);
  return { step, times };
}
