/** The remaining budget for finding suggestions, in compared letters. */
export interface HintBudget {
  left: number;
}

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours cost 1 each. Once it is
 * known to be `most` or more, some number that is not less than `most`.
 */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY, budget?: HintBudget): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (budget) budget.left -= b.length;
    // A swap reaches back two rows, so one expensive row is not enough to stop.
    if (least > most) return least;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The candidate that `word` most likely means: at most a third of its letters differ. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  budget: HintBudget = { left: Number.POSITIVE_INFINITY },
): string | undefined {
  // A typing mistake of a long text is not worth the square of its length.
  if (word.length > 128) return undefined;
  const lower = word.toLowerCase();
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestCost = allowed + 1;
  for (const candidate of candidates) {
    if (budget.left <= 0) return undefined;
    if (Math.abs(candidate.length - word.length) >= bestCost) continue;
    const cost = editDistance(lower, candidate.toLowerCase(), bestCost, budget);
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  // A different single letter is not a typing mistake: `x` is not `y`.
  return bestCost >= word.length ? undefined : best;
}
