import { type Sql, sql } from '../sql/sql.ts';
import type { ArithmeticOperator, Range } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import { refuseHistogram } from './histogram-value.ts';
import { isNumber, isQuantity, type OqlType, withArticle } from './types.ts';
import { BROKEN, constant, readAs, type Value } from './value.ts';
import { checkedWhole, roundedWhole, wide } from './whole.ts';

const INT64_MAX = 2n ** 63n - 1n;

/**
 * `a operator b`. A duration or size can be added to another one, multiplied or divided by a number, and divided by its own
 * type. A number divided by a duration is a rate per second. The difference of two timestamps is a duration. Division by zero is null.
 */
export function arithmetic(operator: ArithmeticOperator, left: Value, right: Value, range: Range, ctx: Context): Value {
  if (left.broken || right.broken || refuseHistogram(left, range, ctx) || refuseHistogram(right, range, ctx))
    return BROKEN;
  if (mixesCounts(left, right)) {
    const message =
      '`count()` counts the points of a histogram, and the other side its observations. Ask for a share with `ratio(value <= 0.1)`, or divide by the number of observations, `count(value)`.';
    ctx.error('HISTOGRAM_VALUE', range, message);
    return BROKEN;
  }
  const a = asNumber(left);
  const b = asNumber(right);
  const folded = fold(operator, a, b);
  if (folded?.constant && 'value' in folded.constant && isTooLarge(folded.constant.value)) {
    ctx.error('INVALID_VALUE', range, 'This number does not fit in 64 bits.');
    return BROKEN;
  }
  if (folded) return folded;
  const made = byTypes(operator, a, b);
  if (made === undefined) {
    const types = `${withArticle(left.type)} ${operator} ${withArticle(right.type)}`;
    ctx.error('TYPE_MISMATCH', range, `You cannot calculate ${types}.${hint(operator, left, right)}`);
    return BROKEN;
  }
  const [type, text, unchecked] = made;
  const divides = operator === '/' || operator === '%';
  const aggregate = left.aggregate || right.aggregate;
  return {
    type,
    sql: text,
    nullable: a.nullable || b.nullable || (divides && !isNonZero(b)),
    ...(aggregate ? { aggregate } : {}),
    ...(unchecked ? { wide: unchecked } : {}),
  };
}

function mixesCounts({ counts: a }: Value, { counts: b }: Value): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** Whether a number does not fit into 64 bits, which is how the store keeps whole numbers, durations, sizes and times. */
export function isTooLarge(value: unknown): boolean {
  return typeof value === 'bigint' && (value > INT64_MAX || value < -INT64_MAX - 1n);
}

export function negate(value: Value, range: Range, ctx: Context): Value {
  if (value.broken || refuseHistogram(value, range, ctx)) return BROKEN;
  const number = asNumber(value);
  const { constant: known } = number;
  if (known?.type === 'int' || known?.type === 'duration' || known?.type === 'bytes') {
    return constant({ type: known.type, value: -known.value });
  }
  if (known?.type === 'float') return constant({ type: 'float', value: -known.value });
  if (isQuantity(number.type)) {
    return {
      type: number.type,
      sql: number.type === 'float' ? sql`(-${number.sql})` : checkedWhole(sql`(-${wide(number.sql)})`, number.nullable),
      nullable: number.nullable,
      ...(value.aggregate ? { aggregate: true } : {}),
    };
  }
  ctx.error('TYPE_MISMATCH', range, `Cannot negate ${withArticle(value.type)}.`);
  return BROKEN;
}

function asNumber(value: Value): Value {
  return value.type === 'any' ? (readAs(value, 'float') ?? value) : value;
}

function isNonZero({ constant: known }: Value): boolean {
  return known !== undefined && 'value' in known && Number(known.value) !== 0;
}

/** Computes constants, so that `-5m` and `2 * 1h` can be used wherever a duration literal can. */
function fold(operator: ArithmeticOperator, a: Value, b: Value): Value | undefined {
  const left = a.constant;
  const right = b.constant;
  if (!left || !right || !('value' in left) || !('value' in right)) return undefined;
  if (typeof left.value !== 'bigint' || typeof right.value !== 'bigint') return undefined;
  const same = left.type === right.type && left.type !== 'timestamp';
  if ((operator === '+' || operator === '-') && (same || (left.type === 'timestamp' && right.type === 'duration'))) {
    return whole(left.type, operator === '+' ? left.value + right.value : left.value - right.value);
  }
  if (operator === '*' && (left.type === 'int' || right.type === 'int')) {
    const type = left.type === 'int' ? right.type : left.type;
    if (type === 'int' || type === 'duration' || type === 'bytes') return whole(type, left.value * right.value);
  }
  return undefined;
}

function whole(type: 'string' | 'bool' | 'float' | OqlType, value: bigint): Value | undefined {
  if (type !== 'int' && type !== 'duration' && type !== 'bytes' && type !== 'timestamp') return undefined;
  return constant({ type, value });
}

/** `wide`: the same value in more than 64 bits, present for a sum of whole numbers. */
type Made = readonly [type: OqlType, sql: Sql, wide?: Sql];

function wholes(type: OqlType, operator: '+' | '-' | '*', a: Value, b: Value): Made {
  const result = wideResult(operator, a, b);
  const checked = checkedWhole(result, a.nullable || b.nullable);
  return operator === '*' ? [type, checked] : [type, checked, result];
}

function byTypes(operator: ArithmeticOperator, a: Value, b: Value): Made | undefined {
  if (a.type === 'timestamp' || b.type === 'timestamp') return withTimes(operator, a, b);
  if (!isQuantity(a.type) || !isQuantity(b.type)) return undefined;
  switch (operator) {
    case '+':
    case '-':
      return sumOf(operator, a, b);
    case '*':
      return productOf(a, b);
    case '/':
      return quotientOf(a, b);
    case '%':
      return remainderOf(a, b);
  }
}

/** `a operator b` of whole numbers, before the check that it fits into 64 bits. Sums of sums stay wide, so a chain is checked once. */
function wideResult(operator: '+' | '-' | '*', a: Value, b: Value): Sql {
  const keepsWide = operator !== '*';
  return applied(operator, (keepsWide && a.wide) || wide(a.sql), (keepsWide && b.wide) || wide(b.sql));
}

function applied(operator: '+' | '-' | '*', a: Sql, b: Sql): Sql {
  switch (operator) {
    case '+':
      return sql`(${a} + ${b})`;
    case '-':
      return sql`(${a} - ${b})`;
    case '*':
      return sql`(${a} * ${b})`;
  }
}

function sumOf(operator: '+' | '-', a: Value, b: Value): Made | undefined {
  const numbers = isNumber(a.type) && isNumber(b.type);
  const sizes = (a.type === 'bytes' && b.type === 'int') || (a.type === 'int' && b.type === 'bytes');
  if (!numbers && !sizes && a.type !== b.type) return undefined;
  const type = sizes ? 'bytes' : a.type === b.type ? a.type : 'float';
  return type === 'float' ? [type, applied(operator, a.sql, b.sql)] : wholes(type, operator, a, b);
}

function productOf(a: Value, b: Value): Made | undefined {
  const [quantity, factor] = isNumber(a.type) ? [b, a] : [a, b];
  if (!isNumber(factor.type)) return undefined;
  if (quantity.type !== 'float' && factor.type !== 'float') return wholes(quantity.type, '*', a, b);
  const product = applied('*', a.sql, b.sql);
  if (isNumber(quantity.type)) return ['float', product];
  return [quantity.type, roundedWhole(product, a.nullable || b.nullable)];
}

function quotientOf(a: Value, b: Value): Made | undefined {
  const quotient = isNonZero(b) ? sql`(${a.sql} / ${b.sql})` : sql`(${a.sql} / nullIf(${b.sql}, 0))`;
  if (isNumber(a.type) && b.type === 'duration') return ['float', perSecond(a, b)];
  if (a.type === 'bytes' && b.type === 'duration') return ['float', perSecond(a, b)];
  if (isNumber(b.type))
    return isNumber(a.type)
      ? ['float', quotient]
      : [a.type, roundedWhole(quotient, a.nullable || b.nullable || !isNonZero(b))];
  return a.type === b.type ? ['float', quotient] : undefined;
}

function remainderOf(a: Value, b: Value): Made | undefined {
  if (!isNumber(b.type) && a.type !== b.type) return undefined;
  // The engine divides by each entry of a dictionary (`LowCardinality`), of which one is 0. A cast removes the dictionary.
  const divisor = b.type === 'float' || isNonZero(b) ? b.sql : sql`CAST(${b.sql}, 'Nullable(Int64)')`;
  const remainder = isFloat(a, b) ? floatRemainder(a, b) : sql`(${a.sql} % nullIf(${divisor}, 0))`;
  if (b.type !== 'float' || a.type === 'float') return [a.type, remainder];
  return a.type === 'int' ? ['float', remainder] : [a.type, roundedWhole(remainder, true)];
}

function isFloat(a: Value, b: Value): boolean {
  return a.type === 'float' || b.type === 'float';
}

/**
 * The engine computes `a - trunc(a / b) * b`, whose quotient has 53 bits. Whole numbers from 2^53 on are divided as integers: the divisor is a
 * whole number times a power of two, by which both are scaled. Divisors below 2^-75 and floats beyond 2^63 are left to the engine.
 */
function floatRemainder(a: Value, b: Value): Sql {
  const isLarge = sql`(abs(x) >= 9007199254740992 AND abs(x) < 9.2e18 AND abs(y) >= 2.7e-23 AND abs(y) < 4.6e18)`;
  const bits = sql`toInt16(least(greatest(52 - floor(log2(greatest(abs(toFloat64(y)), 2.7e-23))), 0), 128))`;
  const divisor = sql`toInt256(toInt64(y * exp2(k)))`;
  const scaled = sql`(toInt256(toInt64(x)) * bitShiftLeft(toInt256(1), k))`;
  const exact = sql`arrayMap(k -> toFloat64(toInt64(${scaled} % if(${divisor} = 0, toInt256(1), ${divisor}))) / exp2(k), [${bits}])[1]`;
  return sql`arrayMap((x, y) -> if(${isLarge}, ${exact}, toFloat64(x % y)), [${a.sql}], [nullIf(${b.sql}, 0)])[1]`;
}

function perSecond(a: Value, b: Value): Sql {
  const { constant: known } = b;
  if (known?.type === 'duration' && known.value !== 0n) return sql`(${a.sql} / ${Number(known.value) / 1e9})`;
  return sql`(${a.sql} / nullIf(${b.sql} / 1e9, 0))`;
}

function withTimes(operator: ArithmeticOperator, a: Value, b: Value): Made | undefined {
  if (operator === '-' && a.type === 'timestamp' && b.type === 'timestamp') {
    const [later, earlier] = [a, b].map((value) => wide(sql`toUnixTimestamp64Nano(${nanos(value)})`));
    return ['duration', checkedWhole(applied('-', later ?? a.sql, earlier ?? b.sql), a.nullable || b.nullable)];
  }
  if (operator === '+' && a.type === 'duration' && b.type === 'timestamp') return ['timestamp', moved(b, a, '+')];
  if ((operator === '+' || operator === '-') && a.type === 'timestamp' && b.type === 'duration') {
    return ['timestamp', moved(a, b, operator)];
  }
  return undefined;
}

function nanos(value: Value): Sql {
  return sql`toDateTime64(${value.sql}, 9, 'UTC')`;
}

function moved(time: Value, by: Value, operator: '+' | '-'): Sql {
  const moved = applied(operator, wide(sql`toUnixTimestamp64Nano(${nanos(time)})`), wide(by.sql));
  return sql`fromUnixTimestamp64Nano(${checkedWhole(moved, time.nullable || by.nullable)}, 'UTC')`;
}

function hint(operator: ArithmeticOperator, a: Value, b: Value): string {
  const durations = a.type === 'duration' || b.type === 'duration';
  if ((operator === '+' || operator === '-') && durations && (isNumber(a.type) || isNumber(b.type))) {
    return ' Add a unit, as in `100ms`.';
  }
  if (operator === '+' && (a.type === 'string' || b.type === 'string')) return ' Use `concat(a, b)` to join text.';
  return '';
}
