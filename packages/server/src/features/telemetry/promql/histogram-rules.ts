import { type Buckets, CUSTOM_BUCKETS, decimalText, type NativeHistogram } from '@fanion/promql';
import type { Family } from './name-rules.ts';

/** A stored point of a histogram or summary. Counts are texts, since they may be beyond 2^53. */
export interface HistogramRow {
  readonly series: string;
  readonly ms: string;
  readonly none: boolean;
  readonly count: string;
  /** Empty: not recorded. */
  readonly sum: string;
  readonly bounds: readonly number[];
  readonly counts: readonly string[];
  readonly scale: number;
  readonly zeros: string;
  readonly zero_threshold: number;
  readonly positive_offset: number;
  readonly positives: readonly string[];
  readonly negative_offset: number;
  readonly negatives: readonly string[];
  readonly quantiles: readonly number[];
  readonly quantile_values: readonly string[];
}

/** A part of a classic histogram or of a summary at one time. */
export interface PartValue {
  readonly component: 'bucket' | 'sum' | 'count' | 'quantile';
  /** `le` or `quantile`. */
  readonly label: readonly [name: string, value: string] | undefined;
  readonly value: number;
}

/** The parts of a histogram with explicit bounds: counts up to each bound. */
export function classicParts({ bounds, counts, count, sum }: HistogramRow): PartValue[] {
  const parts: PartValue[] = [];
  let up = 0;
  for (const [at, bound] of bounds.entries()) {
    up += Number(counts[at] ?? 0);
    if (bound !== Number.POSITIVE_INFINITY)
      parts.push({ component: 'bucket', label: ['le', decimalText(bound)], value: up });
  }
  parts.push({ component: 'bucket', label: ['le', '+Inf'], value: Number(count) });
  return [...parts, ...totals(sum, count)];
}

export function summaryParts({ quantiles, quantile_values, count, sum }: HistogramRow): PartValue[] {
  const ofQuantiles = quantiles.map((quantile, at) => ({
    component: 'quantile' as const,
    label: ['quantile', decimalText(quantile)] as const,
    value: numberOf(quantile_values[at] ?? 'nan'),
  }));
  return [...ofQuantiles, ...totals(sum, count)];
}

function totals(sum: string, count: string): PartValue[] {
  const ofSum = { component: 'sum' as const, label: undefined, value: numberOf(sum) };
  return [...(sum === '' ? [] : [ofSum]), { component: 'count', label: undefined, value: Number(count) }];
}

/** A number as the store writes it as text. */
export function numberOf(text: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return text === 'nan' || text === '-nan' || text === '' ? Number.NaN : Number(text);
}

/** What of its family a histogram needs. */
type HistogramFamily = Pick<Family, 'isWritten' | 'isGauge'>;

/** The finest schema of Prometheus. */
const finestSchema = 8;
/** The zero threshold of OTLP histograms without one (`prometheusremotewrite/histograms.go`). */
const defaultZeroThreshold = 1e-128;

/**
 * An exponential histogram as a native one. OTLP's bucket `i` begins at `base ** i`, where Prometheus' bucket `i` ends. A scale
 * that is too fine is made coarser, which loses nothing else.
 * One of remote write has its zero threshold as it was sent.
 */
export function nativeHistogram(row: HistogramRow, { isWritten, isGauge }: HistogramFamily): NativeHistogram {
  const tooFine = Math.max(0, row.scale - finestSchema);
  return {
    schema: row.scale - tooFine,
    counterReset: isGauge ? 'gauge' : 'unknown',
    count: Number(row.count),
    sum: row.sum === '' ? Number.NaN : numberOf(row.sum),
    zeroThreshold: row.zero_threshold === 0 && !isWritten ? defaultZeroThreshold : row.zero_threshold,
    zeroCount: Number(row.zeros),
    positive: nativeBuckets(row.positive_offset, row.positives, tooFine),
    negative: nativeBuckets(row.negative_offset, row.negatives, tooFine),
  };
}

/** A histogram with explicit bounds as the native one with custom buckets that was written. */
export function customHistogram(row: HistogramRow, { isGauge }: HistogramFamily): NativeHistogram {
  return {
    schema: CUSTOM_BUCKETS,
    counterReset: isGauge ? 'gauge' : 'unknown',
    count: Number(row.count),
    sum: row.sum === '' ? Number.NaN : numberOf(row.sum),
    zeroThreshold: 0,
    zeroCount: 0,
    positive: nativeBuckets(-1, row.counts, 0),
    negative: nativeBuckets(0, [], 0),
    customValues: Float64Array.from(row.bounds),
  };
}

function nativeBuckets(offset: number, counts: readonly string[], tooFine: number): Buckets {
  const byIndex = new Map<number, number>();
  for (const [at, text] of counts.entries()) {
    const count = Number(text);
    if (count === 0) continue;
    const index = ((offset + at) >> tooFine) + 1;
    byIndex.set(index, (byIndex.get(index) ?? 0) + count);
  }
  return { indexes: Int32Array.from(byIndex.keys()), counts: Float64Array.from(byIndex.values()) };
}
