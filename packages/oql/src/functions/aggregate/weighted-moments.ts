import { aggregate, type Sql, sql } from '../../sql/sql.ts';

/**
 * (the sum of weights, the sum of squared distances from the mean) of values that each count as often as their weight. The engine has no
 * weighted variance, and sums of squares lose the digits of large values. So its stable variance is taken for each weight, of which there are few, and
 * these are put together: the squares of a part, and its distance from the mean of all.
 * @param value a float
 * @param holds which rows have one
 */
export function weightedSquares(value: Sql, weight: Sql, holds: Sql): Sql {
  const byWeight = sql`map(reinterpretAsUInt64(toFloat64(${weight})), toFloat64(${value}))`;
  const of = (fn: string) => aggregate(`${fn}MapIf`, [byWeight, holds]);
  const size = sql`reinterpretAsFloat64(k) * q.1[k]`;
  // Each step is a function of the tuple before it.
  const total = sql`arrayMap(q -> (q.1, q.2, q.3, arraySum(k -> ${size}, mapKeys(q.1))), [(${of('count')}, ${of('avg')}, ${of('varPopStable')})])[1]`;
  const mean = sql`arrayMap(q -> (q.1, q.2, q.3, q.4, arraySum(k -> ${size} * q.2[k], mapKeys(q.1)) / q.4), [${total}])[1]`;
  return sql`arrayMap(q -> (q.4, arraySum(k -> ${size} * (q.3[k] + pow(q.2[k] - q.5, 2)), mapKeys(q.1))), [${mean}])[1]`;
}
