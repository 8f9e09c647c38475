import type { Call, Expression, VectorSelector } from '../ast.ts';
import type { Scope } from '../scope.ts';
import type { Series } from '../select.ts';
import { partsOf } from '../selectors.ts';
import type { NativeHistogram } from './native-histogram.ts';
import { isReset } from './reset.ts';

/** Functions that need no buckets. */
const ofTotals: ReadonlySet<string> = new Set(['histogram_avg', 'histogram_count', 'histogram_sum']);
const ofBuckets: ReadonlySet<string> = new Set(['histogram_fraction', 'histogram_quantile']);

/** Comparing two histograms of usual size, as arithmetic. */
const unitsOfReset = 100;

/**
 * The scope in which the arguments of a call are evaluated. For functions that need the count and sum of histograms alone, Prometheus looks for
 * counter resets from sample to sample while it reads them, and so warns where an aggregation joins histograms with a reset and
 * without one (`promql/histogram_stats_iterator.go`). It does not in sub-queries, and where buckets are needed.
 */
export async function scopeOfArguments(call: Call, scope: Scope): Promise<Scope> {
  if (!ofTotals.has(call.fn) || scope.isInSubquery) return scope;
  const samples = new Map(scope.samples);
  for (const selector of selectorsWithoutBuckets(call)) {
    const series = samples.get(selector) ?? [];
    const detected: Series[] = [];
    for (const one of series) {
      detected.push(one.histograms === undefined ? one : { ...one, histograms: withResets(one.histograms) });
      if (scope.work.isDue(unitsOfReset * (one.histograms?.length ?? 0))) await scope.work.pause();
    }
    samples.set(selector, detected);
  }
  return { ...scope, samples };
}

function selectorsWithoutBuckets(expression: Expression): VectorSelector[] {
  if (expression.kind === 'selector') return [expression];
  const needsBuckets =
    expression.kind === 'subquery' ||
    (expression.kind === 'call' && ofBuckets.has(expression.fn)) ||
    (expression.kind === 'binary' && (expression.op === '</' || expression.op === '>/'));
  return needsBuckets ? [] : partsOf(expression).flatMap(selectorsWithoutBuckets);
}

function withResets(histograms: NonNullable<Series['histograms']>): (NativeHistogram | undefined)[] {
  let before: NativeHistogram | undefined;
  return histograms.map((histogram) => {
    if (histogram === undefined) return undefined;
    const previous = before;
    before = histogram;
    if (previous === undefined || histogram.counterReset !== 'unknown') return histogram;
    return { ...histogram, counterReset: isReset(histogram, previous) ? 'reset' : 'not-reset' };
  });
}
