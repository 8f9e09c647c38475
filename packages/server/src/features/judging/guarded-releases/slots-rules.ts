/** Time between two looks at a release. */
export const lookMs = 10_000;

/**
 * When the releases of an environment are looked at: all at the same times, so that one read of telemetry answers all of them, and those of different
 * environments at different times. `at` is the last such time up to now, `next` the one after it.
 */
export function slotOf(environmentId: string, nowMs: number): { readonly at: number; readonly next: number } {
  let phase = 0;
  for (const letter of environmentId) phase = (phase * 31 + letter.charCodeAt(0)) % lookMs;
  const at = Math.floor((nowMs - phase) / lookMs) * lookMs + phase;
  return { at, next: at + lookMs };
}
