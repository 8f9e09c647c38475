import type { Range } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import type { Histograms } from './relation.ts';
import type { Value } from './value.ts';

const INSTEAD =
  'Use `p99(value)`, `avg(value)`, `max(value)` or `ratio(value <= 0.1)`; `count` and `sum` are separate fields.';

/** Reports a use of a summary that needs buckets. Returns whether it did. */
export function refuseSummary(value: Value, range: Range, ctx: Context): boolean {
  if (!value.bucketless) return false;
  ctx.error(
    'SUMMARY_VALUE',
    range,
    'A summary has no buckets: its quantiles were computed by its source, and those of several series or moments cannot be merged into one. Read them point by point, then aggregate them: `extend p99 = summary_quantile(value, 0.99) | stats max(p99) by service.name`.',
  );
  return true;
}

/** Reports a histogram's value where a number is required. Returns whether it did. */
export function refuseHistogram(value: Value, range: Range, ctx: Context): boolean {
  if (value.mixed) {
    ctx.warn(
      'HISTOGRAM_VALUE',
      range,
      'Histograms and summaries among these metrics have no single value; they are left out here.',
    );
  }
  if (!value.histogram) return false;
  ctx.error('HISTOGRAM_VALUE', range, `The value of a histogram is a distribution, not a number. ${INSTEAD}`);
  return true;
}

/** What is known about the value of a metric. */
export function flagsOf(histograms: Histograms): Pick<Value, 'histogram' | 'bucketless' | 'mixed'> {
  if (histograms === 'summaries') return { histogram: true, bucketless: true };
  if (histograms === 'several') return { mixed: true };
  return histograms === 'some' ? { histogram: true } : {};
}
