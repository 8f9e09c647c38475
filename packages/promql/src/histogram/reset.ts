import { upperBound, usesCustomBuckets } from './bounds.ts';
import type { Buckets, NativeHistogram } from './native-histogram.ts';
import { commonBounds, haveSameBounds, inSchema, withBounds, withZeroBucket } from './reconcile.ts';

/**
 * Whether the counter began again since the sample before it: some count fell, or the buckets became finer, which a running counter never does. The
 * rules are `DetectReset` of Prometheus' `model/histogram/float_histogram.go`. Gauges are treated as counters.
 */
export function isReset(current: NativeHistogram, previous: NativeHistogram): boolean {
  if (current.counterReset === 'reset') return true;
  if (current.counterReset === 'not-reset') return false;
  if (current.count < previous.count) return true;
  if (usesCustomBuckets(current)) {
    if (!usesCustomBuckets(previous)) return true;
    if (!haveSameBounds(current, previous)) return hasFallenBetween(current, previous);
  }
  if (current.schema > previous.schema || current.zeroThreshold < previous.zeroThreshold) return true;
  const before =
    current.zeroThreshold === previous.zeroThreshold ? previous : withZeroBucket(previous, current.zeroThreshold);
  // The threshold is within a bucket that was not empty.
  if (before.zeroThreshold !== current.zeroThreshold) return true;
  if (current.zeroCount < before.zeroCount) return true;
  const same = inSchema(before, current.schema);
  const outside = (index: number) =>
    usesCustomBuckets(current) ||
    current.zeroThreshold === 0 ||
    upperBound(index, current.schema, undefined) > current.zeroThreshold;
  return hasFallen(current.positive, same.positive, outside) || hasFallen(current.negative, same.negative, outside);
}

function hasFallenBetween(current: NativeHistogram, previous: NativeHistogram): boolean {
  const none = new Float64Array(0);
  const bounds = commonBounds(current.customValues ?? none, previous.customValues ?? none);
  return hasFallen(withBounds(current, bounds).positive, withBounds(previous, bounds).positive, () => true);
}

function hasFallen(current: Buckets, previous: Buckets, counts: (index: number) => boolean): boolean {
  let at = 0;
  for (let i = 0; i < previous.indexes.length; i++) {
    const index = previous.indexes[i] ?? 0;
    if (!counts(index)) continue;
    while ((current.indexes[at] ?? Infinity) < index) at++;
    const now = current.indexes[at] === index ? (current.counts[at] ?? 0) : 0;
    if (now < (previous.counts[i] ?? 0)) return true;
  }
  return false;
}
