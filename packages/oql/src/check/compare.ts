import { replaceWith } from '../diagnostics/diagnostic.ts';
import { FALSE, type Sql, some, sql, text } from '../sql/sql.ts';
import type { Expression, ExpressionOf, Range } from '../syntax/ast.ts';
import type { AttributeType } from './catalogue.ts';
import { compareAttribute } from './compare-attribute.ts';
import { compareHistogram, histogramBetween } from './compare-histogram.ts';
import type { Context } from './context.ts';
import { type Enumeration, nearestMember } from './enumeration.ts';
import type { Environment } from './environment.ts';
import { compareInteger } from './integers.ts';
import { matchAnywhere } from './match-anywhere.ts';
import { reportMismatch } from './mismatch.ts';
import { compared, isOrdering, MIRRORED, type Ordering } from './operators.ts';
import { parameterValue } from './parameters.ts';
import { findColumn } from './relation.ts';
import { refuseStatusOfLogs } from './status-of-logs.ts';
import { tagged } from './tagged.ts';
import { matchText } from './text-match.ts';
import { isNumber, isQuantity, type OqlType, withArticle } from './types.ts';
import { BROKEN, type Constant, isNull, type Operand, readAs, type Value } from './value.ts';

export function checkComparison(expression: ExpressionOf<'compare'>, env: Environment): Value {
  const { operator } = expression;
  if (!isOrdering(operator)) {
    const anywhere = matchAnywhere(expression, env);
    if (anywhere) return anywhere;
    return matchText(operator, env.check(expression.left, env), env.check(expression.right, env), expression, env.ctx);
  }
  const { left, right } = expression;
  if (refuseStatusOfLogs(expression, env)) return BROKEN;
  const memberOnRight = memberComparison(operator, left, right, env);
  if (memberOnRight) return memberOnRight;
  const memberOnLeft = memberComparison(MIRRORED[operator], right, left, env);
  if (memberOnLeft) return memberOnLeft;
  const operands = [
    { value: env.check(left, env), at: left },
    { value: env.check(right, env), at: right },
  ] as const;
  return (
    compareHistogram(operator, ...operands, expression, env, compare) ??
    compare(operator, ...operands, expression, env.ctx)
  );
}

/** `value between low .. high`, both ends included. */
export function checkBetween(expression: ExpressionOf<'between'>, env: Environment): Value {
  const ofHistogram = histogramBetween(expression, env, compare);
  if (ofHistogram) return ofHistogram;
  const { value, low, high } = expression;
  const range = { start: expression.start, end: expression.end };
  const from = checkComparison({ kind: 'compare', operator: '>=', left: value, right: low, ...range }, env);
  const to = checkComparison({ kind: 'compare', operator: '<=', left: value, right: high, ...range }, env);
  if (from.broken || to.broken) return BROKEN;
  return truth(sql`(${from.sql} AND ${to.sql})`, from, to);
}

export function truth(condition: Sql, ...operands: readonly Value[]): Value {
  const aggregate = operands.some((operand) => operand.aggregate);
  return { type: 'bool', sql: condition, nullable: false, ...(aggregate ? { aggregate } : {}) };
}

/** Compared with a field that has named values, a bare name (or a string) is one of its members: `status == error`. */
function memberComparison(
  operator: Ordering,
  field: Expression,
  other: Expression,
  env: Environment,
): Value | undefined {
  if (field.kind !== 'path' || (other.kind !== 'string' && other.kind !== 'path' && other.kind !== 'param'))
    return undefined;
  const enumeration = enumerationOf(field, env);
  const written = enumeration && writtenName(other, env);
  if (!enumeration || written === undefined) return undefined;
  const member = enumeration.of.member(written);
  if (member !== undefined) {
    const value = env.check(field, env);
    return truth(enumeration.of.compare(operator, enumeration.code, member), value);
  }
  // `status == state`: the name of a column is not read as a member.
  if (other.kind === 'path' && findColumn(env.relation, written)) return undefined;
  if (other.kind !== 'path' && (operator === '==' || operator === '!=')) {
    reportMember(enumeration.of, written, other, env.ctx, 'warning');
    return truth(operator === '==' ? FALSE : sql`true`);
  }
  reportMember(enumeration.of, written, other, env.ctx, 'error');
  return BROKEN;
}

/** The text that could be a member's name: a bare name, a string, or the value of a parameter. */
function writtenName(other: ExpressionOf<'string' | 'path' | 'param'>, env: Environment): string | undefined {
  if (other.kind === 'string') return other.value;
  if (other.kind === 'path')
    return other.segments.length === 1 && other.index === undefined ? other.segments[0] : undefined;
  const given = env.ctx.params && parameterValue(other, env.ctx).constant;
  return given?.type === 'string' ? given.value : undefined;
}

/** The enumeration of a field. Reports no mistakes: they are reported when the field is checked. */
function enumerationOf(field: ExpressionOf<'path'>, env: Environment): Value['enumeration'] {
  const findings = env.ctx.findings.length;
  const { enumeration } = env.check(field, env);
  env.ctx.findings.length = findings;
  return enumeration;
}

export function reportMember(
  of: Enumeration,
  written: string,
  at: Range,
  ctx: Context,
  severity: 'error' | 'warning',
): void {
  const near = nearestMember(of, written);
  const hint = near === undefined ? ` There are ${of.members.join(', ')}.` : ` Did you mean \`${near}\`?`;
  const suggestion = near === undefined ? undefined : replaceWith(at, near);
  const message = `\`${of.name}\` has no value \`${written}\`.${hint}`;
  if (severity === 'error') ctx.error('UNKNOWN_MEMBER', at, message, suggestion);
  else ctx.warn('UNKNOWN_MEMBER', at, message, suggestion);
}

/** Compares two values. The result is never null: null equals null, and is neither less nor greater than any value. */
export function compare(operator: Ordering, left: Operand, right: Operand, range: Range, ctx: Context): Value {
  if (left.value.broken || right.value.broken) return BROKEN;
  const a = left.value;
  const b = right.value;
  if (a.constant && !b.constant) return compare(MIRRORED[operator], right, left, range, ctx);
  if (b.type === 'null' || a.type === 'null') return compareWithNull(operator, a.type === 'null' ? b : a, range, ctx);
  if (a.enumeration?.of.numeric && b.type === 'int') return truth(compared(operator, a.enumeration.code, b.sql), a, b);
  if (a.enumeration && a.enumeration.of === b.enumeration?.of) {
    const { of, code } = a.enumeration;
    return truth(compared(operator, of.key(code), of.key(b.enumeration.code)), a, b);
  }
  if ((a.enumeration ?? b.enumeration) && operator !== '==' && operator !== '!=') {
    const { name, members } = (a.enumeration ?? b.enumeration)?.of ?? { name: '', members: [] };
    ctx.error('TYPE_MISMATCH', range, `\`${name}\` has its own order: compare it with one of ${members.join(', ')}.`);
    return BROKEN;
  }
  if (a.id) {
    const bytes = rawBytes(a, b);
    if (bytes && (operator === '==' || operator === '!=')) return truth(compared(operator, a.id.sql, bytes), a, b);
  }
  if (a.dynamic && b.constant) {
    tellOfType(left, b.constant, ctx);
    const attribute = compareAttribute(operator, a, b.constant, b.sql);
    if (attribute) return truth(attribute, a);
  }
  const whole = compareInteger(operator, a, b) ?? compareInteger(MIRRORED[operator], b, a);
  if (whole) return truth(whole, a, b);
  const ordered = orderOfAny(operator, a, b);
  if (ordered) return truth(ordered, a, b);
  const pair = commonType(a, b);
  if (pair === undefined) {
    reportMismatch(left, right, range, ctx);
    return BROKEN;
  }
  return truth(nullSafe(operator, pair[0], pair[1]), a, b);
}

const wanted: Partial<Record<Constant['type'], readonly AttributeType[]>> = {
  string: ['string'],
  int: ['int', 'float'],
  float: ['int', 'float'],
  bytes: ['int', 'float'],
  bool: ['bool'],
};

/** Warns about `status_code == "500"` if codes are numbers: types are not converted, so it matches nothing. */
function tellOfType({ value, at }: Operand, against: Constant, ctx: Context): void {
  const types = wanted[against.type];
  const all = value.dynamic?.seen ?? [];
  const seen = all.filter((type) => type !== 'json');
  if (types === undefined || all.length === 0) return;
  if (seen.length === 0) {
    const message =
      'It has only been seen as a list or map, which never equals a single value. Use `has` to find an element of a list, `["key"]` to read from a map.';
    ctx.warn('UNSEEN_TYPE', at, message);
    return;
  }
  if (seen.some((type) => types.includes(type))) return;
  const written = withArticle(against.type === 'bytes' ? 'bytes' : against.type);
  ctx.warn('UNSEEN_TYPE', at, `It has only been seen as ${seen.join(' and ')}; ${written} never equals it.`);
}

function compareWithNull(operator: Ordering, value: Value, range: Range, ctx: Context): Value {
  if (operator === '==') return truth(isNull(value), value);
  if (operator === '!=') return truth(sql`(NOT ${isNull(value)})`, value);
  ctx.error('TYPE_MISMATCH', range, `Null has no order; use \`== null\` to find missing values.`);
  return BROKEN;
}

/** The bytes to compare an id with: those of another id, or of hexadecimal text. */
export function rawBytes(id: Value, other: Value): Sql | undefined {
  if (other.id && other.id.bytes === id.id?.bytes) return other.id.sql;
  if (other.constant?.type !== 'string' || !id.id) return undefined;
  const hex = other.constant.value.toLowerCase();
  const digits = id.id.bytes * 2;
  // A text that is not a valid id equals no id; `unhex` of `z…` would give the bytes of another text.
  if (!/^[0-9a-f]+$/.test(hex) || hex.length !== digits) return undefined;
  return id.id.bytes === 16 ? sql`toFixedString(unhex(${text(hex)}), 16)` : sql`toFixedString(unhex(${text(hex)}), 8)`;
}

/** Both values as a common type in which they can be compared; undefined if there is none. */
export function commonType(a: Value, b: Value): readonly [Value, Value] | undefined {
  if (a.type === 'any' && b.type === 'any') return [asTagged(a), asTagged(b)];
  if (a.type === 'any') return reread(a, b.type, (read) => [read, b]);
  if (b.type === 'any') return reread(b, a.type, (read) => [a, read]);
  const same = a.type === b.type && a.type !== 'map' && a.type !== 'array';
  const numbers = isCount(a.type) && isCount(b.type);
  return same || numbers ? [a, b] : undefined;
}

/** Values of any type are equal only if their types are equal too, so their tagged texts are compared. */
function asTagged(value: Value): Value {
  return { type: 'any', sql: tagged(value), nullable: true };
}

/** Orders values of any type: compares numbers with numbers, and texts with texts. */
function orderOfAny(operator: Ordering, a: Value, b: Value): Sql | undefined {
  if (!a.dynamic || !b.dynamic || operator === '==' || operator === '!=') return undefined;
  const [one, other] = [a.dynamic, b.dynamic];
  const by = (type: 'float' | 'string') => sql`ifNull(${compared(operator, one.read(type), other.read(type))}, false)`;
  if (!one.untyped && !other.untyped) return some([by('float'), by('string')]);
  return sql`if(isNotNull(${one.read('float')}) AND isNotNull(${other.read('float')}), ${by('float')}, ${by('string')})`;
}

/** Numbers, and sizes, which are a number of bytes. */
function isCount(type: OqlType): boolean {
  return isNumber(type) || type === 'bytes';
}

function reread(
  value: Value,
  type: OqlType,
  pair: (read: Value) => readonly [Value, Value],
): readonly [Value, Value] | undefined {
  const wanted = isCount(type) ? 'float' : type;
  if (wanted !== 'string' && wanted !== 'float' && wanted !== 'bool') return undefined;
  const read = readAs(value, wanted);
  return read && pair(read);
}

function nullSafe(operator: Ordering, a: Value, b: Value): Sql {
  if (operator === '!=') {
    const equal = nullSafe('==', a, b);
    return a.nullable || b.nullable ? sql`(NOT ${equal})` : compared('!=', a.sql, b.sql);
  }
  if (!a.nullable && !b.nullable) return compared(operator, a.sql, b.sql);
  if (operator === '==' && a.nullable && b.nullable) {
    // The engine's function does not compare a whole number with a float, nor a count with a literal.
    return isQuantity(a.type)
      ? sql`(ifNull(${a.sql} = ${b.sql}, false) OR (isNull(${a.sql}) AND isNull(${b.sql})))`
      : sql`isNotDistinctFrom(${a.sql}, ${b.sql})`;
  }
  return sql`ifNull(${compared(operator, a.sql, b.sql)}, false)`;
}
