import { logGamma } from './special/gamma.ts';

/** Events among trials. */
export interface Counts {
  readonly n: number;
  readonly x: number;
}

/**
 * Cramér's V of a table of counts with the bias correction of W. Bergsma, "A bias-correction for Cramér's V and Tschuprow's T",
 * Journal of the Korean Statistical Society 42 (2013). Without it, a column of many values seems related to everything.
 * @param table rows of equally many counts; empty rows and columns are left out
 * @returns 0 (independent) to 1 (each determines the other, as far as their numbers of values allow); 0 for fewer than 2 × 2
 */
export function cramersV(table: readonly (readonly number[])[]): number {
  const width = Math.max(0, ...table.map((row) => row.length));
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = Array.from({ length: width }, (_, at) => table.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const n = rows.reduce((sum, count) => sum + count, 0);
  const r = rows.filter((count) => count > 0).length;
  const c = columns.filter((count) => count > 0).length;
  if (r < 2 || c < 2 || n < 3) return 0;
  let phiSquared = -1;
  for (const [at, row] of table.entries())
    for (const [column, count] of row.entries())
      if (count > 0) phiSquared += count ** 2 / ((rows[at] ?? 0) * (columns[column] ?? 0));
  return correctedV(phiSquared, { n, r, c });
}

/**
 * {@link cramersV} of a table of two rows, from sums over its columns, so that it needs no list of them.
 * @param a counts of the first row, `b` of the second
 * @param columns those that are not empty
 * @param squares Σ aᵢ² / (aᵢ + bᵢ)
 */
export function cramersVOfTwo({
  a,
  b,
  columns,
  squares,
}: {
  readonly a: number;
  readonly b: number;
  readonly columns: number;
  readonly squares: number;
}): number {
  const n = a + b;
  if (a === 0 || b === 0 || columns < 2 || n < 3) return 0;
  return correctedV((n / (a * b)) * (squares - a ** 2 / n), { n, r: 2, c: columns });
}

/** @param phiSquared χ² / n of a table of `r` × `c` with the sum `n` */
function correctedV(phiSquared: number, { n, r, c }: { n: number; r: number; c: number }): number {
  const corrected = Math.max(0, phiSquared - ((r - 1) * (c - 1)) / (n - 1));
  const least = Math.min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1;
  return least <= 0 ? 0 : Math.min(1, Math.sqrt(corrected / least));
}

/** The likelihood ratio statistic G² (natural logarithm) of two binomial rates against one common rate; χ² with one degree of freedom. */
export function likelihoodRatio(a: Counts, b: Counts): number {
  const { n, x } = { n: a.n + b.n, x: a.x + b.x };
  return Math.max(
    0,
    2 * (logLikelihood(a, rateOf(a)) + logLikelihood(b, rateOf(b)) - logLikelihood({ n, x }, rateOf({ n, x }))),
  );
}

/** ln of the binomial likelihood of a rate, without the coefficient, which cancels. −∞ for a rate that cannot have made them. */
function logLikelihood({ n, x }: Counts, rate: number): number {
  const hits = x === 0 ? 0 : x * Math.log(rate);
  const misses = n === x ? 0 : (n - x) * Math.log1p(-rate);
  return hits + misses;
}

/**
 * Fisher's exact test on one side: the probability, given the margins, of at least as many events in `a` as there are. Counts are
 * integers. (R. A. Fisher, "The Logic of Inductive Inference", 1935.)
 */
export function fisherGreater(a: Counts, b: Counts): number {
  const n = a.n + b.n;
  const x = a.x + b.x;
  const most = Math.min(a.n, x);
  if (a.x <= Math.max(0, x - b.n)) return 1;
  const choose = (of: number, k: number) => logGamma(of + 1) - logGamma(k + 1) - logGamma(of - k + 1);
  const first = Math.exp(choose(a.n, a.x) + choose(b.n, b.x) - choose(n, x));
  // Below the mode the terms first grow, so the sum goes on until they shrink to nothing.
  let term = 1;
  let sum = 1;
  for (let k = a.x; k < most; k += 1) {
    const ratio = ((a.n - k) * (x - k)) / ((k + 1) * (b.n - x + k + 1));
    term *= ratio;
    sum += term;
    if (ratio < 1 && term < sum * 1e-17) break;
  }
  const tail = first * sum;
  return Number.isFinite(tail) ? Math.min(1, tail) : 1;
}

/**
 * The difference of two rates, a − b, with Newcombe's hybrid score interval (method 10 of R. G. Newcombe, "Interval estimation for the
 * difference between independent proportions", Statistics in Medicine 17, 1998).
 * @param z two-sided critical value of the standard normal distribution, 1.96 for 95 %
 */
export function riskDifference(
  a: Counts,
  b: Counts,
  z = 1.959963984540054,
): { value: number; interval: [number, number] } {
  const p = rateOf(a);
  const q = rateOf(b);
  const [lowA, highA] = wilson(a, z);
  const [lowB, highB] = wilson(b, z);
  const value = p - q;
  return { value, interval: [value - Math.hypot(p - lowA, highB - q), value + Math.hypot(highA - p, q - lowB)] };
}

/** Wilson's score interval of a rate (E. B. Wilson, JASA 22, 1927); [0, 1] without trials. */
function wilson({ n, x }: Counts, z: number): [number, number] {
  if (n <= 0) return [0, 1];
  const p = x / n;
  const center = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return [Math.max(0, center - half), Math.min(1, center + half)];
}

function rateOf({ n, x }: Counts): number {
  return n === 0 ? 0 : x / n;
}
