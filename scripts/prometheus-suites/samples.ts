import type { Need } from './needs.ts';

/** The simulated time. Samples are apart from whole minutes, since Prometheus 2 counts a sample on the edge of a range twice. */
export interface Day {
  readonly fromMs: number;
  readonly toMs: number;
  readonly everyMs: number;
  readonly phaseMs: number;
}

interface Sample {
  readonly time: number;
  readonly value: number;
  readonly stale?: true;
}

/** So much that Prometheus 2 and 3, which extrapolate to the start of a counter differently, agree. */
const resetTo = 200_000;
const minuteMs = 60_000;
const daySeconds = 86_400;

/** A day of a series, which depends on its labels alone: stretches of the same behavior, breaks, ends and resets. */
export function samplesOf(need: Need, labels: Readonly<Record<string, string>>, day: Day): Sample[] {
  // The buckets of a histogram grow together.
  const { le, ...others } = labels;
  const random = randomOf(JSON.stringify(others));
  const share = shareOf(le);
  const isConstant = need.metric.endsWith('_info');
  const samples: Sample[] = [];
  let stretch = stretchOf(need, random, day, false);
  let ends = day.fromMs + stretch.minutes * minuteMs;
  let total = 1e6 + Math.floor(random() * 1e6);
  for (let time = day.fromMs + day.phaseMs; time < day.toMs; time += day.everyMs) {
    if (time >= ends) {
      const next = stretchOf(need, random, day, true);
      if (!isConstant && next.kind === 'ended' && stretch.kind === 'present')
        samples.push({ time, value: 0, stale: true });
      if (next.isReset) total = resetTo;
      stretch = next;
      ends = time + stretch.minutes * minuteMs;
    }
    const noise = random();
    if (isConstant) samples.push({ time, value: 1 });
    if (isConstant || stretch.kind !== 'present') continue;
    total += Math.floor((stretch.level * (0.5 + noise) * day.everyMs) / 1000);
    const level = stretch.isNoisy ? stretch.level * (1 + 0.05 * (noise - 0.5)) : stretch.level;
    samples.push({ time, value: need.isCounter ? Math.floor(total * share) : level });
  }
  return samples;
}

interface Stretch {
  readonly minutes: number;
  readonly kind: 'present' | 'ended' | 'break';
  readonly level: number;
  readonly isNoisy: boolean;
  readonly isReset: boolean;
}

function stretchOf(need: Need, random: () => number, day: Day, mayEnd: boolean): Stretch {
  const chance = random();
  const kind = mayEnd && chance < 0.06 ? 'ended' : mayEnd && chance < 0.1 ? 'break' : 'present';
  const levels = need.isCounter ? [0, 0, 0.02, 0.3, 4, 60, 900] : need.isTime ? timesOf(day) : gaugesOf(need);
  const level = levels[Math.floor(random() * levels.length)] ?? 0;
  const minutes = 15 + Math.floor(random() * 120);
  const isNoisy = !need.isTime && level !== 0 && level !== 1 && random() < 0.5;
  return { minutes, kind, level, isNoisy, isReset: random() < 0.15 };
}

/** Below, at and above the numbers of the expressions. */
function gaugesOf({ numbers, equals, metric }: Need): number[] {
  if (metric === 'up' || metric.endsWith('_up')) return [1, 1, 1, 0];
  // Conditions are often about several metrics at once, of which each rarely has an exact value.
  if (equals.size > 0) return [...equals].flatMap((one) => [one, one, one, one + 1]);
  const near = [...numbers].filter((one) => Number.isFinite(one) && Math.abs(one) < 1e12);
  return [0, 1, 1, 2, 37.25, ...near.slice(0, 12).flatMap((one) => [one * 0.5, one, one * 1.2 + 1])];
}

function timesOf({ fromMs }: Day): number[] {
  return [-40, -3, -0.5, 0.25, 0.6, 3, 40].map((days) => Math.floor(fromMs / 1000) + days * daySeconds);
}

/** How much of a histogram's counts is up to a bound. */
function shareOf(le: string | undefined): number {
  if (le === undefined || le === '+Inf') return 1;
  return 1 - Math.exp(-2 * Number(le));
}

/** Numbers from 0 to 1 that depend on a text alone (a linear congruential generator). */
function randomOf(text: string): () => number {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 8) % 1_000_003) / 1_000_003;
  };
}
