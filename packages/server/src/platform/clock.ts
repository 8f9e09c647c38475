/** The source of time; tests pass one that they control. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export function dateOf(clock: Clock, offsetMs = 0): Date {
  return new Date(clock.now() + offsetMs);
}
