import { logGamma, nonzero } from './gamma.ts';
import { normalCritical, normalTail } from './normal.ts';

const SQRT_PI = 1.772453850905516;
/** For t² below this the series is used: it subtracts from ½, which costs accuracy once the tail is small. */
const SERIES_BELOW = 9;
/** From this many degrees of freedom the normal distribution agrees to 1e-11 for |t| ≤ 10. */
const NORMAL_FROM = 1e15;

/** Γ(a + ½) / Γ(a), for large a by its asymptotic series (the logarithm of DLMF 5.11.13), since differences of ln Γ cancel. */
function gammaRatio(a: number): number {
  if (a < 20) return Math.exp(logGamma(a + 0.5) - logGamma(a));
  const s = 1 / (a * a);
  const series = -1 / 8 + s * (1 / 192 + s * (-1 / 640 + s * (17 / 14336 + s * (-31 / 18432))));
  return Math.sqrt(a) * Math.exp(series / a);
}

/** F(a + b, 1; a + 1; x) of DLMF 8.17.8: I_x(a, b) as a series of positive terms. */
function betaSeries(a: number, b: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 0; term > sum * 1e-17; k += 1) {
    term *= ((a + b + k) / (a + 1 + k)) * x;
    sum += term;
  }
  return sum;
}

/**
 * The continued fraction of the incomplete beta function I_x(a, b), DLMF 8.17.22, contracted to its even part. `y` is 1 − x: the
 * partial denominators are written with it, because with large `a` they cancel when computed from x.
 */
function betaFraction(a: number, b: number, x: number, y: number): number {
  const odd = (m: number) => (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  const even = (m: number) => (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
  const oneAndOdd = (m: number) =>
    (m * (2 * a + 3 * m + 2 - b) + a * (1 - b) + (a + m) * (a + b + m) * y) / ((a + 2 * m) * (a + 2 * m + 1));
  let c = 1 / 1e-300;
  let d = 1 / nonzero(oneAndOdd(0));
  let result = d;
  for (let m = 1; m < 100_000; m += 1) {
    const numerator = -odd(m - 1) * even(m);
    const denominator = oneAndOdd(m) + even(m);
    d = 1 / nonzero(numerator * d + denominator);
    c = nonzero(denominator + numerator / c);
    const factor = c * d;
    result *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return result;
}

/** P(T > t) for Student's t with `df` > 0 degrees of freedom, which need not be an integer. Small results keep their accuracy. */
export function studentTail(t: number, df: number): number {
  if (Number.isNaN(t) || !(df > 0)) return Number.NaN;
  if (t < 0) return 1 - studentTail(-t, df);
  if (t === 0) return 0.5;
  if (df >= NORMAL_FROM) return normalTail(t);
  const square = t * t;
  if (!Number.isFinite(square)) return 0;
  const a = df / 2;
  const x = df / (df + square);
  const y = square / (df + square);
  // xᵃ y^½ / B(a, ½)
  const front = (Math.exp(-a * Math.log1p(square / df)) * Math.sqrt(y) * gammaRatio(a)) / SQRT_PI;
  if (square < SERIES_BELOW) return 0.5 - front * betaSeries(0.5, a, y);
  return (front * betaFraction(a, 0.5, x, y)) / a / 2;
}

function studentDensity(t: number, df: number): number {
  return (Math.exp((-(df + 1) / 2) * Math.log1p((t * t) / df)) * gammaRatio(df / 2)) / Math.sqrt(df) / SQRT_PI;
}

/**
 * The t with P(T > t) = p, for 0 < p < 1: Newton's method on ln P within a bracket. The normal quantile is a lower bound, since the
 * tail of Student's t is heavier.
 */
export function studentCritical(p: number, df: number): number {
  if (!(p > 0 && p < 1) || !(df > 0)) return normalCritical(p > 0 && p < 1 ? Number.NaN : p);
  if (p > 0.5) return -studentCritical(1 - p, df);
  if (p === 0.5) return 0;
  if (df >= NORMAL_FROM) return normalCritical(p);
  const target = Math.log(p);
  const z = normalCritical(p);
  let low = z;
  let high = Number.POSITIVE_INFINITY;
  // Abramowitz and Stegun 26.7.5
  let t = z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df * df);
  for (let i = 0; i < 200; i += 1) {
    const tail = studentTail(t, df);
    const error = Math.log(tail) - target;
    if (error > 0) low = t;
    else high = t;
    const newton = t + (error * tail) / studentDensity(t, df);
    const next = newton > low && newton < high ? newton : high === Infinity ? 2 * t : (low + high) / 2;
    if (Math.abs(next - t) <= 1e-15 * Math.abs(t)) return next;
    t = next;
  }
  return t;
}
