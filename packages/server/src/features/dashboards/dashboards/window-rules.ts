import type { Window } from '../../../platform/time-window.ts';

const nsPerMs = 1_000_000n;
/** Round steps, in milliseconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);
/** A step is at most a hundredth of the window. */
const stepsOfWindow = 100;

/** The widest round step that is at most a hundredth of a window; a second for short ones. */
export function roundStep(rangeMs: number): number {
  return steps.findLast((step) => step * stepsOfWindow <= rangeMs) ?? 1_000;
}

const isRelative = (text: string | number | undefined) =>
  text === undefined || (typeof text === 'string' && text.trim().startsWith('now'));

/**
 * Moves the relative ends of a window outwards to whole steps, so that people who ask within the same step ask for the same
 * window and share its answer. Fixed ends stay.
 */
export function alignedWindow(
  { fromNs, toNs }: Window,
  asked: { readonly from?: string | number | undefined; readonly to?: string | number | undefined },
): Window & { readonly stepMs: number } {
  const stepMs = roundStep(Number((toNs - fromNs) / nsPerMs));
  const stepNs = BigInt(stepMs) * nsPerMs;
  const down = (ns: bigint) => (ns / stepNs) * stepNs;
  const up = (ns: bigint) => down(ns + stepNs - 1n);
  return {
    fromNs: isRelative(asked.from) && isRelative(asked.to) ? down(fromNs) : fromNs,
    toNs: isRelative(asked.to) ? up(toNs) : toNs,
    stepMs,
  };
}
