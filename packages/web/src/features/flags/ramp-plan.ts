import type { getRamp, RouteResponse } from '@fanion/contract';
import { parsePercent } from './weights.ts';

export type Ramp = RouteResponse<typeof getRamp>;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
export const HOLD_UNITS = [
  { value: 's', label: 'seconds' },
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
  { value: 'w', label: 'weeks' },
];

/** Milliseconds of a hold such as `30s` or `7d`. */
export function holdMs(hold: string): number {
  return Number(hold.slice(0, -1)) * (UNIT_MS[hold.slice(-1)] ?? 0);
}

/** `1 hour`, `30 minutes`. */
export function holdText(hold: string): string {
  const count = Number(hold.slice(0, -1));
  const unit = HOLD_UNITS.find(({ value }) => value === hold.slice(-1))?.label ?? '';
  return `${count} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
}

/** How long all steps take together, in milliseconds. */
export function planMs(steps: readonly { hold: string }[]): number {
  return steps.reduce((sum, { hold }) => sum + holdMs(hold), 0);
}

/** The time left at `now` of the current step and of the whole ramp, in milliseconds; null unless the ramp is running. */
export function leftMs(ramp: Ramp, now: number): { step: number; all: number; share: number } | null {
  if (ramp.next_step_at === null) return null;
  const step = Math.max(0, new Date(ramp.next_step_at).getTime() - now);
  const hold = holdMs(ramp.steps[ramp.step]?.hold ?? '0s');
  return {
    step,
    all: step + planMs(ramp.steps.slice(ramp.step + 1)),
    share: hold === 0 ? 1 : Math.min(1, Math.max(0, 1 - step / hold)),
  };
}

/** A step as the user types it. */
export interface StepDraft {
  uid: string;
  percent: string;
  count: string;
  unit: string;
}

/** Parses the typed steps of a ramp; errors are by step. `share` is the variant's current weight, out of 100000. */
export function readSteps(
  drafts: readonly StepDraft[],
  share: number,
): { steps: { weight: number; hold: string }[]; errors: (string | undefined)[] } {
  let last = Math.max(0, share - 1);
  const errors = drafts.map(({ percent, count }) => {
    const weight = parsePercent(percent);
    if (weight === null || weight === 0) return 'The percentage must be above 0 and at most 100';
    if (weight <= last) return 'Each step must be above the previous step and the current percentage';
    last = weight;
    return /^[1-9]\d{0,5}$/.test(count.trim()) ? undefined : 'The hold time must be a whole number';
  });
  return {
    steps: drafts.map(({ percent, count, unit }) => ({
      weight: parsePercent(percent) ?? 0,
      hold: `${count.trim()}${unit}`,
    })),
    errors,
  };
}
