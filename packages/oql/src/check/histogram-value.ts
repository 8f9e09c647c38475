import type { Range } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import type { Value } from './value.ts';

const INSTEAD =
  'Ask for `p99(value)`, `avg(value)`, `max(value)` or `ratio(value <= 0.1)`; `count` and `sum` are fields of their own.';

/** Reports a histogram's value where only a number can stand. Returns whether it did. */
export function refuseHistogram(value: Value, range: Range, ctx: Context): boolean {
  if (!value.histogram) return false;
  ctx.error('HISTOGRAM_VALUE', range, `The value of a histogram is a distribution, not a number. ${INSTEAD}`);
  return true;
}
