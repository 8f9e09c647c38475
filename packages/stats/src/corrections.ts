/** Corrections of p-values for the number of comparisons. Each returns the adjusted p-values in the order given. */
export type Correction = 'none' | 'holm' | 'benjamini_hochberg';

/** Holm's step-down procedure, which controls the chance of any false positive (Scandinavian Journal of Statistics 6, 1979). */
export function holm(pValues: readonly number[]): number[] {
  const m = pValues.length;
  let running = 0;
  const adjusted = new Array<number>(m).fill(1);
  for (const [rank, index] of ranked(pValues).entries()) {
    running = Math.max(running, Math.min(1, (m - rank) * (pValues[index] ?? 1)));
    adjusted[index] = running;
  }
  return adjusted;
}

/** Benjamini and Hochberg's procedure, which controls the share of false positives among all positives (JRSS B 57, 1995). */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const m = pValues.length;
  let running = 1;
  const adjusted = new Array<number>(m).fill(1);
  for (const [rank, index] of [...ranked(pValues).entries()].reverse()) {
    running = Math.min(running, ((pValues[index] ?? 1) * m) / (rank + 1));
    adjusted[index] = running;
  }
  return adjusted;
}

export function correct(pValues: readonly number[], correction: Correction): number[] {
  if (correction === 'holm') return holm(pValues);
  return correction === 'benjamini_hochberg' ? benjaminiHochberg(pValues) : [...pValues];
}

/** Indices from the smallest p-value to the largest; ties keep their order. */
function ranked(pValues: readonly number[]): number[] {
  return pValues.map((_, i) => i).sort((i, j) => (pValues[i] ?? 1) - (pValues[j] ?? 1) || i - j);
}
