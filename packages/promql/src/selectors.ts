import type { Expression, VectorSelector } from './ast.ts';
import { type LabelMatcher, METRIC_NAME } from './labels.ts';

/** The selectors of an expression, from left to right. */
export function selectorsOf(expression: Expression): VectorSelector[] {
  return expression.kind === 'selector' ? [expression] : partsOf(expression).flatMap(selectorsOf);
}

/** What an expression evaluates before itself. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'selector':
      return [];
    case 'subquery':
    case 'unary':
    case 'parentheses':
      return [expression.of];
    case 'call':
      return expression.args;
    case 'aggregate':
      return expression.parameter === undefined ? [expression.of] : [expression.parameter, expression.of];
    case 'binary':
      return [expression.left, expression.right];
  }
}

/** All matchers of a selector, with the one of the metric's name. */
export function matchersOf({ metric, matchers }: VectorSelector): LabelMatcher[] {
  return metric === undefined ? [...matchers] : [...matchers, { name: METRIC_NAME, op: '=', value: metric }];
}
