import { alignSeries, type Point, type Series } from '../ui/chart/series.ts';
import { type ColourScheme, seriesColour, serviceColour } from '../ui/colours.ts';
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

/** A single key with its own colors. */
function meaningOf(columns: readonly ResultColumn[], labels: readonly number[]): 'service' | 'severity' | undefined {
  const name = labels.length === 1 ? columns[labels[0] ?? -1]?.name : undefined;
  return name === 'service.name' ? 'service' : name === 'severity' ? 'severity' : undefined;
}

/** A chart with too many lines to distinguish shows the largest by sum. */
function largest<T extends { label: string; values: readonly (number | null)[] }>(series: readonly T[]): T[] {
  if (series.length <= MAX_SERIES) return [...series];
  const sum = (entry: T) => entry.values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return series.toSorted((a, b) => sum(b) - sum(a)).slice(0, MAX_SERIES);
}

function colourSeries(
  series: readonly Omit<Series, 'colour'>[],
  meaning: 'service' | 'severity' | undefined,
  scheme: ColourScheme,
): Series[] {
  const colour = (label: string, index: number) =>
    meaning === 'service'
      ? serviceColour(label, scheme)
      : meaning === 'severity'
        ? severityColour(label, scheme)
        : seriesColour(index, scheme);
  return series.map((entry, index) => ({ ...entry, colour: colour(entry.label, index) }));
}
