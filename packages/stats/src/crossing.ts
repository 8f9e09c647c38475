import { normalDensity } from './special/normal.ts';

/** A look at a test statistic that grows like a Brownian motion: at `time` (a share of the last look's information), z is compared. */
export interface Look {
  time: number;
  /** The test stops when z reaches this. */
  upper: number;
  /** The test stops when z falls to this; −∞ for a one-sided test. */
  lower: number;
}

/** Points of the grid between two bounds. The error is below 1e-4 for up to 50 looks. */
const POINTS = 49;
/** Where a bound is infinite, the density is followed to this many standard deviations. */
const FAR = 8;

/**
 * The probability that z passes a bound at any of the looks, where its expectation at time 1 is `drift`.
 *
 * Source: recursive numerical integration, Armitage, McPherson, Rowe, "Repeated Significance Tests on Accumulating Data", JRSS A 132,
 * 1969; as in Jennison, Turnbull, "Group Sequential Methods", chapter 19.
 */
export function crossingProbability(looks: readonly Look[], drift: number): number {
  // Points of the score z·√time where the test goes on, and the density there times the weight of the point.
  let points = [0];
  let mass = [1];
  let before = 0;
  for (const { time, upper, lower } of looks) {
    const step = Math.sqrt(time - before);
    const shift = drift * (time - before);
    const deviation = Math.sqrt(time);
    const middle = drift * time;
    const high = Math.min(upper * deviation, middle + FAR * deviation);
    const low = Math.max(lower * deviation, middle - FAR * deviation);
    // The test has stopped in all cases that count.
    if (high <= low) return 1;
    const grid = simpson(low, high);
    mass = grid.points.map((to, j) => {
      let density = 0;
      for (let i = 0; i < points.length; i += 1) {
        density += (mass[i] ?? 0) * normalDensity((to - (points[i] ?? 0) - shift) / step);
      }
      return (density / step) * (grid.weights[j] ?? 0);
    });
    points = grid.points;
    before = time;
  }
  return Math.min(1, Math.max(0, 1 - mass.reduce((sum, m) => sum + m, 0)));
}

function simpson(low: number, high: number): { points: number[]; weights: number[] } {
  const h = (high - low) / (POINTS - 1);
  const points = Array.from({ length: POINTS }, (_, i) => low + i * h);
  const weights = points.map((_, i) => (h / 3) * (i === 0 || i === POINTS - 1 ? 1 : i % 2 === 1 ? 4 : 2));
  return { points, weights };
}
