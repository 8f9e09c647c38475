import { cramersVOfTwo } from '@fanion/stats';

/** Counts of a field in both selections, enough to compute its statistic without all of its values. */
export interface FieldCounts {
  readonly field: string;
  /** Number of distinct values. */
  readonly distinct: number;
  /** Rows that have the field. */
  readonly selection: number;
  readonly baseline: number;
  /** Sum over its values of selection² / (selection + baseline). */
  readonly squares: number;
  readonly values: readonly (readonly [value: string, selection: number, baseline: number])[];
}

/** Cramér's V of the table of two selections and the values of a field, where rows without it count as one more value. */
export function differenceOf(
  counts: FieldCounts,
  { selection: a, baseline: b }: { selection: number; baseline: number },
): number {
  const missing = { selection: Math.max(0, a - counts.selection), baseline: Math.max(0, b - counts.baseline) };
  const without = missing.selection + missing.baseline;
  return cramersVOfTwo({
    a,
    b,
    columns: counts.distinct + (without > 0 ? 1 : 0),
    squares: counts.squares + (without > 0 ? missing.selection ** 2 / without : 0),
  });
}

/** Fields that distinguish the selections, the best first. Fields that are alike in both are left out. */
export function rankFields(
  fields: readonly FieldCounts[],
  total: { selection: number; baseline: number },
  without: ReadonlySet<string>,
) {
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of);
  return fields
    .filter(({ field }) => !without.has(field))
    .map((counts) => ({
      field: counts.field,
      score: differenceOf(counts, total),
      distinct: counts.distinct,
      missing: {
        selection: 1 - share(counts.selection, total.selection),
        baseline: 1 - share(counts.baseline, total.baseline),
      },
      values: counts.values.map(([value, selection, baseline]) => ({
        value,
        selection,
        baseline,
        selection_share: share(selection, total.selection),
        baseline_share: share(baseline, total.baseline),
      })),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.field < b.field ? -1 : 1));
}

export interface SelectionInput {
  /** A validated condition, in parentheses. */
  readonly where: string | undefined;
  readonly fromNs: bigint | undefined;
  readonly toNs: bigint | undefined;
  readonly minDuration: string | undefined;
  readonly maxDuration: string | undefined;
}

/** A selection as one OQL condition; undefined if it selects everything. @param time formats nanoseconds as RFC 3339 */
export function conditionOf(selection: SelectionInput, time: (ns: bigint) => string): string | undefined {
  const { where, fromNs, toNs, minDuration, maxDuration } = selection;
  const parts = [
    ...(where === undefined ? [] : [where]),
    ...(fromNs === undefined ? [] : [`time >= ${time(fromNs)}`]),
    ...(toNs === undefined ? [] : [`time < ${time(toNs)}`]),
    ...(minDuration === undefined ? [] : [`duration >= ${minDuration}`]),
    ...(maxDuration === undefined ? [] : [`duration < ${maxDuration}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}
