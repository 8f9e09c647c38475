import type { Buckets } from './native-histogram.ts';

export const NO_BUCKETS: Buckets = { indexes: new Int32Array(0), counts: new Float64Array(0) };

/** Buckets by index and count, in rising order of the index. */
export function bucketsOf(indexes: readonly number[], counts: readonly number[]): Buckets {
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(counts) };
}

/** Buckets as protocols send them: spans of indexes, each with its distance from the end of the one before, and all counts. */
export function bucketsOfSpans(
  spans: readonly { readonly offset: number; readonly length: number }[],
  counts: readonly number[],
): Buckets {
  const indexes: number[] = [];
  let next = 0;
  for (const { offset, length } of spans) {
    next += offset;
    for (let i = 0; i < length; i++) indexes.push(next++);
  }
  return bucketsOf(
    indexes,
    indexes.map((_, i) => counts[i] ?? 0),
  );
}

/** Without empty buckets. */
export function compacted({ indexes, counts }: Buckets): Buckets {
  if (!counts.includes(0)) return { indexes, counts };
  const kept: number[] = [];
  counts.forEach((count, i) => {
    if (count !== 0) kept.push(i);
  });
  return bucketsOf(
    kept.map((i) => indexes[i] ?? 0),
    kept.map((i) => counts[i] ?? 0),
  );
}

/** Without the buckets up to an index. */
export function after(index: number, { indexes, counts }: Buckets): Buckets {
  const begin = indexes.findIndex((one) => one > index);
  if (begin === 0) return { indexes, counts };
  return begin < 0 ? NO_BUCKETS : { indexes: indexes.subarray(begin), counts: counts.subarray(begin) };
}

/** In a schema with wider buckets: each of them holds `2 ** by` of the old ones. */
export function reduced({ indexes, counts }: Buckets, by: number): Buckets {
  if (by <= 0) return { indexes, counts };
  return regrouped({ indexes, counts }, (index) => ((index - 1) >> by) + 1);
}

/** With new indexes, which must not fall; the counts of equal ones are added up. */
export function regrouped({ indexes, counts }: Buckets, place: (index: number) => number): Buckets {
  const [into, sums]: [number[], number[]] = [[], []];
  indexes.forEach((index, i) => {
    const target = place(index);
    const last = into.length - 1;
    if (into[last] === target) sums[last] = (sums[last] ?? 0) + (counts[i] ?? 0);
    else {
      into.push(target);
      sums.push(counts[i] ?? 0);
    }
  });
  return bucketsOf(into, sums);
}

/** Calls `visit` with the counts of each bucket of either side, and returns what it returns. */
export function combined(a: Buckets, b: Buckets, visit: (a: number, b: number) => number): Buckets {
  const size = a.indexes.length + b.indexes.length;
  const [indexes, counts] = [new Int32Array(size), new Float64Array(size)];
  let [i, j, length] = [0, 0, 0];
  while (i < a.indexes.length || j < b.indexes.length) {
    const [left, right] = [a.indexes[i] ?? Infinity, b.indexes[j] ?? Infinity];
    const index = Math.min(left, right);
    indexes[length] = index;
    counts[length] = visit(left === index ? (a.counts[i++] ?? 0) : 0, right === index ? (b.counts[j++] ?? 0) : 0);
    length++;
  }
  return { indexes: indexes.subarray(0, length), counts: counts.subarray(0, length) };
}

export function scaled({ indexes, counts }: Buckets, scale: (count: number) => number): Buckets {
  return { indexes, counts: counts.map(scale) };
}

export function areEqual(a: Buckets, b: Buckets): boolean {
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i] && Object.is(a.counts[i], b.counts[i]))
  );
}
