import type { Expression } from '../syntax/ast.ts';
import { histogramFraction } from './aggregate/histogram-fraction.ts';
import { isQuantile } from './aggregate/quantile.ts';

const EXTREMES: ReadonlySet<string> = new Set(['min', 'max', 'min_if', 'max_if']);
const SHARES: ReadonlySet<string> = new Set(['ratio', 'count']);

/** Whether an aggregate of a metric's value is computed from the buckets of histograms, if the metric has any. */
export function asksForBuckets(expression: Expression): boolean {
  switch (expression.kind) {
    case 'call': {
      const { name, args } = expression;
      const [of] = args.items;
      const isOfBuckets =
        isQuantile(name.text) ||
        name.text === histogramFraction.name ||
        (EXTREMES.has(name.text) && of !== undefined && isValue(of)) ||
        (SHARES.has(name.text) && of !== undefined && isAboutValue(of));
      return isOfBuckets || args.items.some(asksForBuckets);
    }
    case 'arithmetic':
      return asksForBuckets(expression.first) || expression.rest.some(({ operand }) => asksForBuckets(operand));
    case 'negate':
      return asksForBuckets(expression.operand);
    default:
      return false;
  }
}

function isAboutValue(condition: Expression): boolean {
  if (condition.kind === 'compare') return isValue(condition.left) || isValue(condition.right);
  return condition.kind === 'between' && isValue(condition.value);
}

function isValue(expression: Expression): boolean {
  return expression.kind === 'path' && expression.segments.at(-1) === 'value';
}
