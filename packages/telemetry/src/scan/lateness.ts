/**
 * Steps of how late items are received, in milliseconds after their own time. What is later than the last one is not waited for: it is
 * history that is loaded.
 */
export const LATENESS_STEPS_MS = [
  100, 250, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000,
  120_000,
] as const;

/** Items by how late they were received: one count for each of {@link LATENESS_STEPS_MS}, and one for what is later. */
export type Lateness = number[];

export function noLateness(): Lateness {
  return new Array<number>(LATENESS_STEPS_MS.length + 1).fill(0);
}

/** The step of an item; `LATENESS_STEPS_MS.length`: later than all steps. Negative for the clock of a sender that is ahead. */
export function latenessStep(lateMs: number): number {
  let step = 0;
  while (step < LATENESS_STEPS_MS.length && lateMs > (LATENESS_STEPS_MS[step] ?? 0)) step++;
  return step;
}
