import type { Tree } from '@fanion/oql';
import { arithmetic, bool, duration, float, int, negative, text } from './oql-tree.ts';
import { TraceqlError, unsupported } from './traceql/error.ts';
import type { Expression, Static } from './traceql/tree.ts';

/** The value of a static, also of a negative one. */
export function constantOf(expression: Expression): Static | undefined {
  if (expression.kind === 'static') return expression.static;
  if (expression.kind !== 'unary' || expression.operator !== '-' || expression.operand.kind !== 'static')
    return undefined;
  const of = expression.operand.static;
  switch (of.type) {
    case 'int':
    case 'float':
      return { ...of, value: -of.value } as Static;
    case 'duration':
      return { ...of, nanoseconds: -of.nanoseconds };
    default:
      throw new TraceqlError(`a ${of.type} has no negative value`);
  }
}

const maxInt = 2n ** 63n - 1n;

/** A number; a duration as its nanoseconds. */
export function numberOf(of: Extract<Static, { readonly type: 'int' | 'float' | 'duration' }>): Tree.Expression {
  if (of.type === 'float') return of.value < 0 ? negative(float(-of.value)) : float(of.value);
  const whole = of.type === 'int' ? of.value : of.nanoseconds;
  if (whole > maxInt || whole < -maxInt - 1n) throw new TraceqlError('a number does not fit into 64 bits');
  // OQL writes no smaller negative number than that of the largest positive one.
  if (whole < -maxInt) return arithmetic(negative(int(maxInt)), '-', int(1n));
  return whole < 0n ? negative(int(-whole)) : int(whole);
}

export function signedDuration(nanoseconds: bigint): Tree.Expression {
  return nanoseconds < 0n ? negative(duration(-nanoseconds)) : duration(nanoseconds);
}

export function staticValue(of: Static): Tree.Expression {
  switch (of.type) {
    case 'string':
    case 'status':
    case 'kind':
      return text(of.value);
    case 'bool':
      return bool(of.value);
    case 'duration':
      return signedDuration(of.nanoseconds);
    case 'int':
    case 'float':
      return numberOf(of);
    case 'nil':
      throw unsupported('nil in a computation');
  }
}
