import { bandStart, PER_DECADE } from '../traces/heat-map.ts';

/** Requests by bands of equal width on a logarithmic scale of durations. */
export interface Bands {
  /** The number of the first band, and of the one after the last. */
  readonly low: number;
  readonly high: number;
  readonly counts: readonly number[];
}

/** Counts the spans of a query in bands. */
export function distributionQuery(requests: string): string {
  return `${requests} | where duration > 0ns | stats n=count() by band=floor(log10(duration / 1us) * ${PER_DECADE})`;
}

/** The bands of an answer to `distributionQuery`; empty without requests. */
export function bandsOf(rows: readonly Record<string, unknown>[]): Bands {
  const counts = new Map<number, number>();
  for (const { band, n } of rows) {
    const number = band === null ? Number.NaN : Number(band);
    if (Number.isFinite(number)) counts.set(number, Number(n));
  }
  const found = [...counts.keys()];
  if (found.length === 0) return { low: 0, high: 0, counts: [] };
  return filled(counts, Math.min(...found) - 1, Math.max(...found) + 2);
}

/** The same with room for a threshold that lies outside. */
export function bandsAround({ low, high, counts }: Bands, nanoseconds: number): Bands {
  const band = bandOf(nanoseconds);
  const known = new Map(counts.map((count, index) => [low + index, count]));
  return filled(known, Math.min(low, Math.floor(band)), Math.max(high, Math.ceil(band) + 1));
}

function filled(counts: ReadonlyMap<number, number>, low: number, high: number): Bands {
  return { low, high, counts: Array.from({ length: high - low }, (_, index) => counts.get(low + index) ?? 0) };
}

function bandOf(nanoseconds: number): number {
  return Math.log10(nanoseconds / 1000) * PER_DECADE;
}

/** Where a duration lies between the ends: 0 to 1. */
export function placeOf({ low, high }: Bands, nanoseconds: number): number {
  return (bandOf(nanoseconds) - low) / (high - low);
}

/** The duration at a place from 0 to 1; nanoseconds. */
export function valueAt({ low, high }: Bands, place: number): number {
  return bandStart(low + place * (high - low));
}
