import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { RangeSpan } from '../metrics/buckets.ts';
import { type Trend, trendOver } from '../metrics/trends.ts';
import type { StageOf } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { checkRange } from './range.ts';

export const trend: StageDefinition<'trend'> = {
  kind: 'trend',
  syntax: 'irate [DURATION] | deriv [DURATION] | predict AHEAD [over DURATION] | latest [DURATION]',
  doc: "Computes Prometheus' `irate`, `deriv` and `predict_linear` at the end of each later bucket, from the points in the time up to it (at least two): the growth per second between the last two points; the slope per second of the least-squares line through all points; and the value of that line AHEAD. `latest` is the value of an instant vector: that of the last point, unless the series has ended since.",
  examples: [
    'metric http_requests_total | irate 5m | sum by service.name, bucket(1m)',
    'metric queue.size | deriv 10m | max by queue, bucket(5m)',
    'metric disk.free | predict 4h over 1h | stats free=min(value) by host.name | where free < 0',
    'metric queue.size | latest 5m | sum by queue',
  ],
  check(stage, input, ctx) {
    const kind = trendOf(stage, ctx);
    if (!kind) return { ...input, unknown: true };
    return checkRange(stage, input, ctx, (points, span) => ofNumbers(stage, input, points, { ...kind, ...span }, ctx));
  },
};

function trendOf(stage: StageOf<'trend'>, ctx: Context): Trend | undefined {
  if (stage.fn !== 'predict') return { fn: stage.fn };
  const { ahead } = stage;
  if (ahead.kind === 'duration') return { fn: 'predict', aheadNs: ahead.nanoseconds };
  if (ahead.kind !== 'invalid')
    ctx.error('INVALID_VALUE', ahead, 'How far ahead to look must be a duration, such as `4h`.');
  return undefined;
}

/** Histograms have no trend line; the counters of classic ones only have a growth. */
function ofNumbers(
  stage: StageOf<'trend'>,
  input: Relation,
  points: MetricPoints,
  range: RangeSpan & Trend,
  ctx: Context,
): Relation {
  const areBuckets = points.classic !== undefined && stage.fn === 'irate';
  if (!areBuckets && (points.histograms === 'some' || points.histograms === 'summaries')) {
    ctx.error(
      'HISTOGRAM_VALUE',
      stage,
      `\`${stage.fn}\` needs numbers, and this metric has histograms or summaries. Query what was counted with \`rate 5m | stats sum(count)\`, or for a quantile over time with \`increase | p99 by bucket(5m)\`.`,
    );
    return { ...input, unknown: true };
  }
  const { classic: _, ...numbers } = points;
  return trendOver(input, areBuckets ? points : numbers, range, ctx);
}
