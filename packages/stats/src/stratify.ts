import type { Effect, Effects } from './effect.ts';
import { effects, welchDegrees } from './effect.ts';
import { estimate, hasError, plainOf, pooledTheta, quadratic } from './estimate.ts';
import type { SummableSample } from './sample.ts';
import { addSamples } from './sample.ts';
import { type Stratum, stratumOf } from './stratum.ts';

/** The two arms within one stratum. */
export interface StratumPair {
  control: SummableSample;
  treatment: SummableSample;
}

/**
 * Effects with each stratum weighted by its share of both arms, so that chance differences in the mix of units between the arms do not
 * count as effects. Values from before adjust the means within each stratum.
 *
 * The variance has two parts: that within strata, and that of the shares, which are themselves a multinomial sample.
 * Source: Miratrix, Sekhon, Yu, "Adjusting treatment effect estimates by post-stratification in randomized experiments", JRSS B 75, 2013.
 */
export function stratifiedEffects(pairs: readonly StratumPair[]): Effects | undefined {
  const joint = joined(pairs);
  const all = joint.reduce<StratumPair | undefined>((sum, pair) => (sum ? add(sum, pair) : pair), undefined);
  if (all === undefined) return undefined;
  if (joint.length === 1) return effects(all.control, all.treatment);
  const theta = pooledTheta(all.control, all.treatment);
  const [control, treatment] = [estimate(all.control, theta), estimate(all.treatment, theta)];
  if (!hasError(control) || !hasError(treatment)) return undefined;
  const n = all.control.n + all.treatment.n;
  const { means, covariance } = combined(joint.map(stratumOf), n);
  const size = means.length / 2;
  const a = outcomeOf(all.control, means.slice(0, size));
  const b = outcomeOf(all.treatment, means.slice(size));
  const difference = b.value - a.value;
  const df = welchDegrees(control, treatment);
  const effect = (value: number, gradient: readonly number[]): Effect | undefined => {
    const variance = quadratic(gradient, covariance, gradient);
    return variance > 0 && Number.isFinite(variance)
      ? { difference: value, standardError: Math.sqrt(variance), df, n }
      : undefined;
  };
  const absolute = effect(difference, [...a.gradient.map((g) => -g), ...b.gradient]);
  if (absolute === undefined) return undefined;
  // A control without a value has no lift, even where the adjustment gives it one
  const scale = control.plain === 0 ? 0 : Math.abs(a.value);
  // d((b − a) / |a|) / da
  const slope = -(1 + difference / a.value) / scale;
  const relative =
    scale === 0
      ? undefined
      : effect(difference / scale, [...a.gradient.map((g) => slope * g), ...b.gradient.map((g) => g / scale)]);
  return {
    control: { ...control, value: a.value, plain: a.value },
    treatment: { ...treatment, value: b.value, plain: b.value },
    theta,
    absolute,
    relative,
  };
}

/** Means over all strata, and their covariance. */
function combined(strata: readonly Stratum[], n: number): Pick<Stratum, 'means' | 'covariance'> {
  const shares = strata.map((stratum) => stratum.n / n);
  const sum = (of: (stratum: Stratum, share: number) => number) =>
    strata.reduce((total, stratum, k) => total + of(stratum, shares[k] ?? 0), 0);
  const [first] = strata;
  const means = (first?.means ?? []).map((_, i) => sum(({ means }, share) => share * (means[i] ?? 0)));
  const away = (stratum: Stratum, i: number) => (stratum.means[i] ?? 0) - (means[i] ?? 0);
  const covariance = means.map((_, i) =>
    means.map((_, j) =>
      sum(
        (stratum, share) =>
          share * share * (stratum.covariance[i]?.[j] ?? 0) + (share / n) * away(stratum, i) * away(stratum, j),
      ),
    ),
  );
  return { means, covariance };
}

/** The metric as a function of the means of its outcomes, which are adjusted already. */
function outcomeOf({ kind }: SummableSample, means: readonly number[]) {
  return plainOf(kind === 'ratio' || kind === 'adjusted_ratio' ? 'ratio' : 'mean', means);
}

function add(one: StratumPair, other: StratumPair): StratumPair {
  return { control: addSamples(one.control, other.control), treatment: addSamples(one.treatment, other.treatment) };
}

/** Fewer units than this do not make a stratum: there would be no variance left to tell. */
const LEAST_UNITS = 7;

/** Strata in which an arm has hardly a unit are joined with the largest. */
function joined(pairs: readonly StratumPair[]): StratumPair[] {
  const isEnough = ({ control, treatment }: StratumPair) =>
    control.n > 1 && treatment.n > 1 && control.n + treatment.n >= LEAST_UNITS;
  const [largest, ...others] = [...pairs].sort(
    (one, other) => other.control.n + other.treatment.n - (one.control.n + one.treatment.n),
  );
  if (largest === undefined) return [];
  return [others.filter((pair) => !isEnough(pair)).reduce(add, largest), ...others.filter(isEnough)];
}
