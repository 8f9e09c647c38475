import type { Expression, ValueType } from '../ast.ts';
import { signatureOf } from '../functions/signatures.ts';

/** What an expression evaluates to, whether or not its parts fit. */
export function typeOf(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'selector':
      return expression.rangeMs === undefined ? 'vector' : 'matrix';
    case 'subquery':
      return 'matrix';
    case 'call':
      return signatureOf(expression.fn)?.returns ?? 'vector';
    case 'aggregate':
      return 'vector';
    case 'binary':
      return typeOf(expression.left) === 'scalar' && typeOf(expression.right) === 'scalar' ? 'scalar' : 'vector';
    case 'unary':
    case 'parentheses':
      return typeOf(expression.of);
  }
}

const names: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
};

export function nameOf(type: ValueType): string {
  return names[type];
}
