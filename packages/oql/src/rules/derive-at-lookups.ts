import type { Definition, Plan } from '../plan/plan.ts';
import { type ColumnId, column } from '../sql/sql.ts';
import { columnsOf, offers, rewrite } from './columns.ts';

type Aggregate = Extract<Plan, { readonly op: 'aggregate' }>;

/**
 * `sum by http.route` of a metric: a key that uses only columns of a lookup is computed in the lookup, once for each
 * series instead of for every row. Then the join carries the key instead of the maps that contain it.
 */
export function deriveAtLookups(plan: Plan, fresh: () => ColumnId): Plan {
  return rewrite(plan, (node) => (node.op === 'aggregate' ? derived(node, fresh) : node));
}

function derived(node: Aggregate, fresh: () => ColumnId): Plan {
  const offered = lookedUp(node.input);
  const moved: Definition[] = [];
  const keys = node.keys.map((key): Definition => {
    const columns = [...columnsOf(key.value)];
    const isMovable = key.value.kind !== 'column' && columns.length > 0 && columns.every((id) => offered.has(id));
    if (!isMovable) return key;
    const id = fresh();
    moved.push({ id, value: key.value });
    return { id: key.id, value: column(id) };
  });
  return moved.length > 0 ? { ...node, input: extendLookup(node.input, moved), keys } : node;
}

/** The columns of the nearest lookup below, if only filters and extends are in between. */
function lookedUp(plan: Plan): ReadonlySet<ColumnId> {
  if (plan.op === 'filter' || plan.op === 'extend') return lookedUp(plan.input);
  return plan.op === 'join' && plan.mode === 'inner' && plan.lookup ? offers(plan.right) : new Set();
}

function extendLookup(plan: Plan, columns: readonly Definition[]): Plan {
  if (plan.op === 'filter' || plan.op === 'extend') return { ...plan, input: extendLookup(plan.input, columns) };
  return plan.op === 'join' ? { ...plan, right: { op: 'extend', input: plan.right, columns } } : plan;
}
