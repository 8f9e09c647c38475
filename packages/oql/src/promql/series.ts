import { type Aggregate, aggregateStages } from './aggregates.ts';
import { type Expression, NoEqual, type Selector } from './ast.ts';
import type { Context } from './context.ts';
import { durationText, labelField, sourceStages } from './selector.ts';
import type { Points, Vector } from './vector.ts';

/** What PromQL reads for an instant vector. */
const lookback = '5m';
const rates: Readonly<Record<string, string>> = {
  rate: 'promrate',
  increase: 'promincrease',
  irate: 'irate',
  deriv: 'deriv',
};

/** The stage that computes a function of a range for each point; undefined for other functions. */
export function rateStage(fn: string): string | undefined {
  return Object.hasOwn(rates, fn) ? rates[fn] : undefined;
}

export function pointsOf(selector: Selector, stages: readonly string[]): Points {
  const { metric, matchers } = selector;
  const areBuckets = metric.endsWith('_bucket') && !matchers.some(({ label }) => label === 'le');
  return { stages: [...sourceStages(selector), ...stages], metric, areBuckets };
}

/** The points of an instant vector. */
export function latestOf(selector: Selector): Points {
  return pointsOf(selector, [`latest ${lookback}`]);
}

/** The points of a vector that need not be grouped by series before they are grouped by other keys. */
export function ungroupedOf(expression: Expression): Points | undefined {
  if (expression.kind === 'selector' && expression.rangeSeconds === undefined) return latestOf(expression);
  if (expression.kind !== 'call') return undefined;
  const [of] = expression.args;
  const stage = rateStage(expression.fn);
  if (stage === undefined || of?.kind !== 'selector' || of.rangeSeconds === undefined) return undefined;
  return pointsOf(of, [`${stage} ${durationText(of.rangeSeconds)}`]);
}

/** Each series with its labels. Two series that differ in a label that is not known fail: they have the same labels. */
export function seriesOf(context: Context, points: Points, value: Aggregate = { of: 'any(value)' }): Vector {
  const labels = knownLabels(context);
  if (points.areBuckets && !labels.includes('le')) throw noBound(points.metric);
  return bySeries(context, points, value, [...labels].filter((label) => label !== '__name__').sort());
}

/** Labels that series can have, for a result that keeps them. */
export function knownLabels({ options }: Context): readonly string[] {
  if (options.labels === undefined)
    throw new NoEqual(
      'its result has all labels of its series, which are not known: name them with --labels, or connect to the server',
    );
  return options.labels;
}

/** One row of each series. */
export function bySeries(context: Context, { stages }: Points, value: Aggregate, labels: readonly string[]): Vector {
  const keys = ['series', ...[...labels].sort().map((label) => keyOf(context, label, true))];
  return { stages: [...stages, ...aggregateStages(value, keys), 'omit series'], labels };
}

/** A label as a key of a grouping: of points, or of rows that have it as a column. */
export function keyOf({ isMatching }: Context, label: string, ofPoints: boolean): string {
  const field = labelField(label);
  if (!ofPoints) return label;
  if (isMatching) return `${label}=coalesce(string(attr.${label}), "")`;
  return field === label ? label : `${label}=${field}`;
}

export function noBound(metric: string): NoEqual {
  return new NoEqual(
    `${metric} has the buckets of histograms: OQL reads them as histograms unless the query names \`le\``,
  );
}

/** Points of a function over time: all of the window that the query is asked for. */
export function windowOf({ options, found }: Context, selector: Selector): Points {
  const { rangeSeconds } = selector;
  if (rangeSeconds === undefined) throw new NoEqual('a function over time needs a range, as in x[5m]');
  if (options.purpose === 'record')
    throw new NoEqual('a recording rule reads one step of time, and a function over time another range');
  if (found.windowSeconds !== undefined && found.windowSeconds !== rangeSeconds)
    throw new NoEqual('it has functions over two different ranges of time');
  found.windowSeconds = rangeSeconds;
  return pointsOf(selector, []);
}
