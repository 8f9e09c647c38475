export type * from './ast.ts';
export { typeOf } from './check/types.ts';
export { PromqlError } from './error.ts';
export {
  type Evaluation,
  type EvaluationLimits,
  type EvaluationOptions,
  evaluate,
  type InstantVector,
  type Matrix,
  type Sample,
  type Scalar,
  type StringValue,
} from './evaluate.ts';
export { formatPromql } from './format.ts';
export { type ListedBucket, listedBuckets } from './histogram/bounds.ts';
export { bucketsOf, bucketsOfSpans } from './histogram/buckets.ts';
export {
  type Buckets,
  type CounterReset,
  CUSTOM_BUCKETS,
  type NativeHistogram,
} from './histogram/native-histogram.ts';
export { type LabelMatcher, type Labels, METRIC_NAME } from './labels.ts';
export { decimalText } from './numbers.ts';
export { parsePromql } from './parse/index.ts';
export { DURATION_UNITS_MS } from './parse/literals.ts';
export {
  bitsOf,
  isStale,
  type SampleSeries,
  type SampleSource,
  type SelectRequest,
  STALE_BITS,
  setStale,
} from './samples.ts';
export { matchersOf, partsOf, selectorsOf } from './selectors.ts';
