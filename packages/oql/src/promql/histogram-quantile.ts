import { quantileAggregate } from './aggregates.ts';
import { type Expression, NoEqual } from './ast.ts';
import type { Context } from './context.ts';
import { constantOf } from './expressions.ts';
import { grouped, groupLabels } from './grouping.ts';
import { bySeries, knownLabels, ungroupedOf } from './series.ts';
import type { Vector } from './vector.ts';

/** A quantile of the rate or increase of histograms, or of their sum. */
export function histogramQuantile(context: Context, [levelOf, of]: readonly Expression[]): Vector {
  const aggregate = quantileAggregate(levelOf === undefined ? undefined : constantOf(levelOf));
  if (aggregate === undefined || of === undefined) throw new NoEqual('histogram_quantile needs a level from 0 to 1');
  const isSummed = of.kind === 'aggregate' && of.op === 'sum' && of.args.length === 1;
  const points = ungroupedOf(isSummed ? (of.args[0] ?? of) : of);
  if (points === undefined || !/^(promrate|promincrease) /.test(points.stages.at(-1) ?? ''))
    throw new NoEqual('histogram_quantile needs rate or increase of buckets, or their sum');
  const isClassic = points.metric.endsWith('_bucket');
  if (isClassic && !points.areBuckets) throw new NoEqual('histogram_quantile of selected buckets');
  if (!isSummed) {
    const labels = knownLabels(context).filter((label) => label !== 'le' && label !== '__name__');
    return bySeries(context, points, aggregate, labels);
  }
  const labels = groupLabels(context, of.grouping);
  const keepsBound = of.grouping.mode === 'by' ? labels.includes('le') : !of.grouping.labels.includes('le');
  if (isClassic && !keepsBound)
    throw new NoEqual('the sum drops the label le, so nothing is left to compute a quantile of');
  return grouped(
    context,
    points.stages,
    aggregate,
    labels.filter((label) => label !== 'le'),
    true,
  );
}
