import type { ExperimentDefinition, ExperimentMetric, ExperimentReplay } from '@fanion/contract';
import { compare, effects, estimate, fixedTest, minimalEffect } from '@fanion/stats';
import { type Measurement, ratioOf } from '../metrics/index.ts';
import { sampleOf } from './sample-rules.ts';

/** Arms that were served the same differ by more than this only in one of twenty salts. */
const unluckyBelow = 0.05;
const wantedPower = 0.8;

type ReplayedMetric = ExperimentReplay['metrics'][number];

/** What past units say about a metric: how far the arms differ by chance, and what the experiment would find with as many units. */
export function replayMetric(
  { key, name, role, definition: metric }: ExperimentMetric,
  measured: Measurement | undefined,
  definition: Pick<ExperimentDefinition, 'control' | 'analysis'>,
): ReplayedMetric {
  const head = { metric: key, name, role };
  const nothing = { mean: null, difference: null, p_value: null, unlucky: false, power: null, minimal_effect: null };
  if (measured === undefined || 'error' in measured)
    return { ...head, error: measured?.error ?? 'not measured', ...nothing };
  const { control, analysis } = definition;
  const control_ = measured.sums.find(({ variant }) => variant === control);
  if (control_ === undefined || control_.n < 2) return { ...head, error: null, ...nothing };
  const base = sampleOf(metric, control_, false);
  const tested = measured.sums.flatMap((arm) => {
    if (arm.variant === control || arm.n < 2) return [];
    const sample = sampleOf(metric, arm, false);
    const found = effects(base, sample);
    if (found === undefined) return [];
    const { difference } = found.absolute;
    const options = { ...analysis, engine: 'frequentist', target: analysis.minimal_effect } as const;
    const { power = null, reason } = compare(base, sample, { ...options, prior: undefined });
    return [{ difference, pValue: reason === undefined ? fixedTest(found.absolute, 0.05).pValue : 1, power, n: arm.n }];
  });
  const [worst] = [...tested].sort((a, b) => a.pValue - b.pValue);
  const { plain: mean, plainVariance: variance } = estimate(base);
  // Several variants are compared with one control: the least p-value counts, times their number.
  const pValue = worst === undefined ? null : Math.min(1, worst.pValue * tested.length);
  const perArm = Math.min(control_.n, ...tested.map(({ n }) => n));
  const { alpha, sequential } = analysis;
  const smallest =
    mean === 0 || worst === undefined
      ? undefined
      : minimalEffect({ mean, variance }, perArm, { alpha, power: wantedPower, sequential });
  return {
    ...head,
    error: null,
    mean,
    difference: worst?.difference ?? null,
    p_value: pValue,
    unlucky: role === 'goal' && pValue !== null && pValue < unluckyBelow,
    power: tested.reduce<number | null>(
      (least, { power }) => (power === null ? least : Math.min(least ?? 1, power)),
      null,
    ),
    minimal_effect: smallest ?? null,
  };
}

/** What the replay cannot know about those who will take part. */
export function replayWarnings({ audience }: Pick<ExperimentDefinition, 'audience'>): string[] {
  if (audience.length === 0) return [];
  return [
    'The audience is not applied: attributes are not stored with evaluations. Units, power and days are those of everybody who saw the control, and fewer will take part.',
  ];
}

/** Whether an experiment should start with this salt, and why not. */
export function judgeReplay(
  units: Readonly<Record<string, number>>,
  definition: Pick<ExperimentDefinition, 'variants'>,
  metrics: readonly ReplayedMetric[],
): { readonly ok: boolean; readonly reason: string | null } {
  const weights = Object.fromEntries(definition.variants.map(({ variant, weight }) => [variant, weight]));
  if (!ratioOf(units, weights, 0).ok)
    return { ok: false, reason: 'Past units are not split as intended by this salt.' };
  const unlucky = metrics.filter((metric) => metric.unlucky).map(({ name }) => name);
  if (unlucky.length > 0)
    return { ok: false, reason: `Arms that were served the same differ in ${unlucky.join(', ')} already.` };
  return { ok: true, reason: null };
}
