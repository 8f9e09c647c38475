// Numbers "DLMF" are equations of the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.

/** B(2k) / (2k (2k − 1)): the coefficients of Stirling's series, DLMF 5.11.1. */
const STIRLING = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
  43867 / 244188,
] as const;
const STIRLING_FROM = 15;
const HALF_LOG_TWO_PI = 0.9189385332046728;
const EPSILON = 1e-17;
const TINY = 1e-300;

/** ln Γ(x) for x > 0. The error is below 1e-13, absolute or relative, whichever is larger. */
export function logGamma(x: number): number {
  let shifted = x;
  let product = 1;
  for (; shifted < STIRLING_FROM; shifted += 1) product *= shifted;
  const inverseSquare = 1 / (shifted * shifted);
  let series = 0;
  for (let k = STIRLING.length - 1; k >= 0; k -= 1) series = series * inverseSquare + (STIRLING[k] ?? 0);
  return (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + series / shifted - Math.log(product);
}

/** P(a, x), the regularized lower incomplete gamma function, by its series of positive terms (DLMF 8.11.4). */
function lowerGamma(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let k = 1; term > sum * EPSILON; k += 1) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * Math.exp(a * Math.log(x) - x - logGamma(a));
}

/** Q(a, x) = 1 − P(a, x) for a > 0 and x ≥ 0. Small results keep their relative accuracy. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  if (x < a + 1) return 1 - lowerGamma(a, x);
  return upperGammaFraction(a, x) * Math.exp(a * Math.log(x) - x - logGamma(a));
}

/** Γ(a, x) eˣ x⁻ᵃ by its continued fraction (DLMF 8.9.2), evaluated from the front (Lentz's algorithm, DLMF 3.10(iii)). */
export function upperGammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let result = d;
  for (let k = 1; k < 10_000; k += 1) {
    const numerator = -k * (k - a);
    b += 2;
    d = 1 / nonzero(numerator * d + b);
    c = nonzero(b + numerator / c);
    const factor = c * d;
    result *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return result;
}

/** Lentz's algorithm replaces a denominator of zero by a tiny number. */
export function nonzero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
