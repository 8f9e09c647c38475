import { checkExpression } from '../check/expression.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import { rowsOf } from '../check/rows-environment.ts';
import type { StageDefinition } from './definition.ts';
import { rowCount } from './limit.ts';
import { ordersOf, storedOrders } from './order.ts';
import { foldOthers } from './top-other.ts';

export const top: StageDefinition<'top'> = {
  kind: 'top',
  syntax: 'top COUNT by EXPRESSION [other]',
  doc: 'Keeps the rows with the largest values. With `other`, adds one row for all the rest, with its aggregates recomputed.',
  examples: [
    'spans | stats n=count() by http.route | top 5 by n',
    'spans | stats n=count(), p95=p95(duration) by http.route | top 5 by n other',
  ],
  check(stage, input, ctx) {
    const count = rowCount(stage.count, 'The count of `top`', ctx);
    const smallest = stage.by.kind === 'negate';
    const value = checkExpression(smallest ? stage.by.operand : stage.by, rowsOf(input, ctx));
    if (count === undefined || value.broken || refuseHistogram(value, stage.by, ctx)) return input;
    const orders = ordersOf(value, !smallest);
    if (stage.other) return foldOthers(stage, input, orders, count, ctx);
    // Groups of the same size are ordered by their keys, so that the same query returns the same answer.
    const sorted = { op: 'sort' as const, input: input.plan, orders: [...orders, ...storedOrders(input)] };
    return { ...input, plan: { op: 'limit', input: sorted, count, offset: 0 }, sorted: true };
  },
};
