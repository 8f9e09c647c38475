import type { Expression } from '../ast.ts';

/** Functions whose result depends on the time of evaluation. */
const OF_TIME = new Set(
  'days_in_month day_of_month day_of_week day_of_year hour minute month year predict_linear time timestamp'.split(' '),
);

/** The expression with `@ time` behind each selector, so that it has the same value at any time; undefined if it has not. */
export function pinned(expression: Expression, time: number): Expression | undefined {
  if (expression.kind === 'call' && OF_TIME.has(expression.fn)) return undefined;
  switch (expression.kind) {
    case 'selector':
    case 'subquery': {
      if (expression.kind === 'subquery' && dependsOnTime(expression.of)) return undefined;
      return expression.shift.at === undefined
        ? { ...expression, shift: { ...expression.shift, at: time } }
        : expression;
    }
    case 'unary':
    case 'parentheses': {
      const of = pinned(expression.of, time);
      return of && { ...expression, of };
    }
    case 'call': {
      const args = expression.args.map((arg) => pinned(arg, time));
      return args.every((arg) => arg !== undefined) ? { ...expression, args } : undefined;
    }
    case 'aggregate': {
      const of = pinned(expression.of, time);
      const parameter = expression.parameter && pinned(expression.parameter, time);
      if (of === undefined || (expression.parameter !== undefined && parameter === undefined)) return undefined;
      return { ...expression, of, ...(parameter && { parameter }) };
    }
    case 'binary': {
      const [left, right] = [pinned(expression.left, time), pinned(expression.right, time)];
      return left && right && { ...expression, left, right };
    }
    default:
      return expression;
  }
}

function dependsOnTime(expression: Expression): boolean {
  return pinned(expression, 0) === undefined;
}
