import { aggregate, type Sql, sql } from '../sql/sql.ts';
import { isBeyondFloats } from './compare-attribute.ts';
import { compared, type Ordering } from './operators.ts';
import type { Integer, Value } from './value.ts';

/** The integers of a value where aggregates compute in integers. */
export function expected({ integer }: Value): Integer | undefined {
  return typeof integer === 'object' && integer.isExpected ? integer : undefined;
}

/** Compares a value with an integer where a float would round one of them; undefined where floats are enough. */
export function compareInteger(operator: Ordering, value: Value, other: Value): Sql | undefined {
  const { integer } = value;
  if (integer === undefined || integer === 'none' || other.type !== 'int') return undefined;
  if (other.constant?.type === 'int' && !isBeyondFloats(other.constant.value)) return undefined;
  const positive: Ordering = operator === '!=' ? '==' : operator;
  // The engine compares a float with an integer exactly.
  const holds = sql`ifNull(if(${integer.sql} != 0, ${compared(positive, integer.sql, other.sql)}, ${compared(positive, value.sql, other.sql)}), false)`;
  return operator === '!=' ? sql`(NOT ${holds})` : holds;
}

/** An integer beyond 2^53 as digits after the letter `i`; the float as text otherwise. `decodeRow` reads both. */
export function integerText(value: Value): Sql | undefined {
  const { integer } = value;
  if (integer === undefined || integer === 'none') return undefined;
  return sql`if(${integer.sql} != 0, concat('i', toString(${integer.sql})), toString(${value.sql}))`;
}

/** The value as a whole number of 128 bits; null if it has a fraction, or is not finite. */
export function wholeOf(value: Sql, integer: Sql): Sql {
  return sql`if(${integer} != 0, toInt128(${integer}), accurateCastOrNull(${value}, 'Int128'))`;
}

/** The integer of the smallest or largest value, if that is one beyond 2^53: of equal floats, the one that is most below or above. */
export function extremeInteger(side: 'min' | 'max', value: Sql, integer: Sql): Sql {
  const rest = sql`if(${integer} != 0, toInt128(${integer}) - ifNull(accurateCastOrNull(${value}, 'Int128'), 0), 0)`;
  const pick = side === 'min' ? 'argMinIf' : 'argMaxIf';
  return aggregate(pick, [
    integer,
    sql`(ifNull(${value}, 0.), ${rest})`,
    sql`(isNotNull(${value}) AND NOT isNaN(${value}))`,
  ]);
}

/** The sum as the nearest float where all values are whole numbers, and the integer if it is beyond 2^53 and fits into 64 bits. */
export function summedIntegers(value: Sql, { sql: integer }: Integer, ofFractions: Sql): { sum: Sql; integer: Sql } {
  const whole = wholeOf(value, integer);
  const total = sql`ifNull(${aggregate('sum', [whole])}, 0)`;
  const isWhole = sql`(${aggregate('countIf', [sql`isNull(${whole})`])} = 0)`;
  const fits = sql`(${total} BETWEEN toInt64('-9223372036854775808') AND 9223372036854775807)`;
  return {
    sum: sql`if(${isWhole}, toFloat64(${total}), ${ofFractions})`,
    integer: sql`if(${isWhole} AND ${fits} AND abs(${total}) > 9007199254740991, toInt64(${total}), 0)`,
  };
}
