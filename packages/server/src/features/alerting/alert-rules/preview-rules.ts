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
