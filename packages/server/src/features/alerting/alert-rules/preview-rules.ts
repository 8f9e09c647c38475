import { latestSlot, type Slots } from './slot-rules.ts';

/** Evaluations of one preview; more of them are spread further apart. */
export const maxEvaluations = 720;

/** The times that a preview evaluates: slots of the rule, or every n-th of them. */
export function previewSlots(slots: Slots, fromMs: number, toMs: number): { stepMs: number; times: readonly number[] } {
  const first = latestSlot(slots, fromMs - 1) + slots.everyMs;
  const count = Math.max(0, Math.floor((toMs - first) / slots.everyMs) + 1);
  const stepMs = slots.everyMs * Math.max(1, Math.ceil(count / maxEvaluations));
  const times: number[] = [];
  for (let at = first; at <= toMs; at += stepMs) times.push(at);
  return { stepMs, times };
}

/** A change counts as caught if an instance began to fire so soon after it. */
export const caughtWithinMs = 3_600_000;

/**
 * The changes that a rule would have caught, each with when the first instance fired after it.
 * @param firedAt when instances began to fire, in any order
 */
export function caughtBy<Change extends { readonly time: string }>(
  changes: readonly Change[],
  firedAt: readonly number[],
): (Change & { readonly fired_at: string })[] {
  const sorted = [...firedAt].sort((a, b) => a - b);
  return changes.flatMap((change) => {
    const at = Date.parse(change.time);
    const fired = sorted.find((time) => time >= at);
    if (fired === undefined || fired - at > caughtWithinMs) return [];
    return [{ ...change, fired_at: new Date(fired).toISOString() }];
  });
}
