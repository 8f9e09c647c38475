import { Analysis } from '../../packages/contract/src/index.ts';
import { createRandom } from '../../packages/demo/src/random.ts';
import { visitsIn } from '../../packages/demo/src/run/traffic.ts';
import { EXPERIMENTS, METRIC } from '../../packages/demo/src/setup/judging.ts';
import { walk } from '../../packages/demo/src/simulation/operation.ts';
import { WISHLIST_EVENT } from '../../packages/demo/src/simulation/scenarios/judged.ts';
import { simulate } from '../../packages/demo/src/simulation/simulate.ts';
import { FLAG_DEFAULTS, flagsOf } from '../../packages/demo/src/simulation/visit.ts';
import { compareArms, judge } from '../../packages/server/src/features/judging/experiments/verdict-rules.ts';
import { builtInMetric } from '../../packages/server/src/features/judging/metrics/definition-rules.ts';
import { ratioOf } from '../../packages/server/src/features/judging/metrics/numbers-rules.ts';
import type { Story } from './release-stories.ts';
import { Sums } from './sums.ts';

/** Results are computed at most so often. */
const lookMs = 300_000;
const minute = 60_000;

/** The wishlist, of which a visitor counts once, and the error rate. */
interface Arm {
  readonly goal: Sums;
  readonly errors: Sums;
  readonly wished: Set<string>;
}

/**
 * Plays the experiments of the demo with the traffic that the demo would send, and computes their results every five minutes. Each ends with the first
 * verdict of any metric, or open at the end of the time.
 */
export function playExperiments({
  start,
  rate,
  seed,
  longestMs,
}: {
  readonly start: number;
  readonly rate: number;
  readonly seed: number;
  readonly longestMs: number;
}): ReadonlyMap<string, Story> {
  const ended = new Map<string, Story>();
  const running = EXPERIMENTS.map((experiment) => ({
    experiment,
    arms: new Map(
      experiment.variants.map(({ variant }): [string, Arm] => [
        variant,
        { goal: new Sums(variant), errors: new Sums(variant), wished: new Set() },
      ]),
    ),
  }));
  for (let at = start; at < start + longestMs; at += lookMs) {
    for (let slot = at; slot < at + lookMs; slot += 1_000)
      for (const { visit, random } of visitsIn(slot, { seed, peakRate: rate })) {
        if (!flagsOf(visit.scenario, true).includes('wishlist-hint')) continue;
        const unit = visit.visitor.id;
        const assigned = running.map(({ experiment }) => {
          const place = createRandom('experiment', seed, experiment.flag, unit).integer(experiment.variants.length);
          return [experiment.flag, experiment.variants[place]?.variant ?? experiment.control] as const;
        });
        const values = { ...FLAG_DEFAULTS, ...Object.fromEntries(assigned) };
        const operations = simulate(visit, values, random).flatMap((root) => [...walk(root)]);
        const isWished = operations.some(({ logs }) => logs.some(({ body }) => body === WISHLIST_EVENT));
        const requests = operations.filter(({ kind }) => kind === 'server' || kind === 'consumer');
        for (const [i, { arms }] of running.entries()) {
          const arm = arms.get(assigned[i]?.[1] ?? '');
          if (arm === undefined) continue;
          arm.goal.add(unit, [isWished && !arm.wished.has(unit) ? 1 : 0]);
          if (isWished) arm.wished.add(unit);
          arm.errors.add(
            unit,
            requests.map(({ failure }) => (failure === undefined ? 0 : 1)),
          );
        }
      }
    const elapsedMs = at + lookMs - start;
    for (const { experiment, arms } of running) {
      if (ended.has(experiment.key)) continue;
      const found = verdictOf(experiment, arms, elapsedMs);
      if (found !== undefined) ended.set(experiment.key, { state: found, minutes: elapsedMs / minute, reason: '' });
    }
  }
  for (const { experiment } of running)
    if (!ended.has(experiment.key))
      ended.set(experiment.key, { state: 'no difference found', minutes: longestMs / minute, reason: '' });
  return ended;
}

/** The first metric that has a verdict, if any has one yet. */
function verdictOf(
  { control, variants, ...rest }: (typeof EXPERIMENTS)[number],
  arms: ReadonlyMap<string, Arm>,
  elapsedMs: number,
): string | undefined {
  const analysis = Analysis.parse('analysis' in rest ? rest.analysis : {});
  const units = Object.fromEntries([...arms].map(([variant, { goal }]) => [variant, goal.sums.n]));
  const reliable = ratioOf(units, Object.fromEntries(variants.map(({ variant, weight }) => [variant, weight])), 0).ok;
  const errors = builtInMetric('error_rate');
  if (errors === undefined) throw new Error('error_rate is built in');
  const goal = { ...errors.definition, kind: 'conversion' as const, direction: 'up_is_good' as const };
  const judged = {
    definition: {
      ...{ control, variants: [...variants], analysis, hypothesis: '', bucket_by: null, audience: [], layer: null },
      ...{ traffic: { share: 100_000, start: 0 }, metrics: { goals: [], secondary: [], guardrails: [] } },
    },
    reliable,
    elapsedMs,
  };
  const sumsOf = (of: 'goal' | 'errors') => [...arms.values()].map((arm) => arm[of].sums);
  const metrics = judge(
    [
      {
        metric: { id: '1', key: METRIC.key, name: METRIC.name, role: 'goal' as const, definition: goal },
        sums: sumsOf('goal'),
      },
      {
        metric: {
          id: '2',
          key: errors.key,
          name: errors.name,
          role: 'guardrail' as const,
          definition: errors.definition,
        },
        sums: sumsOf('errors'),
      },
    ].map((measured) => compareArms(measured, judged)),
    judged,
  );
  for (const { name, variants: results } of metrics)
    for (const { variant, verdict } of results)
      if (verdict === 'better' || verdict === 'worse' || verdict === 'unreliable')
        return `${name}: ${variant} ${verdict}`;
  return undefined;
}
