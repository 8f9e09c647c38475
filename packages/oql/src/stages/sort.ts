import type { Context } from '../check/context.ts';
import { checkExpression } from '../check/expression.ts';
import { refuseHistogram } from '../check/histogram-value.ts';
import type { Relation } from '../check/relation.ts';
import { rowsOf } from '../check/rows-environment.ts';
import type { Order } from '../plan/plan.ts';
import type { Expression } from '../syntax/ast.ts';
import type { StageDefinition } from './definition.ts';
import { ordersOf } from './order.ts';

/** An outermost minus means descending. */
export function checkOrder(expression: Expression, input: Relation, ctx: Context): readonly Order[] {
  const descending = expression.kind === 'negate';
  const value = checkExpression(descending ? expression.operand : expression, rowsOf(input, ctx));
  if (value.broken || refuseHistogram(value, expression, ctx)) return [];
  if (value.type === 'map' || value.type === 'array') {
    ctx.error('TYPE_MISMATCH', expression, `Rows cannot be sorted by a ${value.type}.`);
    return [];
  }
  return ordersOf(value, descending);
}

export const sort: StageDefinition<'sort'> = {
  kind: 'sort',
  syntax: 'sort EXPRESSION, …',
  doc: 'Orders rows; a minus before an expression means descending. Nulls come last.',
  examples: ['logs | sort -time | limit 50', 'spans | stats n=count() by service.name | sort -n, service.name'],
  check(stage, input, ctx) {
    const orders = stage.orders.flatMap((order) => checkOrder(order, input, ctx));
    if (orders.length === 0) return input;
    return { ...input, plan: { op: 'sort', input: input.plan, orders }, sorted: true };
  },
};
