import type { Expression } from './ast.ts';
import { parsePromql } from './parse.ts';

/** Names of all labels that an expression mentions. */
export function labelsIn(text: string): string[] {
  const found = new Set<string>();
  const visit = (expression: Expression): void => {
    switch (expression.kind) {
      case 'selector':
        for (const { label } of expression.matchers) found.add(label);
        return;
      case 'call':
        expression.args.forEach(visit);
        return;
      case 'aggregate':
        for (const label of expression.grouping.labels) found.add(label);
        expression.args.forEach(visit);
        return;
      case 'binary':
        for (const label of expression.matching?.labels ?? []) found.add(label);
        for (const label of expression.matching?.group?.include ?? []) found.add(label);
        visit(expression.left);
        visit(expression.right);
        return;
      case 'negative':
        visit(expression.of);
        return;
      default:
        return;
    }
  };
  visit(parsePromql(text));
  return [...found];
}

/** Whether an operator relates two vectors. */
export function hasMatching(expression: Expression): boolean {
  switch (expression.kind) {
    case 'binary':
      return (
        (constantOf(expression.left) === undefined && constantOf(expression.right) === undefined) ||
        hasMatching(expression.left) ||
        hasMatching(expression.right)
      );
    case 'call':
    case 'aggregate':
      return expression.args.some(hasMatching);
    case 'negative':
      return hasMatching(expression.of);
    default:
      return false;
  }
}

/** The value of an expression of numbers. */
export function constantOf(expression: Expression): number | undefined {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'negative': {
      const of = constantOf(expression.of);
      return of === undefined ? undefined : -of;
    }
    case 'binary': {
      const [left, right] = [constantOf(expression.left), constantOf(expression.right)];
      if (left === undefined || right === undefined) return undefined;
      switch (expression.op) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '/':
          return left / right;
        case '^':
          return left ** right;
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}
