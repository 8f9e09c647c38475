import { Annotations } from './annotations.ts';
import type { Expression, VectorSelector } from './ast.ts';
import { nameOf, typeOf } from './check/types.ts';
import type { Column } from './columns.ts';
import { PromqlError } from './error.ts';
import { rangeAt, rangeSeries, valueOver } from './expression.ts';
import { type Grid, timeOf } from './grid.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import { LabelSets } from './label-sets.ts';
import type { Labels } from './labels.ts';
import { named, samplesOf, seriesOf, sorted } from './result.ts';
import type { SampleSeries, SampleSource } from './samples.ts';
import type { Scope } from './scope.ts';
import type { Series } from './select.ts';
import { matchersOf } from './selectors.ts';
import { type Window, windowsOf } from './windows.ts';
import { LABEL_UNITS, Work } from './work.ts';

export interface EvaluationOptions {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** Milliseconds since 1970, inclusive. */
  readonly end: number;
  /** Milliseconds; 0: an instant query at `start`. */
  readonly step: number;
  /** Milliseconds; Prometheus' default is 300,000. */
  readonly lookback: number;
  readonly limits: EvaluationLimits;
  /** Milliseconds between the evaluations of a sub-query without a step of its own; Prometheus' default is 60,000. */
  readonly subqueryStep?: number;
  /**
   * `exact`: `increase` counts from the last sample before its range (within `lookback`) and extrapolates nothing, so that the increases of
   * adjacent ranges add up to their whole. By default `extrapolated`, as in Prometheus.
   */
  readonly increases?: 'extrapolated' | 'exact';
}

/** What an evaluation may hold in memory at one time. */
export interface EvaluationLimits {
  readonly steps: number;
  readonly series: number;
  /** Selected samples, and points of any intermediate result. */
  readonly samples: number;
}

export interface Scalar {
  readonly type: 'scalar';
  readonly time: number;
  readonly value: number;
}

export interface StringValue {
  readonly type: 'string';
  readonly time: number;
  readonly value: string;
}

export interface Sample {
  readonly labels: Labels;
  readonly time: number;
  /** NaN for a histogram. */
  readonly value: number;
  readonly histogram?: NativeHistogram;
}

export interface InstantVector {
  readonly type: 'vector';
  readonly samples: readonly Sample[];
}

export interface Matrix {
  readonly type: 'matrix';
  readonly series: readonly SampleSeries[];
}

export interface Evaluation {
  readonly result: Scalar | StringValue | InstantVector | Matrix;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

/**
 * Evaluates an expression over the samples of a source: at `start` for an instant query, else at each step from `start` to `end`.
 *
 * @throws PromqlError where the samples do not fit the expression, at a limit, and when the signal is aborted
 */
export async function evaluate(
  expression: Expression,
  options: EvaluationOptions,
  source: SampleSource,
  signal: AbortSignal,
): Promise<Evaluation> {
  const isInstant = options.step === 0;
  const grid = gridOf(options);
  checkSteps(expression, grid, isInstant, options.limits);
  if (grid.count === 0) return { result: { type: 'matrix', series: [] }, warnings: [], infos: [] };
  const { lookback, subqueryStep = DEFAULT_SUBQUERY_STEP, increases } = options;
  const times = { grid, lookback, subqueryStep, anchorMs: increases === 'exact' ? lookback : 0 };
  const [sets, notes] = [new LabelSets(), new Annotations()];
  const work = new Work(signal, options.limits.samples);
  const windows = windowsOf(expression, times);
  const samples = await loaded(windows, source, signal, { sets, notes, work, limits: options.limits });
  const scope: Scope = { times, isInstant, sets, notes, work, samples };
  const result = await resultOf(expression, grid, scope);
  return { result, warnings: notes.warnings, infos: notes.infos };
}

const DEFAULT_SUBQUERY_STEP = 60_000;

function gridOf({ start, end, step }: EvaluationOptions): Grid {
  if (step === 0) return { first: start, step: 1, count: 1 };
  return { first: start, step, count: Math.max(0, Math.floor((end - start) / step) + 1) };
}

function checkSteps(expression: Expression, grid: Grid, isInstant: boolean, limits: EvaluationLimits): void {
  const type = typeOf(expression);
  if (!isInstant && type !== 'scalar' && type !== 'vector')
    throw new PromqlError(
      'parse',
      `invalid expression type ${JSON.stringify(nameOf(type))} for range query, must be Scalar or instant Vector`,
    );
  if (grid.count > limits.steps)
    throw new PromqlError(
      'limit',
      `exceeded maximum resolution of ${limits.steps} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    );
}

interface Loading {
  readonly sets: LabelSets;
  readonly notes: Annotations;
  readonly work: Work;
  readonly limits: EvaluationLimits;
}

/** Asks for the samples of each selector once. */
async function loaded(
  windows: readonly Window[],
  source: SampleSource,
  signal: AbortSignal,
  { sets, notes, work, limits }: Loading,
): Promise<Map<VectorSelector, readonly Series[]>> {
  const answers = await Promise.all(
    windows.map(({ selector, start, end }) =>
      source.select({ matchers: matchersOf(selector), start, end, range: selector.rangeMs }, signal),
    ),
  );
  const samples = new Map<VectorSelector, readonly Series[]>();
  let [seriesCount, sampleCount] = [0, 0];
  for (const [i, { series, warnings }] of answers.entries()) {
    notes.addWarnings(warnings);
    seriesCount += series.length;
    for (const { times } of series) sampleCount += times.length;
    if (seriesCount > limits.series)
      throw new PromqlError('limit', `the selectors match more than ${limits.series} series`);
    if (sampleCount > limits.samples)
      throw new PromqlError(
        'limit',
        `query processing would load too many samples into memory in query execution: the limit is ${limits.samples}`,
      );
    const selector = windows[i]?.selector;
    const interned = await work.map(series, LABEL_UNITS, (one) => internedSeries(one, sets));
    if (selector !== undefined) samples.set(selector, sorted(interned));
  }
  return samples;
}

function internedSeries({ labels, times, values, histograms }: SampleSeries, sets: LabelSets): Series {
  return { labels: sets.of(labels), dropsName: false, times, values, histograms };
}

async function resultOf(expression: Expression, grid: Grid, scope: Scope): Promise<Evaluation['result']> {
  const time = grid.first;
  if (expression.kind === 'parentheses') return resultOf(expression.of, grid, scope);
  if (expression.kind === 'subquery' || (expression.kind === 'selector' && expression.rangeMs !== undefined)) {
    const series = await rangeSeries(expression, grid, scope);
    const ranged = series.map((one) => (one.dropsName ? { ...one, labels: scope.sets.nameless(one.labels) } : one));
    return { type: 'matrix', series: samplesOf(ranged, rangeAt(expression, grid, scope)) };
  }
  const value = await valueOver(expression, grid, scope);
  if (value.type === 'string') return { type: 'string', time, value: value.value };
  if (value.type === 'scalar') {
    if (scope.isInstant) return { type: 'scalar', time, value: value.values[0] ?? Number.NaN };
    const times = Float64Array.from(value.values, (_, step) => timeOf(grid, step));
    return { type: 'matrix', series: [{ labels: new Map(), times, values: value.values }] };
  }
  const columns = await named(value.columns, scope.sets, scope.work);
  if (!scope.isInstant) return { type: 'matrix', series: await seriesOf(columns, grid, scope.work) };
  return { type: 'vector', samples: columns.map((column) => sampleOf(column, time)) };
}

function sampleOf({ labels, values, histograms }: Column, time: number): Sample {
  const histogram = histograms?.[0];
  if (histogram === undefined) return { labels: labels.labels, time, value: values[0] ?? Number.NaN };
  return { labels: labels.labels, time, value: Number.NaN, histogram };
}
