import { aggregate, type Sql, sql } from '../../sql/sql.ts';

/**
 * The sum of floats with compensation for rounding errors (Kahan and Neumaier, as in Prometheus' `sum`, `avg`,
 * `sum_over_time` and `avg_over_time`). The engine's compensated sum of an infinity is NaN; its plain sum is correct in
 * this case.
 */
export function compensatedSum(value: Sql): Sql {
  return either(aggregate('sumKahanOrNull', [value]), aggregate('sumOrNull', [value]));
}

/** The mean of `n` floats by the same sum; null for none. If the sum overflows, the values are scaled down first. */
export function compensatedMean(value: Sql, n: Sql = aggregate('count', [value])): Sql {
  // 2^64, which changes no digit of a float.
  const scaled = aggregate('sumOrNull', [sql`(${value} / 18446744073709551616)`]);
  const of = sql`nullIf(${n}, 0)`;
  const mean = sql`(${aggregate('sumKahanOrNull', [value])} / ${of})`;
  return either(mean, sql`(${scaled} / ${of} * 18446744073709551616)`);
}

function either(compensated: Sql, plain: Sql): Sql {
  return sql`arrayMap((k, s) -> if(isFinite(k), k, s), [${compensated}], [${plain}])[1]`;
}
