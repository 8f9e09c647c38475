/** Time between two looks at a release, at least. */
export const lookMs = 10_000;

/** A look comes at least so often within the time of a step, and within that of the whole release. */
const looksOfStep = 1_000;
const looksOfRelease = 10_000;
/** However old a release is: what happens now must be seen soon. */
const longestLookMs = 80_000;

/**
 * Time between two looks at a release. Each look measures everything since the release was armed, so looks at an old one come less often. It is
 * ten seconds, doubled up to three times, so that releases of about the same age are still looked at together.
 *
 * @param changedAt when its step began, or may have ended
 */
export function lookEveryMs(armedAt: Date, changedAt: Date, nowMs: number): number {
  const seen = Math.max((nowMs - changedAt.getTime()) / looksOfStep, (nowMs - armedAt.getTime()) / looksOfRelease);
  const wanted = Math.min(seen, longestLookMs);
  let every = lookMs;
  while (every * 2 <= wanted) every *= 2;
  return every;
}

/**
 * When the releases of an environment are looked at: all at the same times, so that one read of telemetry answers all of them, and those of different
 * environments at different times. `at` is the last such time up to now, `next` the one after it.
 */
export function slotOf(
  environmentId: string,
  nowMs: number,
  everyMs = lookMs,
): { readonly at: number; readonly next: number } {
  let phase = 0;
  for (const letter of environmentId) phase = (phase * 31 + letter.charCodeAt(0)) % lookMs;
  const at = Math.floor((nowMs - phase) / everyMs) * everyMs + phase;
  return { at, next: at + everyMs };
}

/** When a release is looked at next: as often as `everyMs` says, and as soon as its step may end. */
export function nextLookMs(environmentId: string, nowMs: number, everyMs: number, stepEndsAt: Date | null): number {
  const { next } = slotOf(environmentId, nowMs, everyMs);
  if (stepEndsAt === null || stepEndsAt.getTime() <= nowMs) return next;
  return Math.min(next, slotOf(environmentId, stepEndsAt.getTime() - 1).next);
}
