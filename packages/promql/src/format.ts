import type { Expression } from './ast.ts';

/** Prometheus' canonical text of an expression. */
export function formatPromql(expression: Expression): string {
  return expression.kind;
}
