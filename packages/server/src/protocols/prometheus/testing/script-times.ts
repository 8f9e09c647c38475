import { type Expression, formatPromql, type Position, PromqlError, parsePromql } from '@fanion/promql';

/*
 * Scripts begin at 1970, whose samples no store keeps. Their samples and evaluations are moved to a recent day, `origin`, and so is all
 * in their queries that depends on the time.
 */

/** Without an argument, these functions read the time of evaluation. */
const ofNow = new Set('days_in_month day_of_month day_of_week day_of_year hour minute month year'.split(' '));

/** A query with the times behind `@` moved, and the seconds that it calculates with moved back. One with a mistake stays as it is. */
export function movedQuery(query: string, origin: number): string {
  if (!/@|\b(time|timestamp)\s*\(|\(\s*\)/.test(query)) return query;
  try {
    return formatPromql(moved(parsePromql(query), origin));
  } catch (error) {
    if (error instanceof PromqlError) return query;
    throw error;
  }
}

function moved(expression: Expression, origin: number): Expression {
  const again = (one: Expression) => moved(one, origin);
  switch (expression.kind) {
    case 'selector':
    case 'subquery': {
      const { at } = expression.shift;
      const shift = typeof at === 'number' ? { ...expression.shift, at: at + origin } : expression.shift;
      if (expression.kind === 'selector') return { ...expression, shift };
      return { ...expression, of: again(expression.of), shift };
    }
    case 'unary':
    case 'parentheses':
      return { ...expression, of: again(expression.of) };
    case 'call': {
      const { fn, args, position } = expression;
      const call = { ...expression, args: args.map(again) };
      if (fn === 'timestamp') return movedBack(call, origin);
      if (fn === 'time') return { kind: 'call', fn: 'scalar', args: [now(position, origin)], position };
      return ofNow.has(fn) && args.length === 0 ? { ...call, args: [now(position, origin)] } : call;
    }
    case 'aggregate':
      return {
        ...expression,
        of: again(expression.of),
        ...(expression.parameter && { parameter: again(expression.parameter) }),
      };
    case 'binary':
      return { ...expression, left: again(expression.left), right: again(expression.right) };
    default:
      return expression;
  }
}

/** `round(vector(time() - origin), 0.001)`: what is left of a recent time has fewer digits than a millisecond needs. */
function now(position: Position, origin: number): Expression {
  const call = (fn: string, ...args: Expression[]): Expression => ({ kind: 'call', fn, args, position });
  return call('round', call('vector', movedBack(call('time'), origin)), { kind: 'number', value: 0.001, position });
}

/** `(seconds - origin)` */
function movedBack(seconds: Expression, origin: number): Expression {
  const { position } = seconds;
  const right: Expression = { kind: 'number', value: origin / 1000, position };
  const of: Expression = { kind: 'binary', op: '-', bool: false, left: seconds, right, position };
  return { kind: 'parentheses', of, position };
}
