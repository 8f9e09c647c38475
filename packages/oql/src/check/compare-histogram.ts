import type { End, Part } from '../metrics/distribution.ts';
import { sql } from '../sql/sql.ts';
import type { Expression, ExpressionOf, Range } from '../syntax/ast.ts';
import { printExpression } from '../syntax/print.ts';
import type { Context } from './context.ts';
import type { Environment } from './environment.ts';
import { refuseHistogram, refuseSummary } from './histogram-value.ts';
import { MIRRORED, type Ordering } from './operators.ts';
import { isNumber } from './types.ts';
import { BROKEN, type Value } from './value.ts';

interface Operand {
  readonly value: Value;
  readonly at: Expression;
}
/** Compares two values that are not histograms. */
type Compare = (operator: Ordering, left: Operand, right: Operand, range: Range, ctx: Context) => Value;

/**
 * `value <= 0.1` of a metric that has, or may have, histograms. As the whole argument of `ratio` or `count` it selects the
 * part of their observations; elsewhere it is an error. Undefined if it compares numbers.
 */
export function compareHistogram(
  operator: Ordering,
  left: Operand,
  right: Operand,
  expression: ExpressionOf<'compare'>,
  env: Environment,
  compare: Compare,
): Value | undefined {
  if (right.value.distribution ?? right.value.histogram ?? right.value.mixed) {
    return compareHistogram(MIRRORED[operator], right, left, expression, env, compare);
  }
  const { value } = left;
  if (!(value.distribution ?? value.histogram ?? value.mixed) || right.value.type === 'null') return undefined;
  if (env.share === expression && refuseSummary(value, expression, env.ctx)) return BROKEN;
  const part = value.distribution && env.share === expression ? partOf(operator, right.value) : undefined;
  if (part) return shareOf(left, part, compare(operator, plain(left), right, expression, env.ctx));
  if (!value.histogram) {
    refuseHistogram(value, expression, env.ctx);
    return undefined;
  }
  reportComparison(operator, right, expression, env.ctx);
  return BROKEN;
}

/** The same for `value between low .. high`. */
export function histogramBetween(
  expression: ExpressionOf<'between'>,
  env: Environment,
  compare: Compare,
): Value | undefined {
  if (env.share !== expression) return undefined;
  const [value, low, high] = [expression.value, expression.low, expression.high].map(
    (at): Operand => ({ value: env.check(at, env), at }),
  );
  if (!value?.value.distribution || !low || !high) return undefined;
  const [from, to] = [partOf('>=', low.value), partOf('<=', high.value)];
  if (!from || !to) return undefined;
  const atLeast = compare('>=', plain(value), low, expression, env.ctx);
  const atMost = compare('<=', plain(value), high, expression, env.ctx);
  if (atLeast.broken || atMost.broken) return BROKEN;
  return shareOf(value, { ...from, ...to }, { ...atLeast, sql: sql`(${atLeast.sql} AND ${atMost.sql})` });
}

function shareOf({ value }: Operand, part: Part, holds: Value): Value {
  if (holds.broken || !value.distribution) return holds;
  return { ...holds, share: { of: value.distribution, part, number: value.sql, isKnown: value.histogram === true } };
}

/** The value, treated as a number. */
function plain({ value, at }: Operand): Operand {
  const { distribution: _, histogram: __, mixed: ___, ...number } = value;
  return { value: number, at };
}

function partOf(operator: Ordering, bound: Value): Part | undefined {
  if (!bound.constant || !isNumber(bound.type)) return undefined;
  const end = (inclusive: boolean): End => ({ at: sql`toFloat64(${bound.sql})`, inclusive });
  switch (operator) {
    case '<':
      return { upper: end(false) };
    case '<=':
      return { upper: end(true) };
    // `> bound` is the complement of `<= bound`.
    case '>':
      return { lower: end(true) };
    case '>=':
      return { lower: end(false) };
    default:
      return undefined;
  }
}

function reportComparison(operator: Ordering, right: Operand, expression: ExpressionOf<'compare'>, ctx: Context): void {
  const isOrder = operator !== '==' && operator !== '!=';
  const written = isOrder && right.value.constant ? printExpression(expression) : 'value <= 0.1';
  ctx.error(
    'HISTOGRAM_VALUE',
    expression,
    `A histogram has no single value to compare. Ask for the share of its observations with \`stats ratio(${written})\`, for their number with \`stats count(${written})\`; put conditions on other fields in \`where\`.`,
  );
}
