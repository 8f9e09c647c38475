import { resolveRange, type TimeRange } from '../ui/time/time-range.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const WIDTHS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  DAY,
];

export interface BucketWidth {
  /** In OQL's form: `5m`. */
  text: string;
  milliseconds: number;
}

/** The round bucket width that divides a window into about `buckets` parts. */
export function bucketWidth(windowMs: number, buckets = 60): BucketWidth {
  const ideal = windowMs / buckets;
  const round = WIDTHS.find((width) => width >= ideal * 0.9);
  const milliseconds = round ?? Math.max(1, Math.round(ideal / DAY)) * DAY;
  return { text: durationText(milliseconds), milliseconds };
}

/** The same for a window of the address; a window that cannot be read has the width of the shortest. */
export function bucketOf(range: TimeRange, buckets?: number): BucketWidth {
  const window = resolveRange(range, Date.now());
  return bucketWidth((window?.to ?? 1) - (window?.from ?? 0), buckets);
}

function durationText(milliseconds: number): string {
  if (milliseconds >= DAY) return `${milliseconds / DAY}d`;
  if (milliseconds >= HOUR) return `${milliseconds / HOUR}h`;
  return milliseconds >= MINUTE ? `${milliseconds / MINUTE}m` : `${milliseconds / 1000}s`;
}

/**
 * The number of buckets that are complete at the end of the window. The last one usually is not, and its rate would
 * look like a drop. Times are the starts of the buckets, ascending; all in milliseconds.
 */
export function completeBuckets(times: readonly number[], width: number, to: number): number {
  let count = times.length;
  while (count > 0 && (times[count - 1] ?? 0) + width > to) count -= 1;
  return count;
}
