import type { GuardedLook } from '@fanion/contract';
import { Failure } from '../../../platform/fail.ts';
import { type Exposed, type MeasureMetrics, ratioOf } from '../metrics/index.ts';
import { judge } from './numbers-rules.ts';
import type { PlacedRelease } from './store.ts';

/**
 * What has happened since the release was armed. A guard that cannot be measured has an error; throws if nothing can be measured.
 */
export async function takeLook(
  measure: MeasureMetrics,
  release: PlacedRelease,
  nowMs: number,
  signal: AbortSignal,
): Promise<GuardedLook> {
  const { definition, frozen, armed_at } = release;
  if (frozen === null || armed_at === null) throw new Error(`the guarded release ${release.id} is not armed`);
  const { variant } = definition;
  const { control, metrics } = frozen;
  const exposed: Exposed = {
    scope: {
      workspace: release.workspace_number,
      project: release.project_number,
      environment: release.environment,
    },
    flag: release.flag,
    arms: [control, variant],
    fromMs: armed_at.getTime(),
    toMs: nowMs,
  };
  const units = await measure.units(exposed, signal);
  const seen = Object.values(units.arms).reduce((sum, n) => sum + n, 0);
  const guards: GuardedLook['guards'] = [];
  for (const [i, guard] of definition.guards.entries()) {
    const metric = metrics[i];
    if (metric === undefined) throw new Error(`the guarded release ${release.id} lacks the metric of guard ${i}`);
    const tests = { alpha: definition.alpha, guards: definition.guards.length };
    const nothing = { n: 0, mean: null };
    const empty = {
      metric: metric.key,
      name: metric.name,
      tolerance: guard.tolerance,
      control: nothing,
      treatment: nothing,
    };
    if (seen === 0) {
      guards.push({ ...empty, verdict: 'too_few_data', harm: null, bound: null, error: null });
      continue;
    }
    try {
      const sums = await measure.sums(exposed, metric.definition, { units, signal });
      const of = (arm: string) => sums.find(({ variant }) => variant === arm);
      const [a, b] = [of(control), of(variant)];
      if (a === undefined || b === undefined) throw new Error('an arm was not measured');
      guards.push(judge(metric, guard, { control: a, treatment: b }, tests));
    } catch (error) {
      signal.throwIfAborted();
      // A store that is away fails for all guards alike; what only this metric cannot do is its own error.
      if (!(error instanceof Failure) || error.status >= 429) throw error;
      guards.push({ ...empty, verdict: 'too_few_data', harm: null, bound: null, error: error.message });
    }
  }
  return {
    at: new Date(nowMs).toISOString(),
    units: { ...units.arms },
    crossed: units.crossed,
    sample_ratio: ratioOf(units.arms, { [control]: 1, [variant]: 1 }, units.crossed),
    guards,
  };
}
