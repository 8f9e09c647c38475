import { avg } from './aggregate/avg.ts';
import { avgIf } from './aggregate/avg-if.ts';
import { changes, resets } from './aggregate/changes.ts';
import { correlation } from './aggregate/correlation.ts';
import { count } from './aggregate/count.ts';
import { countDistinct, countDistinctApproximate } from './aggregate/count-distinct.ts';
import { countDistinctIf } from './aggregate/count-distinct-if.ts';
import { max, min } from './aggregate/extremes.ts';
import { gap } from './aggregate/gap.ts';
import { geomean } from './aggregate/geomean.ts';
import { histogramFraction } from './aggregate/histogram-fraction.ts';
import { list } from './aggregate/list.ts';
import { maxIf } from './aggregate/max-if.ts';
import { minIf } from './aggregate/min-if.ts';
import { any, argmax, argmin, first, last, values } from './aggregate/pick.ts';
import { all, none } from './aggregate/quantifiers.ts';
import { percentiles, quantile } from './aggregate/quantile.ts';
import { ratio } from './aggregate/ratio.ts';
import { stddev, stddevPopulation, variance, variancePopulation } from './aggregate/spread.ts';
import { sum } from './aggregate/sum.ts';
import { sumIf } from './aggregate/sum-if.ts';
import { topValues } from './aggregate/top-values.ts';
import { bool } from './convert/bool.ts';
import { duration } from './convert/duration.ts';
import { float } from './convert/float.ts';
import { formatBytes } from './convert/format-bytes.ts';
import { formatDuration } from './convert/format-duration.ts';
import { int } from './convert/int.ts';
import { parseBytes } from './convert/parse-bytes.ts';
import { parseDuration } from './convert/parse-duration.ts';
import { string } from './convert/string.ts';
import { timestamp } from './convert/timestamp.ts';
import type { AggregateFunction, OqlFunction, ScalarFunction, WindowFunction } from './definition.ts';
import { arrayHas } from './list/array-has.ts';
import { arrayLength } from './list/array-length.ts';
import { choose } from './logic/case.ts';
import { coalesce } from './logic/coalesce.ts';
import { when } from './logic/if.ts';
import { isEmpty } from './logic/is-empty.ts';
import { nullIf } from './logic/null-if.ts';
import { abs } from './math/abs.ts';
import { bitAnd } from './math/bit-and.ts';
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
import { trunc } from './math/trunc.ts';
import { summaryQuantile } from './metric/summary-quantile.ts';
import { base64Decode } from './text/base64-decode.ts';
import { base64Encode } from './text/base64-encode.ts';
import { byteLength } from './text/byte-length.ts';
import { concat } from './text/concat.ts';
import { containsAny } from './text/contains-any.ts';
import { countOf } from './text/count-of.ts';
import { decolorize } from './text/decolorize.ts';
import { endsWith } from './text/ends-with.ts';
import { inCidr } from './text/in-cidr.ts';
import { ipNetwork } from './text/ip-network.ts';
import { join } from './text/join.ts';
import { json } from './text/json.ts';
import { length } from './text/length.ts';
import { logfmt } from './text/logfmt.ts';
import { lower } from './text/lower.ts';
import { md5 } from './text/md5.ts';
import { padLeft } from './text/pad-left.ts';
import { position } from './text/position.ts';
import { regexCount } from './text/regex-count.ts';
import { regexExtract } from './text/regex-extract.ts';
import { regexExtractAll } from './text/regex-extract-all.ts';
import { regexReplace } from './text/regex-replace.ts';
import { replace } from './text/replace.ts';
import { reverse } from './text/reverse.ts';
import { sha256 } from './text/sha256.ts';
import { split } from './text/split.ts';
import { splitPart } from './text/split-part.ts';
import { substring } from './text/substring.ts';
import { trim } from './text/trim.ts';
import { upper } from './text/upper.ts';
import { urlDecode } from './text/url-decode.ts';
import { urlEncode } from './text/url-encode.ts';
import { urlHost } from './text/url-host.ts';
import { urlPath } from './text/url-path.ts';
import { urlQuery } from './text/url-query.ts';
import { day } from './time/day.ts';
import { formatTime } from './time/format-time.ts';
import { fromUnix } from './time/from-unix.ts';
import { hour } from './time/hour.ts';
import { milliseconds } from './time/milliseconds.ts';
import { minute } from './time/minute.ts';
import { month } from './time/month.ts';
import { seconds } from './time/seconds.ts';
import { startOf } from './time/start-of.ts';
import { unixSeconds } from './time/unix-seconds.ts';
import { weekday } from './time/weekday.ts';
import { year } from './time/year.ts';
import { anomaly } from './window/anomaly.ts';
import { difference } from './window/difference.ts';
import { lag } from './window/lag.ts';
import { rank } from './window/rank.ts';
import { runningSum } from './window/running-sum.ts';
import { share } from './window/share.ts';

export const AGGREGATES: readonly AggregateFunction[] = [
  ...[
    count,
    countDistinct,
    countDistinctApproximate,
    sum,
    avg,
    min,
    max,
    ratio,
    histogramFraction,
    quantile,
    ...percentiles,
  ],
  ...[sumIf, avgIf, minIf, maxIf, countDistinctIf, list, changes, resets, topValues, geomean, correlation],
  ...[stddev, stddevPopulation, variance, variancePopulation],
  ...[any, all, none, gap, first, last, argmin, argmax, values],
];

export const SCALARS: readonly ScalarFunction[] = [
  summaryQuantile,
  concat,
  inCidr,
  json,
  length,
  byteLength,
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
  endsWith,
  countOf,
  reverse,
  splitPart,
  join,
  containsAny,
  regexExtractAll,
  regexCount,
  base64Decode,
  base64Encode,
  urlDecode,
  urlEncode,
  urlQuery,
  decolorize,
  md5,
  sha256,
  logfmt,
  ipNetwork,
  padLeft,
  arrayLength,
  arrayHas,
  trunc,
  bitAnd,
  parseDuration,
  parseBytes,
  formatBytes,
  formatDuration,
  minute,
  day,
  month,
  year,
  startOf,
  unixSeconds,
  fromUnix,
  formatTime,
  isEmpty,
  nullIf,
];

export const WINDOWS: readonly WindowFunction[] = [lag, difference, runningSum, rank, share, anomaly];

/** The complete library. Other names are rejected, so a query cannot call a ClickHouse function by its name. */
export const FUNCTIONS: readonly OqlFunction[] = [...AGGREGATES, ...SCALARS, ...WINDOWS];

const byName: ReadonlyMap<string, OqlFunction> = new Map(FUNCTIONS.map((definition) => [definition.name, definition]));

export function functionNamed(name: string): OqlFunction | undefined {
  return byName.get(name);
}

export function functionNames(): Iterable<string> {
  return byName.keys();
}
