import type { Plan } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import { columnsRead, offers, rewrite } from './columns.ts';

/** `metric x | count` needs no series: a lookup that nothing is read from is left out. */
export function dropLookups(plan: Plan, output: ReadonlySet<ColumnId>): Plan {
  return rewrite(plan, (node) => {
    if (node.op !== 'join' || !node.lookup) return node;
    const read = columnsRead(plan, new Set(output));
    const own = columnsRead(node.right);
    const used = [...offers(node.right)].some((id) => read.has(id) && !own.has(id));
    return used ? node : node.left;
  });
}
