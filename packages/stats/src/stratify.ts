import type { Effect, Effects } from './effect.ts';
import { effects, welchDegrees } from './effect.ts';
import type { Estimate } from './estimate.ts';
import { adjustedOf, estimateMoments, plainOf, pooledTheta, quadratic } from './estimate.ts';
import type { Moments, SummableSample } from './sample.ts';
import { addSamples, moments } from './sample.ts';

/** The two arms within one stratum. */
export interface StratumPair {
  control: SummableSample;
  treatment: SummableSample;
}

/**
 * Effects with each stratum weighted by its share of both arms, so that chance differences in the mix of units between the arms do not
 * count as effects. Strata with too few units for a variance are joined with the largest.
 *
 * The variance has two parts: that within strata, and that of the shares, which are themselves a multinomial sample.
 * Source: Miratrix, Sekhon, Yu, "Adjusting treatment effect estimates by post-stratification in randomized experiments", JRSS B 75, 2013.
 */
export function stratifiedEffects(pairs: readonly StratumPair[]): Effects | undefined {
  const strata = joined(pairs);
  const all = strata.reduce<StratumPair | undefined>((sum, pair) => (sum ? add(sum, pair) : pair), undefined);
  if (all === undefined) return undefined;
  if (strata.length === 1) return effects(all.control, all.treatment);
  const { kind } = all.control;
  const theta = pooledTheta(all.control, all.treatment);
  const total = all.control.n + all.treatment.n;
  const cells = strata.map(({ control, treatment }) => ({
    weight: (control.n + treatment.n) / total,
    arms: [moments(control), moments(treatment)] as const,
  }));
  const size = cells[0]?.arms[0].mean.length ?? 0;
  const mean = (arm: 0 | 1) =>
    Array.from({ length: size }, (_, i) => cells.reduce((sum, c) => sum + c.weight * (c.arms[arm].mean[i] ?? 0), 0));
  const means = [mean(0), mean(1)] as const;
  // Covariance of the means of both arms: first those of the control, then those of the treatment
  const covariance = Array.from({ length: 2 * size }, () => new Array<number>(2 * size).fill(0));
  for (const { weight, arms } of cells) {
    const deviation = arms.flatMap((arm, k) => arm.mean.map((m, i) => m - (means[k === 0 ? 0 : 1][i] ?? 0)));
    covariance.forEach((row, i) => {
      row.forEach((_, j) => {
        row[j] =
          (row[j] ?? 0) +
          weight * weight * within(arms, i, j, size) +
          (weight / total) * (deviation[i] ?? 0) * (deviation[j] ?? 0);
      });
    });
  }
  const a = adjustedOf(kind, means[0], theta);
  const b = adjustedOf(kind, means[1], theta);
  const plain = plainOf(kind, means[0]);
  const whole = [all.control, all.treatment].map((sample) => estimateMoments(kind, moments(sample), theta));
  const [wholeControl, wholeTreatment] = whole;
  if (wholeControl === undefined || wholeTreatment === undefined) return undefined;
  const df = welchDegrees(wholeControl, wholeTreatment);
  const difference = b.value - a.value;
  const effect = (value: number, gradient: readonly number[]): Effect | undefined => {
    const variance = quadratic(gradient, covariance, gradient);
    return variance > 0 ? { difference: value, standardError: Math.sqrt(variance), df, n: total } : undefined;
  };
  const absolute = effect(difference, [...a.gradient.map((g) => -g), ...b.gradient]);
  if (absolute === undefined) return undefined;
  const scale = Math.abs(plain.value);
  const slope = (difference * Math.sign(plain.value)) / scale ** 2;
  const relative =
    scale === 0
      ? undefined
      : effect(difference / scale, [
          ...a.gradient.map((g, i) => -g / scale - slope * (plain.gradient[i] ?? 0)),
          ...b.gradient.map((g) => g / scale),
        ]);
  const arm = (estimated: Estimate, value: number, shown: number): Estimate => ({ ...estimated, value, plain: shown });
  return {
    control: arm(wholeControl, a.value, plain.value),
    treatment: arm(wholeTreatment, b.value, plainOf(kind, means[1]).value),
    theta,
    absolute,
    relative,
  };
}

/** Variance of the means within a stratum; the arms are independent. */
function within(arms: readonly [Moments, Moments], i: number, j: number, size: number): number {
  if (i < size !== j < size) return 0;
  const arm = arms[i < size ? 0 : 1];
  return (arm.covariance[i % size]?.[j % size] ?? 0) / arm.n;
}

function add(one: StratumPair, other: StratumPair): StratumPair {
  return { control: addSamples(one.control, other.control), treatment: addSamples(one.treatment, other.treatment) };
}

function viable({ control, treatment }: StratumPair): boolean {
  if (control.n + treatment.n <= 6) return false;
  return [control, treatment].every(
    (sample) => sample.n > 1 && moments(sample).covariance.every((row, i) => (row[i] ?? 0) > 0),
  );
}

function joined(pairs: readonly StratumPair[]): StratumPair[] {
  const [largest, ...others] = [...pairs].sort(
    (one, other) => other.control.n + other.treatment.n - (one.control.n + one.treatment.n),
  );
  if (largest === undefined) return [];
  const small = others.filter((pair) => !viable(pair));
  return [small.reduce(add, largest), ...others.filter(viable)];
}
