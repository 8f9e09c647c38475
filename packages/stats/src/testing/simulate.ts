import { compare } from '../compare.ts';
import { holm } from '../corrections.ts';
import { type Effects, effects } from '../effect.ts';
import { fixedTest } from '../fixed.ts';
import { judgeGuard } from '../guard.ts';
import { sampleRatio } from '../sample-ratio.ts';
import { sequentialTest } from '../sequential.ts';
import { stratifiedEffects } from '../stratify.ts';
import { growing, pairsOf, proportions, type Seen, type Series, seeded } from './draws.ts';

const ALPHA = 0.05;

/** Shares of the runs in which a test decided, or its interval held the truth. */
export interface Rates {
  /** The fixed test decided at the last look. */
  fixed: number;
  /** The fixed test decided at any look: what peeking does to it. */
  peeked: number;
  /** The sequential test decided at any look, by the absolute difference and with 10 events an arm, as verdicts are. */
  sequential: number;
  /** The same by the relative difference and with any number of events, as verdicts are not. */
  relative: number;
  /** The fixed interval of the absolute difference holds the true one at the last look. */
  coverage: number;
}

/** Simulates experiments whose first arm is the control. More arms than two are decided by Holm's correction. */
export function simulate(options: {
  series: Series;
  runs: number;
  seed: number;
  /** The true difference of the first treatment and the control. */
  truth?: number;
}): Rates {
  const { series, runs, seed, truth = 0 } = options;
  const random = seeded(seed);
  const count = { fixed: 0, peeked: 0, sequential: 0, relative: 0, coverage: 0 };
  for (let run = 0; run < runs; run += 1) {
    const ever = { peeked: false, sequential: false, relative: false };
    let last: Seen = { arms: [] };
    for (const seen of series(random)) {
      ever.peeked ||= decided(seen, false);
      ever.sequential ||= decided(seen, true);
      ever.relative ||= relativelyDecided(seen);
      last = seen;
    }
    if (decided(last, false)) count.fixed += 1;
    for (const key of ['peeked', 'sequential', 'relative'] as const) if (ever[key]) count[key] += 1;
    const result = effectsOf(last);
    if (result === undefined) continue;
    const [low, high] = fixedTest(result.absolute, ALPHA).interval;
    if (low <= truth && truth <= high) count.coverage += 1;
  }
  const share = (n: number) => n / runs;
  return {
    fixed: share(count.fixed),
    peeked: share(count.peeked),
    sequential: share(count.sequential),
    relative: share(count.relative),
    coverage: share(count.coverage),
  };
}

/** The effects of the first treatment. */
function effectsOf(seen: Seen): Effects | undefined {
  const [control, treatment] = seen.arms;
  if (control === undefined || treatment === undefined) return undefined;
  const pairs = pairsOf(seen, 1);
  return pairs === undefined ? effects(control, treatment) : stratifiedEffects(pairs);
}

/** Whether any treatment has a verdict. */
function decided(seen: Seen, sequential: boolean): boolean {
  const [control, ...treatments] = seen.arms;
  if (control === undefined) return false;
  const analysis = { engine: 'frequentist', alpha: ALPHA, sequential } as const;
  const pValues = treatments.map((treatment, i) => {
    const { absolute, reason } = compare(control, treatment, analysis, pairsOf(seen, i + 1));
    return reason === undefined ? (absolute?.pValue ?? 1) : 1;
  });
  return holm(pValues).some((p) => p < ALPHA);
}

function relativelyDecided(seen: Seen): boolean {
  const relative = effectsOf(seen)?.relative;
  if (relative === undefined) return false;
  const [low, high] = sequentialTest(relative, ALPHA).interval;
  return low > 0 || high < 0;
}

/** The share of releases with this error rate of the treatment in which one of `guards` equal guards saw a regression. */
export function simulateGuards(options: {
  rates: readonly [number, number];
  guards: number;
  perLook: readonly number[];
  runs: number;
  seed: number;
}): number {
  const { rates, guards, perLook, runs, seed } = options;
  const [base, treated] = rates;
  const random = seeded(seed);
  let regressions = 0;
  for (let run = 0; run < runs; run += 1) {
    const seen = Array.from({ length: guards }, () => {
      for (const { arms } of growing(proportions(base), [0, treated / base - 1], perLook)(random)) {
        const [control, treatment] = arms;
        if (control === undefined || treatment === undefined) continue;
        const look = { control, treatment, direction: 'down_is_good', tolerance: 0, guards } as const;
        if (judgeGuard(look).verdict === 'harm') return true;
      }
      return false;
    });
    if (seen.includes(true)) regressions += 1;
  }
  return regressions / runs;
}

/** The share of splits in which the sample ratio alarmed at any look. `actual` are the weights that units were really split by. */
export function simulateSplits(options: {
  weights: readonly number[];
  actual?: readonly number[];
  perLook: readonly number[];
  runs: number;
  seed: number;
}): number {
  const { weights, actual = weights, perLook, runs, seed } = options;
  const random = seeded(seed);
  const total = actual.reduce((sum, w) => sum + w, 0);
  let alarms = 0;
  for (let run = 0; run < runs; run += 1) {
    const observed = weights.map(() => 0);
    for (const n of perLook) {
      for (let i = 0; i < n; i += 1) {
        let at = random() * total;
        let arm = 0;
        for (; arm < actual.length - 1 && at >= (actual[arm] ?? 0); arm += 1) at -= actual[arm] ?? 0;
        observed[arm] = (observed[arm] ?? 0) + 1;
      }
      if (!sampleRatio(observed, weights).ok) {
        alarms += 1;
        break;
      }
    }
  }
  return alarms / runs;
}
