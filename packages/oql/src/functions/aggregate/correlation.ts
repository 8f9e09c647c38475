import { aggregate, NULL, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { weightedSquares } from './weighted-moments.ts';

/**
 * The covariance is half of what the variance of the sum has beyond those of its two parts. Where one value varies a billion times more
 * than the other, eight digits are left.
 */
function weightedCorrelation(a: Sql, b: Sql, weight: Sql): Sql {
  const holds = sql`(isNotNull(${a}) AND isNotNull(${b}))`;
  const float = (of: Sql) => sql`ifNull(toFloat64(${of}), 0.)`;
  const squares = (of: Sql) => weightedSquares(of, weight, holds);
  const found = sql`(s.2 - x.2 - y.2) / (2 * sqrt(x.2) * sqrt(y.2))`;
  return sql`arrayMap((x, y, s) -> if(x.2 > 0 AND y.2 > 0, least(greatest(${found}, -1.), 1.), nan), [${squares(float(a))}], [${squares(float(b))}], [${squares(sql`(${float(a)} + ${float(b)})`)}])[1]`;
}

export const correlation: AggregateFunction = {
  kind: 'aggregate',
  name: 'correlation',
  doc: "Pearson's correlation of two values, -1 to 1.",
  parameters: [
    { name: 'a', type: 'quantity' },
    { name: 'b', type: 'quantity' },
  ],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  sql: ([a, b], { weight }) => {
    const [x, y] = [a?.sql ?? NULL, b?.sql ?? NULL];
    const found = weight ? weightedCorrelation(x, y, weight) : aggregate('corrStableOrNull', [x, y]);
    return sql`if(isFinite(${found}), ${found}, NULL)`;
  },
  examples: [
    ['correlation(x, x * 2)', [1, 2, 3], 1],
    ['correlation(x, x)', [5, 5], null],
  ],
};
