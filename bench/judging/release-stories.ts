import type { GuardedLook } from '@fanion/contract';
import { createRandom } from '../../packages/demo/src/random.ts';
import { visitsIn } from '../../packages/demo/src/run/traffic.ts';
import type { ReleasePlan } from '../../packages/demo/src/setup/judging.ts';
import { walk } from '../../packages/demo/src/simulation/operation.ts';
import { simulate } from '../../packages/demo/src/simulation/simulate.ts';
import { FLAG_DEFAULTS, type FlagKey, flagsOf } from '../../packages/demo/src/simulation/visit.ts';
import { judge } from '../../packages/server/src/features/judging/guarded-releases/numbers-rules.ts';
import { decide, type Watched } from '../../packages/server/src/features/judging/guarded-releases/rules.ts';
import { builtInMetric } from '../../packages/server/src/features/judging/metrics/definition-rules.ts';
import { ratioOf } from '../../packages/server/src/features/judging/metrics/numbers-rules.ts';
import { Sums } from './sums.ts';

const lookMs = 10_000;
const minute = 60_000;
/** A Wednesday at noon UTC: three quarters of the busiest traffic. */
export const start = Date.UTC(2026, 10, 25, 12);

/** How a story has ended, and after how many minutes. */
export interface Story {
  readonly state: string;
  readonly minutes: number;
  readonly reason: string;
}

/** Plays one guarded release of the demo with the traffic that the demo would send, and looks at it every ten seconds as the server does. */
export function playStory(
  { flag, plan }: { readonly flag: FlagKey; readonly plan: ReleasePlan },
  { rate, seed, longestMs }: { readonly rate: number; readonly seed: number; readonly longestMs: number },
): Story {
  const metrics = plan.guards.map(({ metric }) => {
    const found = builtInMetric(metric);
    if (found === undefined) throw new Error(`${metric} is not built in`);
    return found;
  });
  const arms = new Map(['false', plan.variant].map((arm) => [arm, metrics.map(() => new Sums(arm))]));
  const armed = new Date(start);
  let watched: Watched = {
    ...{ variant: plan.variant, control: 'false', steps: plan.steps, accepted: [], passed: undefined },
    guards: plan.guards.map(({ min_units }) => ({ on_regression: 'rollback', min_units })),
    ...{ whenUnsure: 'hold', holdAtMost: '7d', armedAt: armed, stepStartedAt: armed, step: 0, pausedReason: null },
    ...{ watch: '0s', watchedSince: null },
  };
  for (let at = start; at < start + longestMs; at += lookMs) {
    const weight = plan.steps[watched.step]?.weight ?? 0;
    for (let slot = at; slot < at + lookMs; slot += 1_000)
      for (const { visit, random } of visitsIn(slot, { seed, peakRate: rate })) {
        const place = createRandom('story', seed, flag, visit.visitor.id).integer(100_000);
        const arm = place < weight ? plan.variant : place >= 50_000 && place < 50_000 + weight ? 'false' : undefined;
        if (arm === undefined || !flagsOf(visit.scenario, true).includes(flag)) continue;
        const values = { ...FLAG_DEFAULTS, 'wishlist-hint': 'plain', [flag]: arm === plan.variant };
        const operations = simulate(visit, values, random).flatMap((root) => [...walk(root)]);
        const requests = operations.filter(({ kind }) => kind === 'server' || kind === 'consumer');
        for (const [i, { key }] of metrics.entries()) {
          const numberOf = ({ failure, start: from, end }: (typeof requests)[number]) =>
            key === 'error_rate' ? (failure === undefined ? 0 : 1) : (end - from) * 1e6;
          arms.get(arm)?.[i]?.add(visit.visitor.id, requests.map(numberOf));
        }
      }
    const now = new Date(at + lookMs);
    const decision = decide(watched, lookOf(plan, metrics, arms, now), now);
    const ended = (state: string) => ({ state, minutes: (now.getTime() - start) / minute, reason: decision.reason });
    if (decision.move === 'step') watched = { ...watched, step: decision.step, stepStartedAt: now };
    else if (decision.move === 'rollback') return ended('rolled_back');
    else if (decision.move === 'complete') return ended('completed');
    else if (at + 2 * lookMs > start + longestMs) return ended(`step ${watched.step + 1}`);
  }
  throw new Error('the story has no look');
}

function lookOf(
  plan: ReleasePlan,
  metrics: readonly NonNullable<ReturnType<typeof builtInMetric>>[],
  arms: ReadonlyMap<string, readonly Sums[]>,
  now: Date,
): GuardedLook {
  const sumsOf = (arm: string, i: number) => arms.get(arm)?.[i]?.sums ?? new Sums(arm).sums;
  const units = { false: sumsOf('false', 0).n, [plan.variant]: sumsOf(plan.variant, 0).n };
  const tests = { alpha: 0.05, guards: plan.guards.length, comparedWith: 'control' } as const;
  const guards = metrics.flatMap((metric, i) => {
    const guard = plan.guards[i];
    const sums = { control: sumsOf('false', i), treatment: sumsOf(plan.variant, i) };
    return guard === undefined ? [] : [judge(metric, { direction: null, ...guard }, sums, tests)];
  });
  const sample_ratio = ratioOf(units, { false: 1, [plan.variant]: 1 }, 0);
  return { at: now.toISOString(), units, crossed: 0, sample_ratio, compared_with: 'control', guards };
}
