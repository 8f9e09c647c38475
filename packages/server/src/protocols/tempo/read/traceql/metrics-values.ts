import { nanosecondsOf } from './correct.ts';
import { TraceqlError } from './error.ts';
import type { MetricsExpression, MetricsOperator } from './tree.ts';

/** Integers stay such until they meet a metric, as in Tempo, so that `1 / 2` is 0 and `1.0 / 2` is 0.5. */
export type Value =
  | Exclude<MetricsExpression, { readonly kind: 'number' }>
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'duration'; readonly nanoseconds: bigint };

const maxInt = 2n ** 63n - 1n;

function inRange(value: bigint): Value {
  if (value > maxInt || value < -maxInt - 1n) throw new TraceqlError('a number does not fit into 64 bits');
  return { kind: 'int', value };
}

export function numberOf(text: string): Value {
  if (/^\d+$/.test(text)) return inRange(BigInt(text));
  if (/^(\d+\.\d*|\.\d+)$/.test(text)) return { kind: 'float', value: Number(text) };
  if (/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return { kind: 'duration', nanoseconds: nanosecondsOf(text) };
  throw new TraceqlError(`${text} is not a number`);
}

export function negated(value: Value): Value {
  switch (value.kind) {
    case 'int':
      return inRange(-value.value);
    case 'float':
      return { kind: 'float', value: -value.value };
    case 'duration':
      return { kind: 'duration', nanoseconds: -value.nanoseconds };
    default:
      throw new TraceqlError('a metrics query has no negative: multiply it by -1');
  }
}

export function joined(operator: MetricsOperator, left: Value, right: Value): Value {
  if (left.kind === 'duration' || right.kind === 'duration')
    throw new TraceqlError('a duration cannot be used in arithmetic of metrics: write a number of seconds');
  if (left.kind === 'int' && right.kind === 'int') return folded(operator, left.value, right.value);
  if ((left.kind === 'int' || left.kind === 'float') && (right.kind === 'int' || right.kind === 'float'))
    return { kind: 'float', value: computed(operator, Number(left.value), Number(right.value)) };
  return { kind: 'arithmetic', operator, left: operandOf(left), right: operandOf(right), after: [] };
}

function operandOf(value: Exclude<Value, { readonly kind: 'duration' }>): MetricsExpression {
  if (value.kind === 'int' || value.kind === 'float') return { kind: 'number', value: Number(value.value) };
  if (value.kind === 'query' && value.metric.kind === 'compare')
    throw new TraceqlError('compare() cannot be used in arithmetic');
  return value;
}

function folded(operator: MetricsOperator, left: bigint, right: bigint): Value {
  if (operator === '/' && right === 0n) throw new TraceqlError('a number is divided by 0');
  if (operator === '+') return inRange(left + right);
  if (operator === '-') return inRange(left - right);
  return inRange(operator === '*' ? left * right : left / right);
}

/** A quotient by 0 has no value, as in Tempo. */
export function computed(operator: MetricsOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
  }
}
