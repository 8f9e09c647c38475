import { alignSeries, type Point, type Series } from '../ui/chart/series.ts';
import {
  type ColourScheme,
  OTHER_COLOURS,
  seriesColour,
  serviceColour,
  statusColour,
  variantColours,
} from '../ui/colours.ts';
import {
  formatBytes,
  formatDuration,
  formatNumber,
  formatPercent,
  formatTimestamp,
  toDate,
} from '../ui/format/index.ts';
import { completeBuckets } from './bucket-width.ts';
import type { Result } from './oql.ts';
import { severityColour } from './severity.ts';

export interface ResultColumn {
  name: string;
  type: string;
}

/** The types of OQL that are numbers, and `ratio`: a float that is a share of 1. */
const NUMERIC = new Set(['int', 'float', 'duration', 'bytes', 'ratio']);

export function isNumeric(type: string): boolean {
  return NUMERIC.has(type);
}

/** A value of a result as text: durations, bytes and times by their type, maps and lists as JSON. */
export function formatCell(value: unknown, type: string): string {
  if (value === null || value === undefined) return '–';
  switch (type) {
    case 'duration':
      return typeof value === 'number' || typeof value === 'string' ? formatDuration(value) : plainText(value);
    case 'bytes':
      return typeof value === 'number' || typeof value === 'string' ? formatBytes(value) : plainText(value);
    case 'ratio':
      return typeof value === 'number' ? formatPercent(value) : plainText(value);
    case 'timestamp':
      return typeof value === 'number' || typeof value === 'string'
        ? formatTimestamp(value, { milliseconds: true })
        : plainText(value);
    case 'int':
    case 'float':
      return typeof value === 'number'
        ? formatNumber(value)
        : isSafeNumber(value)
          ? formatNumber(Number(value))
          : plainText(value);
    default:
      return plainText(value);
  }
}

function isSafeNumber(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value));
}

/** Any value as text: strings unchanged, everything else as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The format of a column's values in a chart. */
export function axisFormat(type: string): (value: number) => string {
  if (type === 'duration') return formatDuration;
  if (type === 'bytes') return formatBytes;
  if (type === 'ratio') return formatPercent;
  return formatNumber;
}

/** The named columns of a result as objects, so that pages need not count columns. */
export function asRecords(result: Result): Record<string, unknown>[] {
  return result.rows.map((row) => Object.fromEntries(result.columns.map((column, index) => [column.name, row[index]])));
}

/** One chart per measured column: its series are named by the key columns. */
export interface ResultChart {
  measure: string;
  type: string;
  times: readonly number[];
  series: Series[];
}

const MAX_SERIES = 50;

/**
 * Turns a time series result into charts. Key columns come before the aggregates: a numeric column counts as a measure
 * only after the last column that cannot be one. `keys` is their number if the query is known. `complete` leaves out
 * buckets that the window's end cuts off; milliseconds.
 */
export function resultCharts(
  result: Result,
  scheme: ColourScheme,
  keys = keyColumns(result.columns),
  complete?: { width: number; to: number },
): ResultChart[] {
  const timeIndex = result.columns.findIndex((column) => column.type === 'timestamp');
  if (timeIndex === -1) return [];
  const labels = result.columns.map((_, index) => index).filter((index) => index !== timeIndex && index < keys);
  const measures = result.columns
    .map((column, index) => ({ ...column, index }))
    .filter(
      ({ index, type }) => index >= keys && (isNumeric(type) || (type === 'any' && holdsNumbers(result.rows, index))),
    );
  return measures.map(({ name, type, index }) => {
    const points: Point[] = [];
    for (const row of result.rows) {
      const time = toDate(timeValue(row[timeIndex]))?.getTime();
      if (time === undefined) continue;
      const value = row[index];
      const label = labels.map((key) => formatCell(row[key], result.columns[key]?.type ?? 'any')).join(' · ');
      points.push({
        time,
        label: label === '' ? name : label,
        value: finiteNumber(value),
      });
    }
    const aligned = alignSeries(points);
    const shown = complete ? completeBuckets(aligned.times, complete.width, complete.to) : aligned.times.length;
    const times = aligned.times.slice(0, shown);
    const series = aligned.series.map((entry) => ({ ...entry, values: entry.values.slice(0, shown) }));
    return {
      measure: name,
      type,
      times,
      series: colourSeries(largest(series), meaningOf(result.columns, labels), scheme),
    };
  });
}

/** Charts of measures of one unit, joined. */
export interface UnitChart {
  measures: readonly string[];
  type: string;
  times: readonly number[];
  series: Series[];
}

/** Lines of the second, third and further measure of one chart; the first one's are solid. */
const DASHES = [undefined, [7, 4], [2, 3], [9, 3, 2, 3], [4, 6]] as const;

/**
 * Joins charts whose measures have one unit. Series of one key keep their color in all measures, and differ by their dashes.
 * @param ratios measures that are shares of 1
 */
export function chartsByUnit(
  charts: readonly ResultChart[],
  scheme: ColourScheme,
  ratios: ReadonlySet<string> = new Set(),
): UnitChart[] {
  const units = new Map<string, ResultChart[]>();
  for (const chart of charts) {
    const type =
      ratios.has(chart.measure) && chart.type === 'float' ? 'ratio' : chart.type === 'int' ? 'float' : chart.type;
    units.set(type, [...(units.get(type) ?? []), chart]);
  }
  return [...units].map(([type, group]) => {
    const joined = {
      measures: group.map(({ measure }) => measure),
      type,
      // The charts of one result have the same times.
      times: group[0]?.times ?? [],
    };
    return { ...joined, series: joinSeries(group, scheme) };
  });
}

/** The series of several measures for one chart: those of one key keep their color, and differ by their dashes. */
export function joinSeries(charts: readonly Pick<ResultChart, 'measure' | 'series'>[], scheme: ColourScheme): Series[] {
  if (charts.length === 1) return charts[0]?.series ?? [];
  return charts.flatMap(({ measure, series }, at) =>
    series.map((entry): Series => {
      if (entry.label === measure) return { ...entry, colour: seriesColour(at, scheme) };
      const dash = DASHES[at % DASHES.length];
      return { ...entry, label: `${entry.label} · ${measure}`, ...(dash && { dash }) };
    }),
  );
}

const VARIANTS: ReadonlySet<string> = new Set(['variant', 'feature_flag.result.variant']);

/**
 * Charts whose series are variants, in the colors of their flag.
 * @param split the column with the variant, of a panel that is split by a flag
 */
export function withVariantColours(
  charts: readonly ResultChart[],
  columns: readonly ResultColumn[],
  colours: ReadonlyMap<string, string> | undefined,
  split?: unknown,
): readonly ResultChart[] {
  if (colours === undefined || !columns.some(({ name }) => VARIANTS.has(name) || name === split)) return charts;
  return charts.map((chart) => ({
    ...chart,
    series: chart.series.map((entry) => ({ ...entry, colour: colours.get(entry.label) ?? entry.colour })),
  }));
}

/** Whether an attribute of any type has only numbers in this result. */
function holdsNumbers(rows: Result['rows'], index: number): boolean {
  const values = rows.map((row) => row[index]).filter((value) => value !== null && value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

/** A value that a chart can draw: NaN and infinities, which are sent as text, leave a gap. */
function finiteNumber(value: unknown): number | null {
  const number = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

function timeValue(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function keyColumns(columns: readonly ResultColumn[]): number {
  let keys = 0;
  columns.forEach((column, index) => {
    if (!isNumeric(column.type) || column.name.startsWith('bucket')) keys = index + 1;
  });
  return keys;
}

type Meaning = 'service' | 'severity' | 'status' | 'variant';

/** A single key with its own colors. */
function meaningOf(columns: readonly ResultColumn[], labels: readonly number[]): Meaning | undefined {
  const name = labels.length === 1 ? columns[labels[0] ?? -1]?.name : undefined;
  if (name === 'service.name') return 'service';
  if (name === 'severity' || name === 'status') return name;
  return name === 'variant' || name === 'feature_flag.result.variant' ? 'variant' : undefined;
}

/** A chart with too many lines to distinguish shows the largest by sum. */
function largest<T extends { values: readonly (number | null)[] }>(series: readonly T[]): readonly T[] {
  return series.length <= MAX_SERIES ? series : bySum(series).slice(0, MAX_SERIES);
}

function bySum<T extends { values: readonly (number | null)[] }>(series: readonly T[]): T[] {
  const sums = new Map(
    series.map((entry) => [entry, entry.values.reduce<number>((total, value) => total + (value ?? 0), 0)]),
  );
  return series.toSorted((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
}

/** Series beyond this many, by their sum, are gray: more colors are hard to distinguish. */
const COLOURED = 10;

function colourSeries(
  series: readonly Omit<Series, 'colour'>[],
  meaning: Meaning | undefined,
  scheme: ColourScheme,
): Series[] {
  const colour = paletteOf(
    meaning,
    series.map(({ label }) => label),
    scheme,
  );
  const rank = new Map(bySum(series).map(({ label }, at) => [label, at]));
  // Levels and statuses mean something by their color, however small they are.
  const isRanked = meaning !== 'severity' && meaning !== 'status';
  let next = 0;
  return series.map((entry) => {
    const isOther = isRanked && (rank.get(entry.label) ?? 0) >= COLOURED;
    return { ...entry, colour: isOther ? OTHER_COLOURS[scheme] : colour(entry.label, next++) };
  });
}

function paletteOf(
  meaning: Meaning | undefined,
  labels: readonly string[],
  scheme: ColourScheme,
): (label: string, index: number) => string {
  switch (meaning) {
    case 'service':
      return (label) => serviceColour(label, scheme);
    case 'severity':
      return (label) => severityColour(label, scheme);
    case 'status':
      return (label) => statusColour(label, scheme);
    case 'variant': {
      const colours = variantColours(labels, scheme);
      return (label) => colours.get(label) ?? OTHER_COLOURS[scheme];
    }
    case undefined:
      return (_, index) => seriesColour(index, scheme);
  }
}
