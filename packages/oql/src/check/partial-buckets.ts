import { bucketAround } from '../calendar/zones.ts';
import type { Window } from '../plan/plan.ts';
import type { Bucket } from './relation.ts';

/**
 * The buckets of a window that contain only part of their time: the first, if the window begins inside of it, and the last
 * one that has begun, if the window ends inside of it or it is not over. In order of time; half-open.
 */
export function partialBuckets(bucket: Bucket, window: Window, nowNs: bigint): readonly Window[] {
  const endNs = window.toNs < nowNs ? window.toNs : nowNs;
  if (endNs <= window.fromNs) return [];
  const first = bucketAt(bucket, window.fromNs);
  const last = bucketAt(bucket, endNs - 1n);
  const isFirstCut = first.fromNs < window.fromNs;
  const isLastCut = last.toNs > endNs;
  if (first.fromNs === last.fromNs) return isFirstCut || isLastCut ? [first] : [];
  return [...(isFirstCut ? [first] : []), ...(isLastCut ? [last] : [])];
}

/** The bucket that a time is in. */
function bucketAt({ widthNs, calendar }: Bucket, timeNs: bigint): Window {
  if (calendar) return bucketAround(timeNs, calendar, calendar.zone);
  const fromNs = timeNs - (timeNs % widthNs);
  return { fromNs, toNs: fromNs + widthNs };
}
