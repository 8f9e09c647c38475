import { durationMs } from '../../../platform/durations.ts';

export interface RampStep {
  /** Of 100000. */
  readonly weight: number;
  readonly hold: string;
}

/** The part of a ramp that depends on time. */
export interface RampClock {
  readonly status: 'running' | 'paused' | 'completed' | 'aborted';
  readonly steps: readonly RampStep[];
  /** Index of the step that is served. */
  readonly step: number;
  /** When the step was written, or resumed after a pause. */
  readonly step_started_at: Date;
  /** How long the step was held before its last pause. */
  readonly held_ms: number;
}

export type RampMove =
  | { readonly move: 'none' }
  | { readonly move: 'wait'; readonly until: Date }
  | { readonly move: 'advance'; readonly step: number }
  | { readonly move: 'complete' };

/**
 * The move that is due now. Only one step at a time, however late it is: each is held for its whole time after it was
 * written, so that a server that was down never serves a variant to everybody at once. A step never goes back.
 */
export function step(ramp: RampClock, now: Date): RampMove {
  const until = endOfStep(ramp);
  if (until === null) return { move: 'none' };
  if (until > now) return { move: 'wait', until };
  return ramp.step + 1 < ramp.steps.length ? { move: 'advance', step: ramp.step + 1 } : { move: 'complete' };
}

/** When the hold of the current step ends; null while the ramp does not move. */
export function endOfStep(ramp: RampClock): Date | null {
  if (ramp.status !== 'running') return null;
  const left = durationMs(ramp.steps[ramp.step]?.hold ?? '0s') - ramp.held_ms;
  return new Date(ramp.step_started_at.getTime() + Math.max(0, left));
}

/** How long the current step has been held when a ramp is paused. */
export function heldMs(ramp: RampClock, now: Date): number {
  return ramp.held_ms + Math.max(0, now.getTime() - ramp.step_started_at.getTime());
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

const totalWeight = 100_000;

/**
 * The issues of a ramp.
 * @param share the variant's share of the fallthrough before the ramp, of 100000
 */
export function checkRamp(steps: readonly RampStep[], share: number): Issue[] {
  const issues: Issue[] = [];
  if (share === totalWeight) issues.push({ path: 'variant', message: 'is already served to everyone' });
  for (const [i, { weight }] of steps.entries()) {
    const path = `steps.${i}.weight`;
    const before = i === 0 ? share : (steps[i - 1]?.weight ?? 0);
    if (i === 0 && weight < before)
      issues.push({ path, message: `is below the current share of the variant, ${share}: a ramp never reduces it` });
    if (i > 0 && weight <= before) issues.push({ path, message: 'must be above the previous step' });
  }
  return issues;
}
