import type { CounterCase } from './counters.ts';
import type { Buckets, Histogram, HistogramSeries } from './histograms.ts';

/**
 * Prometheus' rules in plain TypeScript, for comparison in tests. Times are seconds; the window of a range is open at
 * its start and closed at its end.
 */
export interface Grown {
  readonly increase: number;
  readonly rate: number;
}

interface Sample {
  readonly at: number;
  readonly value: number;
}

/** `increase(x[over])` and `rate(x[over])` at a moment; undefined if fewer than two samples are in the window. */
export function extrapolated({ samples }: CounterCase, end: number, over: number): Grown | undefined {
  const inWindow = samples.flatMap(([at, value]): Sample[] =>
    value !== 'stale' && at > end - over && at <= end ? [{ at, value }] : [],
  );
  const [first] = inWindow;
  if (!first || inWindow.length < 2) return undefined;
  let growth = 0;
  let previous = first;
  for (const sample of inWindow.slice(1)) {
    growth += sample.value < previous.value ? sample.value : sample.value - previous.value;
    previous = sample;
  }
  const increase = growth * factorOf({ first, last: previous, n: inWindow.length, growth, end, over });
  return { increase, rate: increase / over };
}

interface Coverage {
  readonly first: Sample;
  readonly last: Sample;
  readonly n: number;
  readonly growth: number;
  readonly end: number;
  readonly over: number;
}

/** The factor that extrapolates the growth between the first and the last sample to the window. */
function factorOf({ first, last, n, growth, end, over }: Coverage): number {
  const covered = last.at - first.at;
  const distance = covered / (n - 1);
  const reach = (gap: number) => (gap < 1.1 * distance ? gap : distance / 2);
  const before = reach(first.at - (end - over));
  const sinceZero = growth > 0 && first.value >= 0 ? (covered * first.value) / growth : Number.POSITIVE_INFINITY;
  return (covered + Math.min(before, sinceZero) + reach(end - last.at)) / covered;
}

/** The same for a native histogram: the factor of its count applies to count, sum and buckets. */
export function extrapolatedHistogram({ states }: HistogramSeries, end: number, over: number): Histogram | undefined {
  const inWindow = states.flatMap(([at, state]) =>
    state !== 'stale' && at > end - over && at <= end ? [{ at, state }] : [],
  );
  const [first] = inWindow;
  if (!first || inWindow.length < 2) return undefined;
  let growth: Histogram | undefined;
  let previous = first;
  for (const next of inWindow.slice(1)) {
    const step = isReset(previous.state, next.state) ? next.state : combined(next.state, previous.state, -1);
    growth = growth ? combined(step, growth, 1) : step;
    previous = next;
  }
  if (!growth) return undefined;
  const value = (of: typeof first) => ({ at: of.at, value: of.state.count });
  const coverage = { first: value(first), last: value(previous), n: inWindow.length, growth: growth.count, end, over };
  return scaled(growth, factorOf(coverage));
}

function isReset(before: Histogram, now: Histogram): boolean {
  if (now.count < before.count) return true;
  if (now.explicit && before.explicit) {
    const { counts } = before.explicit;
    return now.explicit.counts.some((n, i) => n < (counts[i] ?? 0));
  }
  const [then, here] = [before.exponential, now.exponential];
  if (!then || !here) return true;
  if (here.scale > then.scale || here.zeroThreshold < then.zeroThreshold || here.zeroCount < then.zeroCount)
    return true;
  const difference = combined(now, before, -1).exponential;
  return [difference?.positive, difference?.negative].some((side) => side?.counts.some((n) => n < 0) ?? false);
}

/** `a + sign · b`, at the smaller of their scales. */
function combined(a: Histogram, b: Histogram, sign: 1 | -1): Histogram {
  const count = a.count + sign * b.count;
  const sum = a.sum + sign * b.sum;
  if (a.explicit && b.explicit) {
    const there = b.explicit.counts;
    const counts = a.explicit.counts.map((n, i) => n + sign * (there[i] ?? 0));
    return { count, sum, explicit: { bounds: a.explicit.bounds, counts } };
  }
  const [x, y] = [a.exponential, b.exponential];
  if (!x || !y) throw new Error('a histogram has either explicit or exponential buckets');
  const scale = Math.min(x.scale, y.scale);
  const side = (one: Buckets, other: Buckets): Buckets => {
    const counts = new Map<number, number>();
    const add = ({ first, counts: list }: Buckets, from: number, times: number) =>
      list.forEach((n, i) => {
        const index = Math.floor((first + i) / 2 ** (from - scale));
        counts.set(index, (counts.get(index) ?? 0) + times * n);
      });
    add(one, x.scale, 1);
    add(other, y.scale, sign);
    if (counts.size === 0) return { first: 0, counts: [] };
    const first = Math.min(...counts.keys());
    const length = Math.max(...counts.keys()) - first + 1;
    return { first, counts: Array.from({ length }, (_, i) => counts.get(first + i) ?? 0) };
  };
  return {
    count,
    sum,
    exponential: {
      scale,
      zeroCount: x.zeroCount + sign * y.zeroCount,
      zeroThreshold: x.zeroThreshold,
      positive: side(x.positive, y.positive),
      negative: side(x.negative, y.negative),
    },
  };
}

function scaled({ count, sum, explicit, exponential }: Histogram, by: number): Histogram {
  const all = (counts: readonly number[]) => counts.map((n) => n * by);
  const side = ({ first, counts }: Buckets): Buckets => ({ first, counts: all(counts) });
  return {
    count: count * by,
    sum: sum * by,
    ...(explicit ? { explicit: { bounds: explicit.bounds, counts: all(explicit.counts) } } : {}),
    ...(exponential
      ? {
          exponential: {
            ...exponential,
            zeroCount: exponential.zeroCount * by,
            positive: side(exponential.positive),
            negative: side(exponential.negative),
          },
        }
      : {}),
  };
}

interface Range {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** `histogram_quantile`; undefined for an empty histogram. */
export function histogramQuantile(level: number, of: Histogram): number | undefined {
  if (of.count <= 0) return undefined;
  return of.explicit ? classicQuantile(level, of.explicit) : nativeQuantile(level, of);
}

/** Counts are assumed to be evenly spread between two bounds; beyond the last bound only the bound is known. */
function classicQuantile(level: number, { bounds, counts }: NonNullable<Histogram['explicit']>): number {
  const rank = level * counts.reduce((sum, n) => sum + n, 0);
  let below = 0;
  for (const [i, high] of bounds.entries()) {
    const count = counts[i] ?? 0;
    if (below + count >= rank && count > 0) {
      const low = bounds[i - 1] ?? Math.min(0, high);
      return low === high || (i === 0 && high <= 0) ? high : low + ((high - low) * (rank - below)) / count;
    }
    below += count;
  }
  return bounds.at(-1) ?? Number.NaN;
}

/**
 * Values of an exponential bucket are assumed to be evenly spread on a logarithmic scale, those of the zero bucket on a
 * linear one. From the median on, ranks are counted from above, which decides the side of a gap.
 */
function nativeQuantile(level: number, { count, exponential }: Histogram): number {
  if (!exponential) throw new Error('no buckets');
  const buckets = rangesOf(exponential).filter((bucket) => bucket.count > 0);
  const fromAbove = level >= 0.5;
  const ordered = fromAbove ? buckets.toReversed() : buckets;
  const rank = (fromAbove ? 1 - level : level) * count;
  let seen = 0;
  for (const bucket of ordered) {
    if (seen + bucket.count >= rank || bucket === ordered.at(-1)) {
      const part = Math.min(1, (rank - seen) / bucket.count);
      return between(bucket, fromAbove ? 1 - part : part);
    }
    seen += bucket.count;
  }
  return Number.NaN;
}

function between({ low, high }: Range, share: number): number {
  if (low <= 0 && high >= 0) return low + (high - low) * share;
  return low * (high / low) ** share;
}

/** All buckets from the lowest to the highest. The zero bucket ends at 0 if the other side has no buckets. */
function rangesOf({ scale, zeroCount, zeroThreshold, positive, negative }: NonNullable<Histogram['exponential']>) {
  const bound = (index: number) => 2 ** (index / 2 ** scale);
  const up = positive.counts.map((count, i): Range => {
    const index = positive.first + i;
    return { low: bound(index), high: bound(index + 1), count };
  });
  const down = negative.counts.map((count, i): Range => {
    const index = negative.first + i;
    return { low: -bound(index + 1), high: -bound(index), count };
  });
  const low = down.length === 0 && up.length > 0 ? 0 : -zeroThreshold;
  const high = up.length === 0 && down.length > 0 ? 0 : zeroThreshold;
  return [...down.reverse(), { low, high, count: zeroCount }, ...up];
}

/** `increase` of OQL: the growth of each sample in `[from, to)` over the previous one, up to ten minutes earlier. */
export function increaseWithoutExtrapolation({ samples }: CounterCase, from: number, to: number): number | undefined {
  const numbers = samples.flatMap(([at, value]): Sample[] =>
    value !== 'stale' && at >= from - 600 && at < to ? [{ at, value }] : [],
  );
  const inRange = numbers.filter(({ at }) => at >= from);
  if (inRange.length === 0) return undefined;
  return inRange.reduce((total, { at, value }) => {
    const before = numbers.findLast((other) => other.at < at);
    // The start of a scraped counter is unknown, so its first value is not counted as growth.
    if (!before) return total;
    return total + (value < before.value ? value : value - before.value);
  }, 0);
}
