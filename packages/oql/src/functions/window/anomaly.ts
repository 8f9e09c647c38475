import type { Value } from '../../check/value.ts';
import { over } from '../../check/windows.ts';
import { aggregate, integer, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

/**
 * The modified z-score of Iglewicz and Hoaglin ("How to Detect and Handle Outliers", ASQC, 1993):
 * `0.6745 (x - median) / MAD`, with MAD the median of the distances from the median. They call values beyond 3.5
 * outliers. If more than half of the values are equal, MAD is 0: then, as in IBM's SPSS, the mean distance from the
 * median replaces it, `(x - median) / (1.253314 MeanAD)`. Median and MAD tolerate outliers in up to half of the values.
 */
export const anomaly: WindowFunction = {
  kind: 'window',
  name: 'anomaly',
  doc: 'How far a value is from the median of its series, as a modified z-score: 0.6745 · (x − median) / MAD. Above 3.5 or below −3.5 it is an outlier. With a season, such as `1d`, compares only buckets at the same time of the season. 0 if all values are equal.',
  parameters: [
    { name: 'of', type: 'quantity' },
    { name: 'season', type: 'duration', optional: true, literal: true },
  ],
  returns: 'float',
  nullable: ([of]) => of?.nullable ?? true,
  order: () => undefined,
  fault: ([, season]) => (seasonOf(season) === 0n ? 'A season must be a duration, such as `1d`.' : undefined),
  sql: ([of, season], { series, moment, add }) => {
    const value = of?.nullable === false ? sql`toFloat64(${of.sql})` : sql`toFloat64(${of?.sql ?? sql`0`})`;
    const length = seasonOf(season);
    const phase = length && moment ? [sql`(${moment} % ${integer(length)})`] : [];
    const partition = [...series, ...phase];
    const median = add(over(aggregate('quantileExactInclusiveOrNull', [value], [0.5]), { partition }));
    const distance = sql`abs(${value} - ${median})`;
    const mad = add(over(aggregate('quantileExactInclusiveOrNull', [distance], [0.5]), { partition }));
    const mean = add(over(aggregate('avgOrNull', [distance]), { partition }));
    const away = sql`(${value} - ${median})`;
    return sql`multiIf(${mad} > 0, 0.6745 * ${away} / ${mad}, ${mean} > 0, ${away} / (1.253314 * ${mean}), 0 * ${away})`;
  },
  examples: [
    ['anomaly(x)', [1, 2, 3, 4, 100], [-1.349, -0.6745, 0, 0.6745, 65.4265]],
    ['anomaly(x)', [5, 5, 5], [0, 0, 0]],
  ],
};

/** Undefined if no season is given. */
function seasonOf(season: Value | undefined): bigint | undefined {
  if (!season) return undefined;
  return season.constant?.type === 'duration' && season.constant.value > 0n ? season.constant.value : 0n;
}
