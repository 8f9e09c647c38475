import { aggregate, type Sql, sql } from '../sql/sql.ts';
import { compared, type Ordering } from './operators.ts';
import type { Integer, Split, Value } from './value.ts';
import { checkedWhole, isBeyondFloats } from './whole.ts';

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

/** The smallest or largest value, and its integer if that is one beyond 2^53: of equal floats, the one that is most below or above. */
export function exactExtreme(side: 'min' | 'max', value: Sql, integer: Sql): Sql {
  const rest = sql`if(${integer} != 0, toInt128(${integer}) - ifNull(accurateCastOrNull(${value}, 'Int128'), 0), 0)`;
  const pick = side === 'min' ? 'argMinIf' : 'argMaxIf';
  const exact = aggregate(pick, [
    integer,
    sql`(ifNull(${value}, 0.), ${rest})`,
    sql`(isNotNull(${value}) AND NOT isNaN(${value}))`,
  ]);
  return sql`tuple(${aggregate(`${side}OrNull`, [value])}, ${exact})`;
}

/** What a sum adds up: whole numbers in 128 bits, and other floats. Each value is one of them, and null in the other. */
export interface Summands extends Split {
  /** What a sum of whole numbers that does not fit into 64 bits is. */
  readonly beyond: 'float' | 'error';
}

/** The values of a float that knows its integers; undefined if it knows none. */
export function summands(of: Value | undefined, weight?: Sql): Summands | undefined {
  if (of?.type !== 'float') return undefined;
  if (of.split) return { ...weighted(of.sql, of.split(), weight), beyond: 'error' };
  const integers = expected(of);
  if (!integers) return undefined;
  // A float beyond 64 bits is added as a float: 128 bits hold the sum of any number of others.
  const whole = sql`if(${integers.sql} != 0, ${integers.sql}, accurateCastOrNull(${of.sql}, 'Int64'))`;
  return { ...weighted(of.sql, { whole, rest: sql`if(isNull(${whole}), ${of.sql}, NULL)` }, weight), beyond: 'float' };
}

/** The product of an integer and a weight is a whole number if the weight is one; weights from 2^31 on are not counted as such. */
function weighted(value: Sql, { whole, rest }: Split, weight?: Sql): Split {
  if (!weight) return { whole: sql`toInt128(${whole})`, rest };
  const times = sql`accurateCastOrNull(${weight}, 'Int32')`;
  return {
    whole: sql`(toInt128(${whole}) * ${times})`,
    rest: sql`(if(isNull(${times}), ${value}, ${rest}) * ${weight})`,
  };
}

/** The function and modifiers that a sum is computed with: in a group, or over other rows. */
type Add = (fn: 'sum' | 'sumOrNull' | 'sumKahanOrNull', value: Sql) => Sql;

/**
 * A sum of floats as a pair: the nearest float, and the integer if all values are whole numbers and their sum is beyond 2^53, otherwise 0.
 * The whole numbers are added up as such, so that large ones cancel exactly.
 */
export function exactSum({ whole, rest, beyond }: Summands, add: Add = (fn, value) => aggregate(fn, [value])): Sql {
  const fits = beyond === 'float' && sql`t BETWEEN toInt64('-9223372036854775808') AND 9223372036854775807`;
  const digits = sql`if(isNull(s) AND abs(t) > 9007199254740991${fits ? sql` AND ${fits}` : sql``}, t, 0)`;
  const integer = beyond === 'error' ? checkedWhole(digits, false) : sql`toInt64(${digits})`;
  // The compensated sum of an infinity is NaN.
  const float = sql`(toFloat64(t) + ifNull(if(isFinite(k), k, s), 0.))`;
  return sql`arrayMap((t, k, s) -> (${float}, ${integer}), [ifNull(${add('sum', whole)}, 0)], [${add('sumKahanOrNull', rest)}], [${add('sumOrNull', rest)}])[1]`;
}

/** The same as a nullable value: a missing row has null and 0. Undefined if aggregates do not compute the value in integers. */
export function missable(value: Value): Value | undefined {
  const integer = expected(value);
  return integer && { ...value, nullable: true, ...ofPair(sql`tuple(toNullable(${value.sql}), ${integer.sql})`) };
}

/** A value that is stored and computed as a pair: see {@link exactSum}. */
export function ofPair(pair: Sql): { readonly sql: Sql; readonly integer: Integer } {
  const part = (i: number) => sql`tupleElement(${pair}, ${i})`;
  return { sql: part(1), integer: { sql: part(2), isExpected: true, pair } };
}
