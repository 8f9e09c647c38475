import { CUSTOM_BUCKETS, type NativeHistogram } from '@fanion/promql';
import type { NotedSeries } from '../../../../../promql/src/testing/notation.ts';
import type { Command } from '../../../../../promql/src/testing/script.ts';
import { customBuckets } from '../../../../../promql/src/testing/storage.ts';
import type { TestHistogram, TestSeries } from '../../../../../telemetry/src/testing/remote-write.ts';

/** The series of a `load`, as remote write sends them. Their times begin at `origin`. */
export function sentBy(
  { series, stepMs, withCustomBuckets }: Extract<Command, { kind: 'load' }>,
  origin: number,
): TestSeries[] {
  const converted = withCustomBuckets ? customBuckets(series, stepMs) : [];
  return [
    ...series.map((one) => sentSeries(one, origin, stepMs)),
    ...converted.map(({ labels, time, histogram }) => ({
      labels: Object.fromEntries(labels),
      histograms: [sentHistogram(histogram, origin + time)],
    })),
  ];
}

function sentSeries({ labels, points }: NotedSeries, origin: number, stepMs: number): TestSeries {
  const timed = points.map((point, i) => ({ point, time: origin + i * stepMs }));
  return {
    labels: Object.fromEntries(labels),
    samples: timed.flatMap(({ point, time }) =>
      point === 'stale' ? [{ value: 0, time, stale: true }] : typeof point === 'number' ? [{ value: point, time }] : [],
    ),
    histograms: timed.flatMap(({ point, time }) =>
      typeof point === 'object' ? [sentHistogram(point.histogram, time)] : [],
    ),
  };
}

const resetHints = { unknown: 0, reset: 1, 'not-reset': 2, gauge: 3 } as const;

function sentHistogram(histogram: NativeHistogram, time: number): TestHistogram {
  const { schema, count, sum, zeroCount, zeroThreshold, positive, negative, customValues } = histogram;
  const [up, down] = [dense(positive), dense(negative)];
  const isFloat = [count, zeroCount, ...up.counts, ...down.counts].some((one) => !Number.isSafeInteger(one));
  const deltas = (counts: number[]) => counts.map((one, i) => one - (counts[i - 1] ?? 0));
  return {
    ...{ schema, count, sum, zeroCount, zeroThreshold, time },
    positiveSpans: up.spans,
    negativeSpans: down.spans,
    ...(isFloat
      ? { floats: { positive: up.counts, negative: down.counts } }
      : { positiveDeltas: deltas(up.counts), negativeDeltas: deltas(down.counts) }),
    ...(schema === CUSTOM_BUCKETS && { bounds: [...(customValues ?? [])] }),
    resetHint: resetHints[histogram.counterReset],
  };
}

function dense({ indexes, counts }: NativeHistogram['positive']): { spans: [number, number][]; counts: number[] } {
  if (indexes.length === 0) return { spans: [], counts: [] };
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)];
  const all = new Array<number>(last - first + 1).fill(0);
  indexes.forEach((index, i) => {
    all[index - first] = counts[i] ?? 0;
  });
  return { spans: [[first, all.length]], counts: all };
}
