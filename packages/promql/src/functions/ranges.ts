import {
  avgOverTime,
  changes,
  countOverTime,
  firstOverTime,
  lastOverTime,
  maxOverTime,
  minOverTime,
  presentOverTime,
  quantileOverTime,
  resets,
  stddevOverTime,
  stdvarOverTime,
  sumOverTime,
} from './over-time.ts';
import type { RangeFunctionMaker } from './range-function.ts';
import { growth, lastGrowth } from './rate.ts';
import { deriv, predictLinear } from './trend.ts';

/** Functions of ranges by name. `absent_over_time` asks which steps have samples. */
export const RANGE_FUNCTIONS: ReadonlyMap<string, RangeFunctionMaker> = new Map([
  ['absent_over_time', presentOverTime],
  ['avg_over_time', avgOverTime],
  ['changes', changes],
  ['count_over_time', countOverTime],
  ['delta', growth('delta')],
  ['deriv', deriv],
  ['first_over_time', firstOverTime],
  ['idelta', lastGrowth('idelta')],
  ['increase', growth('increase')],
  ['irate', lastGrowth('irate')],
  ['last_over_time', lastOverTime],
  ['max_over_time', maxOverTime],
  ['min_over_time', minOverTime],
  ['predict_linear', predictLinear],
  ['present_over_time', presentOverTime],
  ['quantile_over_time', quantileOverTime],
  ['rate', growth('rate')],
  ['resets', resets],
  ['stddev_over_time', stddevOverTime],
  ['stdvar_over_time', stdvarOverTime],
  ['sum_over_time', sumOverTime],
]);
