import type { GuardedLook } from '@fanion/contract';
import { createRandom } from '../../packages/demo/src/random.ts';
import { visitsIn } from '../../packages/demo/src/run/traffic.ts';
import { RELEASES, type ReleasePlan } from '../../packages/demo/src/setup/judging.ts';
import { walk } from '../../packages/demo/src/simulation/operation.ts';
import { simulate } from '../../packages/demo/src/simulation/simulate.ts';
import { FLAG_DEFAULTS, type FlagKey, flagsOf } from '../../packages/demo/src/simulation/visit.ts';
import { judge } from '../../packages/server/src/features/judging/guarded-releases/numbers-rules.ts';
import { decide, type Watched } from '../../packages/server/src/features/judging/guarded-releases/rules.ts';
import { builtInMetric } from '../../packages/server/src/features/judging/metrics/definition-rules.ts';
import type { ArmSums } from '../../packages/server/src/features/judging/metrics/measure.ts';
import { ratioOf } from '../../packages/server/src/features/judging/metrics/numbers-rules.ts';

const lookMs = 10_000;
const minute = 60_000;
/** A Wednesday at noon UTC: three quarters of the busiest traffic. */
const start = Date.UTC(2026, 10, 25, 12);

interface Story {
  readonly state: string;
  readonly minutes: number;
  readonly reason: string;
}

/** The sums of one metric by arm, kept by unit. */
class Sums {
  readonly #units = new Map<string, { x: number; y: number }>();
  sums: ArmSums;

  constructor(variant: string) {
    const none = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
    this.sums = { ...none, variant, slice: '', n: 0, active: 0, events: 0, rows: 0, skipped: 0, quantile: null };
  }

  add(unit: string, values: readonly number[]): void {
    const old = this.#units.get(unit) ?? { x: 0, y: 0 };
    const now = { x: old.x + values.reduce((sum, value) => sum + value, 0), y: old.y + values.length };
    const isNew = this.#units.has(unit) ? 0 : 1;
    this.#units.set(unit, now);
    const { sums } = this;
    this.sums = {
      ...sums,
      ...{ n: sums.n + isNew, active: sums.active + isNew, rows: sums.rows + values.length },
      ...{ x: sums.x + now.x - old.x, xx: sums.xx + now.x ** 2 - old.x ** 2 },
      ...{ y: sums.y + now.y - old.y, yy: sums.yy + now.y ** 2 - old.y ** 2 },
      xy: sums.xy + now.x * now.y - old.x * old.y,
      events: sums.events + (old.x === 0 && now.x !== 0 ? 1 : 0),
    };
  }
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

/** How the guarded releases of the demo end, and when, without their watch, at each rate of visits. */
export function printStories(rounds: number): void {
  for (const story of RELEASES)
    for (const rate of [0.5, 1, 2, 10]) {
      const played = Array.from({ length: rounds }, (_, seed) =>
        playStory(story, { rate, seed, longestMs: 180 * minute }),
      );
      const ends = new Map<string, number[]>();
      for (const { state, minutes } of played) ends.set(state, [...(ends.get(state) ?? []), minutes]);
      const told = [...ends].map(([state, minutes]) => {
        const sorted = minutes.toSorted((a, b) => a - b);
        const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
        return `${minutes.length} ${state} after ${at(0)} / ${at(0.5)} / ${at(1)} min`;
      });
      console.log(`${story.flag.padEnd(12)} rate ${String(rate).padEnd(4)} ${told.join('; ')}`);
      const open = played.find(({ state }) => state.startsWith('step'));
      if (open !== undefined) console.log(`  ${open.reason}`);
    }
}
