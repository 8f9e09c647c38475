import type { Plan } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import { columnsOf, expressionsOf, inputsOf, offers, withInputs } from './columns.ts';

/**
 * Removes parts of a plan that nothing reads: lookups (`metric x | count` needs no series), and arrays that would be
 * expanded to rows (`match … | count` needs no field of the spans, whose attributes would be collected trace by
 * trace). One array stays, since it determines the rows.
 */
export function dropUnread(plan: Plan, read: ReadonlySet<ColumnId>): Plan {
  if (plan.op === 'join' && plan.lookup && ![...offers(plan.right)].some((id) => read.has(id))) {
    return dropUnread(plan.left, read);
  }
  const node = plan.op === 'unnest' ? withColumnsRead(plan, read) : plan;
  const below = new Set(read);
  for (const expression of expressionsOf(node)) columnsOf(expression, below);
  return withInputs(
    node,
    inputsOf(node).map((input) => dropUnread(input, below)),
  );
}

function withColumnsRead(plan: Extract<Plan, { readonly op: 'unnest' }>, read: ReadonlySet<ColumnId>): Plan {
  const columns = plan.columns.filter(({ id }) => read.has(id));
  return { ...plan, columns: columns.length > 0 ? columns : plan.columns.slice(0, 1) };
}
