import type { MetricKind } from '@fanion/contract';
import { estimate } from '@fanion/stats';
import { fail } from '../../../platform/fail.ts';
import { findEnvironment, findFlag, type Place } from '../../flags/flags/index.ts';
import { createMeasure, daysSeen, findKnownMetric, pastWindow } from '../metrics/index.ts';
import { type CalculatorInput, calculate, refusalOf } from './calculator-rules.ts';
import type { ResultDependencies } from './results.ts';
import { sampleOf } from './sample-rules.ts';

/** How far back own telemetry is read. */
const pastDays = 14;
const shares: readonly MetricKind[] = ['conversion', 'retention', 'funnel'];

export interface Asked {
  readonly kind: MetricKind;
  readonly baseline?: number | undefined;
  readonly stddev?: number | undefined;
  readonly effect: number;
  readonly alpha: number;
  readonly power: number;
  readonly arms: number;
  readonly daily?: number | undefined;
  readonly sequential?: boolean | undefined;
  readonly metric?: string | undefined;
  readonly flag?: string | undefined;
  readonly environment?: string | undefined;
}

/** The calculator. With a metric and a flag, what is left out is measured: units of the flag in the last 14 days. */
export function createCalculator(parts: ResultDependencies) {
  return async (place: Place, asked: Asked, signal: AbortSignal) => {
    const own: { kind: MetricKind; baseline?: number; stddev?: number; daily?: number; days?: number } = await measured(
      parts,
      place,
      asked,
      signal,
    );
    const baseline = asked.baseline ?? own.baseline;
    if (baseline === undefined)
      throw fail('EXPERIMENT_INVALID', { reason: 'baseline: give it, or a metric with a flag' });
    const { effect, alpha, power, arms } = asked;
    const input: CalculatorInput = {
      isShare: shares.includes(own.kind),
      baseline,
      stddev: asked.stddev ?? own.stddev,
      effect,
      alpha,
      power,
      arms,
      daily: asked.daily ?? own.daily,
      sequential: asked.sequential === true,
    };
    const refusal = refusalOf(input);
    if (refusal !== undefined) throw fail('EXPERIMENT_INVALID', { reason: refusal });
    const calculated = calculate(input);
    if (calculated === undefined)
      throw fail('EXPERIMENT_INVALID', { reason: 'effect: it is so small that more than 10¹² units would be needed' });
    return { ...calculated, measured_days: own.days ?? null };
  };
}

async function measured(
  { db, clock, gateway, retention }: ResultDependencies,
  { project, workspace }: Place,
  asked: Asked,
  signal: AbortSignal,
) {
  const { metric: ref, flag: key, environment: place } = asked;
  if (ref === undefined) return { kind: asked.kind };
  if (key === undefined || place === undefined)
    throw fail('EXPERIMENT_INVALID', {
      reason: 'metric: name a flag and an environment too, whose units are measured',
    });
  const environment = (await findEnvironment(db, project.id, place))?.key;
  if (environment === undefined)
    throw fail('EXPERIMENT_INVALID', { reason: `environment: the project has no environment "${place}"` });
  const metric = await findKnownMetric(db, project.id, ref);
  if (metric === undefined) throw fail('EXPERIMENT_INVALID', { reason: `metric: the project has no metric "${ref}"` });
  const flag = await findFlag(db, project.id, key);
  if (flag === undefined) throw fail('EXPERIMENT_INVALID', { reason: `flag: the project has no flag "${key}"` });
  const past = pastWindow(pastDays, clock.now(), await retention.of(project.id));
  const arms = flag.variants.map(({ key }) => key);
  const scope = { workspace: workspace.number, project: project.number, environment };
  const exposed = { scope, flag: key, arms, ...past, untracked: true };
  const measure = createMeasure(gateway, 'interactive');
  const units = await measure.units(exposed, signal);
  const largest = Object.entries(units.arms).reduce<[string, number]>(
    (most, arm) => (arm[1] > most[1] ? arm : most),
    ['', 0],
  );
  if (largest[1] < 2)
    throw fail('EXPERIMENT_INVALID', {
      reason: `flag: ${key} has no units in the last ${pastDays} days; give baseline and stddev instead`,
    });
  const sums = await measure.sums(exposed, metric.definition, { units, signal });
  const arm = sums.find(({ variant }) => variant === largest[0]);
  const { kind } = metric.definition;
  if (arm === undefined) return { kind };
  const { plain, plainVariance } = estimate(sampleOf(metric.definition, arm, false));
  const total = Object.values(units.arms).reduce((sum, n) => sum + n, 0);
  const days = daysSeen(units.firstMs, past);
  return { kind, baseline: plain, stddev: Math.sqrt(plainVariance), daily: Math.round(total / days), days };
}
