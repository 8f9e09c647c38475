import { attainmentIfAll, attainmentOf, attainmentWithout, budgetSpentBy, type Counts } from '../budget/index.ts';

const mostFlags = 50;

export interface VariantCounts extends Counts {
  readonly flag: string;
  readonly variant: string;
}

/**
 * What each variant of a flag spent, and what attainment would be were it at 100 %; the largest share first.
 * @param flagged the events of each flag, each once, whatever variants their traces saw
 */
export function flagShares(
  all: Counts,
  { variants, flagged }: { variants: readonly VariantCounts[]; flagged: ReadonlyMap<string, Counts> },
  objective: number,
) {
  return variants
    .map(({ flag, variant, good, total }) => ({
      flag,
      variant,
      good,
      total,
      attainment: attainmentOf({ good, total }),
      budget_spent: budgetSpentBy({ good, total }, all, objective),
      attainment_if_all: attainmentIfAll(all, flagged.get(flag) ?? all, { good, total }),
      attainment_without: attainmentWithout(all, flagged.get(flag) ?? all, { good, total }),
    }))
    .sort((a, b) => (b.budget_spent ?? 0) - (a.budget_spent ?? 0) || (a.flag < b.flag ? -1 : 1))
    .slice(0, mostFlags);
}
