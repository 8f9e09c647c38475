/**
 * When a rule is evaluated: at k · every + phase, the same on every replica. Times are milliseconds since the epoch.
 */
export interface Slots {
  readonly everyMs: number;
  readonly phaseMs: number;
}

/** The first slot after `now`. */
export function nextSlot({ everyMs, phaseMs }: Slots, now: number): number {
  return (Math.floor((now - phaseMs) / everyMs) + 1) * everyMs + phaseMs;
}

/** The last slot at or before `now`: of several that were missed, only this one is evaluated. */
export function latestSlot(slots: Slots, now: number): number {
  return nextSlot(slots, now) - slots.everyMs;
}

/** How many slots from `scheduledFor` on are skipped when the rule is evaluated at `now`. */
export function missedSlots({ everyMs }: Slots, scheduledFor: number, now: number): number {
  return Math.max(0, Math.floor((now - scheduledFor) / everyMs));
}
