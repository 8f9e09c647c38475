import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import { type Column, Columns, FLOAT, HISTOGRAM, setFloat } from '../columns.ts';
import { type Grid, timeOf } from '../grid.ts';
import { type ClassicBucket, classicFraction, classicQuantile } from '../histogram/classic.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import { type Estimate, histogramFraction, histogramQuantile } from '../histogram/quantile.ts';
import { type LabelSet, type LabelSets, labelOf, metricOf } from '../label-sets.ts';
import { LABEL_UNITS, type Work } from '../work.ts';

/** The label with the upper bound of a classic bucket. */
const BOUND = 'le';

export interface DistributionContext {
  readonly grid: Grid;
  readonly sets: LabelSets;
  readonly notes: Annotations;
  readonly work: Work;
  /** Of the vector. */
  readonly at: Position;
}

/** How one histogram becomes a number at a step. */
interface Estimator {
  readonly native: (histogram: NativeHistogram, step: number) => Estimate;
  readonly classic: (buckets: readonly ClassicBucket[], step: number, metric: string) => number;
}

export async function histogramQuantiles(
  columns: readonly Column[],
  quantiles: Float64Array,
  context: DistributionContext,
  atQuantile: Position,
): Promise<Column[]> {
  const { notes, grid, at } = context;
  for (const quantile of quantiles) if (!(quantile >= 0 && quantile <= 1)) notes.invalidQuantile(quantile, atQuantile);
  return estimated(columns, context, {
    native: (histogram, step) => histogramQuantile(quantiles[step] ?? Number.NaN, histogram),
    classic: (buckets, step, metric) => {
      const { value, forced } = classicQuantile(quantiles[step] ?? Number.NaN, buckets);
      if (forced !== undefined) notes.forcedMonotonicity(metric, forced, timeOf(grid, step), at);
      return value;
    },
  });
}

export async function histogramFractions(
  columns: readonly Column[],
  lower: Float64Array,
  upper: Float64Array,
  context: DistributionContext,
): Promise<Column[]> {
  const bounds = (step: number) => [lower[step] ?? Number.NaN, upper[step] ?? Number.NaN] as const;
  return estimated(columns, context, {
    native: (histogram, step) => histogramFraction(...bounds(step), histogram),
    classic: (buckets, step) => classicFraction(...bounds(step), buckets),
  });
}

interface Classic {
  readonly upper: number;
  readonly column: Column;
}

async function estimated(
  columns: readonly Column[],
  context: DistributionContext,
  estimator: Estimator,
): Promise<Column[]> {
  const { grid, sets, notes, work, at } = context;
  const out = new Columns(grid.count, work);
  const classic = await classicGroups(columns, sets, work, notes, at);
  for (const column of columns) {
    const metric = metricOf(column.labels);
    const sameName = classic.get(column.labels) ?? [];
    column.histograms?.forEach((histogram, step) => {
      if (histogram === undefined) return;
      if (sameName.some((bucket) => bucket.column.kinds[step] === FLOAT)) {
        notes.mixedClassicAndNative(metric, at);
        return;
      }
      const { value, nan } = estimator.native(histogram, step);
      if (nan !== undefined) notes.notANumber(nan, metric, at);
      setFloat(out.for(column.labels, true), step, value);
    });
    if (work.isDue(grid.count)) await work.pause();
  }
  const native = new Map(columns.map((column) => [column.labels, column]));
  for (const [labels, group] of classic) {
    const conflict = native.get(labels);
    for (let step = 0; step < grid.count; step++) {
      if (conflict?.kinds[step] === HISTOGRAM) continue;
      const buckets = group
        .filter(({ column }) => column.kinds[step] === FLOAT)
        .map(({ upper, column }) => ({ upper, count: column.values[step] ?? 0 }));
      if (buckets.length === 0) continue;
      setFloat(out.for(labels, true), step, estimator.classic(buckets, step, metricOf(labels)));
      if (work.isDue(10 * group.length)) await work.pause();
    }
  }
  return out.all();
}

/** The buckets of each classic histogram, in the order of their bounds. */
async function classicGroups(
  columns: readonly Column[],
  sets: LabelSets,
  work: Work,
  notes: Annotations,
  at: Position,
): Promise<Map<LabelSet, Classic[]>> {
  const groups = new Map<LabelSet, Classic[]>();
  for (const column of columns) {
    if (!column.kinds.includes(FLOAT)) continue;
    const written = labelOf(column.labels, BOUND);
    const upper = boundOf(written);
    if (upper === undefined) {
      notes.badBucketLabel(metricOf(column.labels), written, at);
      continue;
    }
    const labels = sets.filtered(column.labels, (name) => name !== BOUND);
    const group = groups.get(labels);
    if (group === undefined) groups.set(labels, [{ upper, column }]);
    else group.push({ upper, column });
    if (work.isDue(LABEL_UNITS)) await work.pause();
  }
  for (const group of groups.values()) group.sort((a, b) => (a.upper === b.upper ? 0 : a.upper < b.upper ? -1 : 1));
  return groups;
}

/** Go's `ParseFloat`. */
function boundOf(text: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}
