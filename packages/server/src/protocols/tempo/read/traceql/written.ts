import { writtenField } from './fields.ts';
import type { Expression, Scalar, Static } from './tree.ts';

/** An expression as TraceQL writes it, to name what was computed by it. */
export function writtenExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'static':
      return writtenStatic(expression.static);
    case 'field':
      return writtenField(expression.field);
    case 'unary':
      return `${expression.operator}(${writtenExpression(expression.operand)})`;
    case 'binary':
      return `(${writtenExpression(expression.left)}) ${expression.operator} (${writtenExpression(expression.right)})`;
  }
}

function writtenStatic(of: Static): string {
  switch (of.type) {
    case 'string':
      return JSON.stringify(of.value);
    case 'duration':
      return `${of.nanoseconds}ns`;
    case 'nil':
      return 'nil';
    default:
      return String(of.value);
  }
}

export function writtenScalar(scalar: Scalar): string {
  switch (scalar.kind) {
    case 'static':
      return writtenStatic(scalar.static);
    case 'negative':
      return `-(${writtenScalar(scalar.operand)})`;
    case 'arithmetic':
      return `(${writtenScalar(scalar.left)}) ${scalar.operator} (${writtenScalar(scalar.right)})`;
    case 'aggregate':
      return scalar.aggregate.fn === 'count'
        ? 'count()'
        : `${scalar.aggregate.fn}(${writtenExpression(scalar.aggregate.of)})`;
  }
}
