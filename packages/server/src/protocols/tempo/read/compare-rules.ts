import type { Tree } from '@fanion/oql';
import { numberOf, signedDuration } from './literal-rules.ts';
import { all, bool, call, compare, exists, field, int, not, some, text } from './oql-tree.ts';
import { TraceqlError, unsupported } from './traceql/error.ts';
import type { CompareOperator, Field, Static } from './traceql/tree.ts';

export type Intrinsic = Extract<Field, { readonly kind: 'intrinsic' }>;

export function nilCheck(operator: CompareOperator, condition: (isNil: boolean) => Tree.Expression): Tree.Expression {
  if (operator !== '=' && operator !== '!=') throw new TraceqlError(`${operator} does not compare with nil`);
  return condition(operator === '=');
}

export const oqlOperator = (operator: CompareOperator): Tree.CompareOperator => (operator === '=' ? '==' : operator);

/** Tempo's patterns match whole texts, and their dots match line ends. */
export function anchored(pattern: string): string {
  return `^(?s:${pattern})$`;
}

export function compareAttribute(path: Tree.Path, operator: CompareOperator, against: Static): Tree.Expression {
  switch (against.type) {
    case 'nil':
      return nilCheck(operator, (isNil) => (isNil ? not(exists(path)) : exists(path)));
    case 'string': {
      const isText = compare(path, '>=', text(''));
      if (operator === '=~' || operator === '!~')
        return all(isText, compare(path, operator, text(anchored(against.value))));
      return operator === '!='
        ? all(isText, compare(path, '!=', text(against.value)))
        : compare(path, oqlOperator(operator), text(against.value));
    }
    case 'bool':
      if (operator !== '=' && operator !== '!=')
        throw new TraceqlError(`${operator} does not compare with true and false`);
      return compare(path, '==', bool(against.value === (operator === '=')));
    case 'int':
    case 'float':
    case 'duration': {
      if (operator === '=~' || operator === '!~') throw new TraceqlError(`${operator} needs a text`);
      const number = numberOf(against);
      if (operator !== '!=') return compare(path, oqlOperator(operator), number);
      return all(some(compare(path, '>=', int(0n)), compare(path, '<', int(0n))), compare(path, '!=', number));
    }
    case 'status':
    case 'kind':
      throw new TraceqlError(`an attribute is no ${against.type}: compare it with a text`);
  }
}

export function mismatch(of: Intrinsic, against: Static): TraceqlError {
  return new TraceqlError(`${of.name} cannot be compared with a ${against.type}`);
}

/** A text that every span has, if only an empty one. */
export function compareText(
  path: Tree.Path,
  operator: CompareOperator,
  against: Static,
  of: Intrinsic,
): Tree.Expression {
  if (against.type === 'nil') return nilCheck(operator, (isNil) => bool(!isNil));
  if (against.type !== 'string') throw mismatch(of, against);
  if (operator === '=~' || operator === '!~') return compare(path, operator, text(anchored(against.value)));
  if (against.value === '' && (operator === '=' || operator === '!=')) {
    const isEmpty = call('is_empty', path);
    return operator === '=' ? isEmpty : not(isEmpty);
  }
  return compare(path, oqlOperator(operator), text(against.value));
}

export function compareDuration(path: Tree.Expression, operator: CompareOperator, against: Static, of: Intrinsic) {
  if (operator === '=~' || operator === '!~') throw new TraceqlError(`${operator} needs a text`);
  switch (against.type) {
    case 'nil':
      return nilCheck(operator, (isNil) => bool(!isNil));
    case 'duration':
      return compare(path, oqlOperator(operator), signedDuration(against.nanoseconds));
    case 'int':
    case 'float':
      return compare(call('int', path), oqlOperator(operator), numberOf(against));
    default:
      throw mismatch(of, against);
  }
}

export function compareMember(of: Intrinsic, operator: CompareOperator, against: Static): Tree.Expression {
  if (against.type === 'nil') return nilCheck(operator, (isNil) => bool(!isNil));
  if ((against.type !== 'status' && against.type !== 'kind') || against.type !== of.name) throw mismatch(of, against);
  if (operator !== '=' && operator !== '!=') throw new TraceqlError(`${of.name} takes only = and !=`);
  return compare(field(of.name), oqlOperator(operator), text(against.value));
}

export function compareId(path: Tree.Path, digits: number, operator: CompareOperator, against: Static, of: Intrinsic) {
  if (against.type !== 'string') throw mismatch(of, against);
  if (operator !== '=' && operator !== '!=') throw unsupported(`${operator} on ${of.name}`);
  return compare(path, oqlOperator(operator), text(against.value.toLowerCase().padStart(digits, '0')));
}
