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
        for (const label of labelsOfCall(expression)) found.add(label);
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

/** `label_replace(v, to, replacement, from, pattern)`, `label_join(v, to, separator, from, …)`. */
function labelsOfCall({ fn, args }: Extract<Expression, { kind: 'call' }>): string[] {
  if (!changesLabels.has(fn)) return [];
  const names = fn === 'label_replace' ? [args[1], args[3]] : [args[1], ...args.slice(3)];
  return names.flatMap((name) => (name?.kind === 'text' ? [name.value] : []));
}

const changesLabels: ReadonlySet<string> = new Set(['label_replace', 'label_join']);

/** Whether labels are compared or changed: an operator relates two vectors, or a function writes a label. */
export function hasMatching(expression: Expression): boolean {
  switch (expression.kind) {
    case 'binary':
      return (
        (constantOf(expression.left) === undefined && constantOf(expression.right) === undefined) ||
        hasMatching(expression.left) ||
        hasMatching(expression.right)
      );
    case 'call':
      return changesLabels.has(expression.fn) || expression.args.some(hasMatching);
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
        case '%':
          return left % right;
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
