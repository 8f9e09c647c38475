import { avg } from './aggregate/avg.ts';
import { count } from './aggregate/count.ts';
import { countDistinct, countDistinctApproximate } from './aggregate/count-distinct.ts';
import { max, min } from './aggregate/extremes.ts';
import { gap } from './aggregate/gap.ts';
import { any, argmax, argmin, first, last, values } from './aggregate/pick.ts';
import { all, none } from './aggregate/quantifiers.ts';
import { percentiles, quantile } from './aggregate/quantile.ts';
import { ratio } from './aggregate/ratio.ts';
import { stddev, variance } from './aggregate/spread.ts';
import { sum } from './aggregate/sum.ts';
import { bool } from './convert/bool.ts';
import { duration } from './convert/duration.ts';
import { float } from './convert/float.ts';
import { int } from './convert/int.ts';
import { string } from './convert/string.ts';
import { timestamp } from './convert/timestamp.ts';
import type { AggregateFunction, OqlFunction, ScalarFunction } from './definition.ts';
import { choose } from './logic/case.ts';
import { coalesce } from './logic/coalesce.ts';
import { when } from './logic/if.ts';
import { abs } from './math/abs.ts';
import { ceil } from './math/ceil.ts';
import { clamp } from './math/clamp.ts';
import { exp } from './math/exp.ts';
import { floor } from './math/floor.ts';
import { largest } from './math/largest.ts';
import { ln } from './math/ln.ts';
import { log2 } from './math/log2.ts';
import { log10 } from './math/log10.ts';
import { pow } from './math/pow.ts';
import { round } from './math/round.ts';
import { sign } from './math/sign.ts';
import { smallest } from './math/smallest.ts';
import { sqrt } from './math/sqrt.ts';
import { concat } from './text/concat.ts';
import { inCidr } from './text/in-cidr.ts';
import { json } from './text/json.ts';
import { length } from './text/length.ts';
import { lower } from './text/lower.ts';
import { position } from './text/position.ts';
import { regexExtract } from './text/regex-extract.ts';
import { regexReplace } from './text/regex-replace.ts';
import { replace } from './text/replace.ts';
import { split } from './text/split.ts';
import { substring } from './text/substring.ts';
import { trim } from './text/trim.ts';
import { upper } from './text/upper.ts';
import { urlHost } from './text/url-host.ts';
import { urlPath } from './text/url-path.ts';
import { hour } from './time/hour.ts';
import { milliseconds } from './time/milliseconds.ts';
import { seconds } from './time/seconds.ts';
import { weekday } from './time/weekday.ts';

export const AGGREGATES: readonly AggregateFunction[] = [
  ...[count, countDistinct, countDistinctApproximate, sum, avg, min, max, ratio, quantile, ...percentiles],
  ...[stddev, variance, any, all, none, gap, first, last, argmin, argmax, values],
];

export const SCALARS: readonly ScalarFunction[] = [
  concat,
  inCidr,
  json,
  length,
  lower,
  position,
  regexExtract,
  regexReplace,
  replace,
  split,
  substring,
  trim,
  upper,
  urlHost,
  urlPath,
  abs,
  ceil,
  clamp,
  exp,
  floor,
  largest,
  ln,
  log10,
  log2,
  pow,
  round,
  sign,
  smallest,
  sqrt,
  bool,
  duration,
  float,
  int,
  string,
  timestamp,
  choose,
  coalesce,
  when,
  hour,
  milliseconds,
  seconds,
  weekday,
];

/** The whole library: what is not in it does not exist, so no function of ClickHouse can be reached by its name. */
export const FUNCTIONS: readonly OqlFunction[] = [...AGGREGATES, ...SCALARS];

const byName: ReadonlyMap<string, OqlFunction> = new Map(FUNCTIONS.map((definition) => [definition.name, definition]));

export function functionNamed(name: string): OqlFunction | undefined {
  return byName.get(name);
}

export function functionNames(): Iterable<string> {
  return byName.keys();
}
