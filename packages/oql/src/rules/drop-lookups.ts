import type { Plan } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import { columnsOf, expressionsOf, inputsOf, offers, withInputs } from './columns.ts';

/** `metric x | count` needs no series: a lookup that nothing above it reads from is left out. */
export function dropLookups(plan: Plan, read: ReadonlySet<ColumnId>): Plan {
  if (plan.op === 'join' && plan.lookup && ![...offers(plan.right)].some((id) => read.has(id))) {
    return dropLookups(plan.left, read);
  }
  const below = new Set(read);
  for (const expression of expressionsOf(plan)) columnsOf(expression, below);
  return withInputs(
    plan,
    inputsOf(plan).map((input) => dropLookups(input, below)),
  );
}
