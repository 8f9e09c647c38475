import type { Expression } from './ast.ts';
import { partsOf } from './selectors.ts';

/** Functions whose result depends on the time of evaluation, whatever their arguments. */
const OF_TIME = new Set(
  'days_in_month day_of_month day_of_week day_of_year hour minute month year predict_linear time'.split(' '),
);

/** Whether an expression has the same value at each step, because of `@`. */
export function isInvariant(expression: Expression): boolean {
  switch (expression.kind) {
    case 'number':
    case 'string':
      return true;
    case 'selector':
      return expression.shift.at !== undefined;
    case 'subquery':
      return expression.shift.at !== undefined;
    case 'call':
      if (expression.fn === 'timestamp') return isTimestampInvariant(expression.args[0]);
      return !OF_TIME.has(expression.fn) && expression.args.every(isInvariant);
    default:
      return partsOf(expression).every(isInvariant);
  }
}

/** The times of samples do not change, but those of computed values do. */
function isTimestampInvariant(argument: Expression | undefined): boolean {
  if (argument?.kind === 'parentheses') return isTimestampInvariant(argument.of);
  return argument?.kind === 'selector' && isInvariant(argument);
}
