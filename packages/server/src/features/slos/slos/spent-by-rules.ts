import { attainmentIfAll, attainmentOf, attainmentWithout, budgetSpentBy, type Counts } from '../budget/index.ts';

/** Counts of a field: each value with its bad and its good events. */
interface FieldValues {
  readonly field: string;
  readonly values: readonly (readonly [value: string, bad: number, good: number])[];
}

const mostAttributes = 20;
const mostFlags = 50;

/** The values that stand out among the bad events, the largest difference of shares first. */
export function spendersOf(
  { total, fields }: { total: { selection: number; baseline: number }; fields: readonly FieldValues[] },
  without: ReadonlySet<string>,
) {
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of);
  return fields
    .filter(({ field }) => !without.has(field))
    .flatMap(({ field, values }) =>
      values.map(([value, bad, good]) => ({
        field,
        value,
        bad,
        share: share(bad, total.selection),
        good_share: share(good, total.baseline),
      })),
    )
    .filter((one) => one.bad > 0 && (one.share > one.good_share || total.baseline === 0))
    .sort((a, b) => b.share - b.good_share - (a.share - a.good_share) || b.bad - a.bad || (a.field < b.field ? -1 : 1))
    .slice(0, mostAttributes);
}

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
