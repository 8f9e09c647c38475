import { checkExpression } from '../check/expression.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import { rowsOf } from '../check/rows-environment.ts';
import type { StageDefinition } from './definition.ts';
import { rowCount } from './limit.ts';
import { ordersOf, storedOrders } from './order.ts';
import { foldOthers } from './top-other.ts';
import { checkWithin } from './within.ts';

export const top: StageDefinition<'top'> = {
  kind: 'top',
  syntax: 'top COUNT by EXPRESSION [within NAME, …] [other]',
  doc: 'Keeps the rows with the largest values; with `within`, those of each group. With `other`, adds one row for all the rest (of a group), with its aggregates recomputed.',
  examples: [
    'spans | stats n=count() by http.route | top 5 by n',
    'spans | stats n=count(), p95=p95(duration) by http.route | top 5 by n other',
    'spans | stats n=count() by service.name, http.route | top 3 by n within service.name',
    'logs | stats n=count() by bucket(1h), service.name | top 3 by n within time',
  ],
  check(stage, input, ctx) {
    const count = rowCount(stage.count, 'The count of `top`', ctx);
    const smallest = stage.by.kind === 'negate';
    const value = checkExpression(smallest ? stage.by.operand : stage.by, rowsOf(input, ctx));
    if (count === undefined || value.broken || refuseHistogram(value, stage.by, ctx)) return input;
    const orders = ordersOf(value, !smallest);
    const within = stage.within.length > 0 ? checkWithin(stage.within, input, ctx) : undefined;
    if (stage.within.length > 0 && !within) return input;
    if (stage.other) return foldOthers(stage, input, orders, count, ctx);
    // Groups of the same size are ordered by their keys, so that the same query returns the same answer.
    const sorted = { op: 'sort' as const, input: input.plan, orders: [...orders, ...storedOrders(input)] };
    if (within) {
      const grouped = { ...sorted, orders: [...within.orders, ...sorted.orders] };
      return { ...input, plan: { op: 'distinct', input: grouped, by: within.values, count }, sorted: true };
    }
    return { ...input, plan: { op: 'limit', input: sorted, count, offset: 0 }, sorted: true };
  },
};
