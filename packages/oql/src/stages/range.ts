import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { RangeSpan } from '../metrics/buckets.ts';
import { overBy } from '../metrics/ends.ts';
import { overRange } from '../metrics/range.ts';
import type { Aliased, Stage, StageOf } from '../syntax/ast.ts';
import { automaticWidth } from './bucket.ts';
import type { StageDefinition } from './definition.ts';

/** Most buckets that one point may count in; more are probably a mistake, and expensive. */
const MOST_OVERLAPS = 500n;

export const range: StageDefinition<'range'> = {
  kind: 'range',
  syntax: 'rate [DURATION] | increase [DURATION] | delta [DURATION]',
  doc: 'Computes how much each series of a metric grows in each later bucket, or in the whole range; `rate` is per second. With a duration, the growth in that time up to the end of each bucket. A bucket that is not over is evaluated at the end of the range, or now if that is earlier; `rate` always covers a whole width, while the buckets of `increase` and `delta` without a duration add up to the range.',
  examples: [
    'metric http.server.request.count | rate 5m | sum by service.name, bucket(5m)',
    'metric http.server.request.count | increase | sum by service.name',
    'metric http.server.request.duration | increase | p99 by http.route',
  ],
  check: (stage, input, ctx) =>
    checkRange(stage, input, ctx, (points, span) => {
      warnOfRounding(stage, ctx);
      return overRange(input, points, { fn: stage.fn, ...span }, ctx);
    }),
};

/** The growth of cumulative counters is a difference of integers, and mostly small; points of delta temporality are added up as floats. */
function warnOfRounding(stage: StageOf<'range'>, ctx: Context): void {
  if (!ctx.types?.integers || ctx.types.metrics.every(({ temporality }) => temporality !== 'delta')) return;
  ctx.warn(
    'ROUNDED',
    stage,
    `This metric has points of delta temporality that are integers beyond 2^53. \`${stage.fn}\` adds them up as floats, so its result is rounded to 53 bits; \`sum\` of the points themselves is exact.`,
  );
}

/** The stages before and after a range function determine the time that it covers: `make` gets this time and the points of a metric. */
export function checkRange(
  stage: StageOf<'range' | 'promrate' | 'trend'>,
  input: Relation,
  ctx: Context,
  make: (points: MetricPoints, span: RangeSpan) => Relation,
): Relation {
  const points = input.rows?.points;
  if (!points || input.columns.length > 0) {
    if (!input.unknown)
      ctx.error(
        'NOT_ON_SOURCE',
        stage,
        `\`${stage.fn}\` works on the points of a metric: use it after \`metric NAME\` and its \`where\`.`,
      );
    return { ...input, unknown: true };
  }
  const stepNs = bucketAhead(input, ctx);
  const duration = durationOf(stage, ctx);
  const adds = duration === undefined && stage.kind === 'range' && stage.fn !== 'rate';
  const endNs = adds ? input.window.toNs : overBy(input.window, ctx.nowNs);
  const overNs = duration ?? stepNs ?? endNs - input.window.fromNs;
  if (overNs <= 0n) return input;
  if (stepNs !== undefined && overNs / stepNs > MOST_OVERLAPS) {
    ctx.error(
      'INVALID_VALUE',
      stage,
      `That is ${overNs / stepNs} buckets; a range function looks back over ${MOST_OVERLAPS} at most.`,
    );
    return { ...input, unknown: true };
  }
  return make(points, { overNs, endNs, ...(adds && { adds }), ...(stepNs === undefined ? {} : { stepNs }) });
}

function durationOf({ duration }: StageOf<'range' | 'promrate' | 'trend'>, ctx: Context): bigint | undefined {
  if (!duration || duration.kind === 'invalid') return undefined;
  if (duration.kind === 'duration' && duration.nanoseconds > 0n) return duration.nanoseconds;
  ctx.error('INVALID_VALUE', duration, 'A range must be a duration, such as `5m`.');
  return undefined;
}

/** The width of the buckets of the next grouping; without a grouping, a width that suits a chart. */
function bucketAhead(input: Relation, ctx: Context): bigint | undefined {
  const grouping = ctx.following.find(
    (stage): stage is Extract<Stage, { readonly by: readonly Aliased[] }> =>
      stage.kind === 'stats' || stage.kind === 'aggregate',
  );
  const automatic = automaticWidth(input.window.toNs - input.window.fromNs);
  if (!grouping) return automatic;
  for (const { value } of grouping.by) {
    if (value.kind !== 'call' || value.name.text !== 'bucket') continue;
    if (value.args.items.some(({ kind }, i) => kind === 'months' || (i > 0 && kind === 'string'))) {
      const message =
        'Growth needs buckets of equal width, and days and months of a time zone differ: use `bucket(1h)`, and sum its buckets by day or month.';
      ctx.error('NOT_AVAILABLE', value, message);
      return undefined;
    }
    const [width] = value.args.items;
    return width?.kind === 'duration' && width.nanoseconds > 0n ? width.nanoseconds : automatic;
  }
  return undefined;
}
