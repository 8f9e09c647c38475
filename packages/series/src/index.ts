export { Groups } from './groups.ts';
export { type Growth, type GrowthSteps, growth } from './growth.ts';
export { lastValue } from './last-value.ts';
export { prometheusRate, type Rate } from './prometheus-rate.ts';
export {
  type Column,
  type Counter,
  clear,
  columnOf,
  placeOf,
  type Samples,
  type Span,
  type Steps,
  spanOf,
  UNKNOWN_START,
} from './samples.ts';
