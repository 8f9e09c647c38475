import type { Plan } from '../plan/plan.ts';
import type { ColumnId } from '../sql/sql.ts';
import { mapQueries } from './columns.ts';
import { deriveAtLookups } from './derive-at-lookups.ts';
import { dropUnread } from './drop-unread.ts';
import { lookUp } from './look-up.ts';
import { plainSets } from './plain-sets.ts';
import { pushFilters } from './push-filters.ts';

/**
 * Makes a plan cheaper without changing its result, and adds lookups for columns that no table stores. `output` is the set of
 * columns in the result.
 */
export function optimise(plan: Plan, output: ReadonlySet<ColumnId>, fresh: () => ColumnId): Plan {
  const inner = mapQueries(plan, (query) => optimise(query.plan, new Set(query.columns), fresh));
  const whole = lookUp(pushFilters(inner), output, fresh);
  return plainSets(deriveAtLookups(dropUnread(whole, output), fresh));
}
