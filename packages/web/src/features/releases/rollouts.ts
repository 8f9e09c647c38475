import type { Tone } from '../../alerting/states.ts';
import { formatMilliseconds, formatPercent } from '../../ui/format/index.ts';
import { holdMs } from '../flags/ramp-plan.ts';
import type { ListedRamp, ListedRelease } from './queries.ts';

/** A ramp or a guarded release, as lists of both show them. */
export interface Rollout {
  readonly id: string;
  readonly kind: 'ramp' | 'guarded release';
  readonly flag: string;
  readonly environment: string;
  readonly variant: string;
  /** Out of 100000. */
  readonly weight: number;
  readonly step: number;
  readonly weights: readonly number[];
  readonly state: { readonly label: string; readonly tone: Tone };
  readonly isActive: boolean;
  /** It waits for a person. */
  readonly isPaused: boolean;
  /** Only unsure guards hold its step: a person can continue. */
  readonly isUnsure: boolean;
  /** Why it waits, or why it ended. */
  readonly reason: string | null;
  readonly nextAt: string | null;
  /** Everybody has the variant, and its guards watch it until then. */
  readonly watchingUntil: string | null;
  /** The hold of the current step in milliseconds. */
  readonly holdMs: number;
  /** When it began, or for a draft, when it was written. */
  readonly since: string;
  readonly endedAt: string | null;
  readonly by: string | null;
  /** The verdicts of the guards at the last look; empty for a ramp. */
  readonly guards: readonly Guard[];
}

export interface Guard {
  readonly name: string;
  readonly verdict: 'harm' | 'no_harm' | 'not_sure' | 'not_looked';
}

const RAMPS: Readonly<Record<ListedRamp['status'], Rollout['state']>> = {
  running: { label: 'Running', tone: 'ok' },
  paused: { label: 'Paused', tone: 'pending' },
  completed: { label: 'Completed', tone: 'off' },
  aborted: { label: 'Rolled back', tone: 'off' },
};

const RELEASES: Readonly<Record<ListedRelease['state'], Rollout['state']>> = {
  draft: { label: 'Draft', tone: 'off' },
  armed: { label: 'Waiting for units', tone: 'ok' },
  monitoring: { label: 'Monitoring', tone: 'ok' },
  completed: { label: 'Completed', tone: 'off' },
  rolled_back: { label: 'Rolled back', tone: 'firing' },
  disarmed: { label: 'Ended by a person', tone: 'off' },
};

export function ofRamp(ramp: ListedRamp): Rollout {
  const { id, flag, environment, variant, weight, step, steps, status } = ramp;
  return {
    id,
    kind: 'ramp',
    flag,
    environment,
    variant,
    weight,
    step,
    weights: steps.map((one) => one.weight),
    state: RAMPS[status],
    isActive: status === 'running' || status === 'paused',
    isPaused: status === 'paused',
    isUnsure: false,
    reason: null,
    nextAt: ramp.next_step_at,
    watchingUntil: null,
    holdMs: holdMs(steps[step]?.hold ?? '0s'),
    since: ramp.started_at,
    endedAt: ramp.ended_at,
    by: ramp.started_by,
    guards: [],
  };
}

export function ofRelease(release: ListedRelease): Rollout {
  const { id, flag, environment, variant, weight, step, steps, state, paused_reason, last_look } = release;
  const isActive = state === 'armed' || state === 'monitoring';
  const isPaused = isActive && paused_reason !== null;
  const isHarmed = last_look?.guards.some(({ verdict }) => verdict === 'harm') === true;
  return {
    id,
    kind: 'guarded release',
    flag,
    environment,
    variant,
    weight,
    step,
    weights: steps.map((one) => one.weight),
    state: isPaused ? { label: 'Paused by a guard', tone: 'pending' } : stateOf(release, isHarmed),
    isActive,
    isPaused,
    isUnsure: isActive && release.unsure_since !== null,
    reason: isPaused ? paused_reason : release.ended_reason,
    nextAt: release.next_step_at ?? (isPaused ? null : release.watching_until),
    watchingUntil: release.watching_until,
    holdMs: holdMs(release.watching_until === null ? (steps[step]?.hold ?? '0s') : release.watch),
    since: release.armed_at ?? release.created_at,
    endedAt: release.ended_at,
    by: release.armed_by,
    guards:
      last_look?.guards.map(({ name, verdict }) => ({ name, verdict })) ??
      release.guards.map(({ metric }) => ({ name: metric, verdict: 'not_looked' as const })),
  };
}

/** A harm that a person has accepted goes on, but is never green. */
function stateOf({ state, watching_until }: ListedRelease, isHarmed: boolean): Rollout['state'] {
  const shown = watching_until === null ? RELEASES[state] : { label: 'Watching', tone: 'ok' as const };
  return isHarmed && shown.tone === 'ok' ? { ...shown, tone: 'pending' } : shown;
}

/** What needs somebody first: paused, then running by their next step, then drafts, then what has ended, latest first. */
export function mostUrgentFirst(rollouts: readonly Rollout[]): Rollout[] {
  const rank = ({ isActive, isPaused, endedAt }: Rollout) => (isPaused ? 0 : isActive ? 1 : endedAt === null ? 2 : 3);
  return rollouts.toSorted((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    if (x !== y) return x - y;
    if (x === 1) return (a.nextAt ?? '9').localeCompare(b.nextAt ?? '9');
    return (b.endedAt ?? b.since).localeCompare(a.endedAt ?? a.since);
  });
}

/** `10% of true, step 2 of 3`. */
export function progressText({ weight, variant, step, weights, watchingUntil, isActive, endedAt }: Rollout): string {
  if (!isActive && endedAt === null)
    return `${weights.length === 1 ? '1 step' : `${weights.length} steps`} of ${variant}, not begun`;
  if (watchingUntil !== null) return `everybody gets ${variant}, watched`;
  return `${formatPercent(weight / 100_000)} ${variant}, step ${step + 1} of ${weights.length}`;
}

/** `to 25% in 12m 3s`, `everybody in 1h`; the last step of a rollout gives the variant to everybody. */
export function nextText({ nextAt, step, weights, kind, watchingUntil }: Rollout, now: number): string {
  if (nextAt === null) return '–';
  const next = weights[step + 1];
  const what =
    next === undefined
      ? kind === 'ramp' || watchingUntil !== null
        ? 'done'
        : 'everybody'
      : `to ${formatPercent(next / 100_000)}`;
  const left = Date.parse(nextAt) - now;
  return left <= 0 ? `${what} now` : `${what} in ${formatMilliseconds(Math.ceil(left / 1_000) * 1_000)}`;
}

/** How far the current step has come; 0…1. */
export function stepShare({ nextAt, holdMs: hold }: Rollout, now: number): number {
  if (nextAt === null || hold === 0) return 0;
  return Math.min(1, Math.max(0, 1 - (Date.parse(nextAt) - now) / hold));
}

/** The state of the guards in words: which found harm, else how many found none. */
export function guardsText(guards: readonly Guard[]): { readonly label: string; readonly tone: Tone } {
  if (guards.length === 0) return { label: 'none', tone: 'off' };
  const worse = guards.filter(({ verdict }) => verdict === 'harm');
  if (worse.length > 0) return { label: `${worse.map(({ name }) => name).join(', ')}: harm`, tone: 'firing' };
  if (guards.every(({ verdict }) => verdict === 'no_harm')) return { label: 'no harm', tone: 'ok' };
  const clear = guards.filter(({ verdict }) => verdict === 'no_harm').length;
  const label = clear === 0 ? 'not sure yet' : `no harm in ${clear} of ${guards.length}, not sure yet`;
  return { label, tone: 'off' };
}
