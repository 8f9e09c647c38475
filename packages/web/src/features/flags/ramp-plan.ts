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
