import type { Expression } from './ast.ts';
import { PromqlError } from './error.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import type { Labels } from './labels.ts';
import type { SampleSeries, SampleSource } from './samples.ts';

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
  _expression: Expression,
  _options: EvaluationOptions,
  _source: SampleSource,
  _signal: AbortSignal,
): Promise<Evaluation> {
  throw new PromqlError('execution', 'not evaluated yet');
}
