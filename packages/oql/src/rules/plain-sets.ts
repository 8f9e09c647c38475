import type { KnownKinds, Plan } from '../plan/plan.ts';
import { mapQueries, rewrite, type Subquery, scansOf } from './columns.ts';

/**
 * A set of series is read without grouping its rows: a value may occur twice in a set. The engine plans the statement faster.
 *
 * Grouped rows are checked for the kinds of their series. This is left out only below a lookup that checks them itself: other series
 * have no part in the answer.
 */
export function plainSets(plan: Plan): Plan {
  const unchecked = mapQueries(plan, (query) => ungrouped(query, []));
  return rewrite(unchecked, (node) => {
    if (node.op !== 'join' || node.mode !== 'inner' || !node.lookup) return node;
    const checked = kindsCheckedBy(node.right);
    return { ...node, left: mapQueries(node.left, (query) => ungrouped(query, checked)) };
  });
}

function ungrouped({ plan, columns: [wanted], asSet }: Subquery, checked: readonly KnownKinds[]): Plan {
  if (!asSet || plan.op !== 'aggregate') return plan;
  const key = plan.keys.find(({ id }) => id === wanted);
  const isChecked = kindsCheckedBy(plan).every((kinds) => checked.includes(kinds));
  return key && isChecked ? { op: 'extend', input: plan.input, columns: [key] } : plan;
}

/** Of which kinds series are, as the printed statement checks where it groups their rows. */
function kindsCheckedBy(plan: Plan): readonly KnownKinds[] {
  if (plan.op === 'filter' || plan.op === 'extend') return kindsCheckedBy(plan.input);
  if (plan.op !== 'aggregate') return [];
  return scansOf(plan).flatMap(({ table, kinds }) => (table === 'metric_series' && kinds ? [kinds] : []));
}
