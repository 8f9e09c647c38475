import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { parsePromql } from './parse/index.ts';
import { type SampleSeries, type SampleSource, setStale } from './samples.ts';

const queries = [
  'x',
  'x offset 7s',
  'rate(x[30s])',
  'increase(x[1m] offset 10s)',
  'delta(x[45s])',
  'irate(x[30s])',
  'changes(x[1m]) + resets(x[1m])',
  'max_over_time(x[40s])',
  'min_over_time(x[25s])',
  'sum_over_time(x[1m])',
  'avg_over_time(x[35s])',
  'stddev_over_time(x[1m])',
  'quantile_over_time(0.7, x[1m])',
  'last_over_time(x[20s])',
  'predict_linear(x[1m], 10)',
  'absent_over_time(x[10s])',
  'timestamp(x)',
  'max_over_time(rate(x[30s])[1m:10s])',
  'sum by (a) (x)',
  'avg(x)',
  'topk(1, x)',
  'quantile by (a) (0.3, x)',
  'count_values("v", x)',
  'x > 3 or -x',
  'x and on (a) (x{a="1"} > 2)',
  'x * on (a) group_left sum by (a) (x)',
  'scalar(x{a="1", b="1"}) + vector(time())',
  'x - x @ 50',
];

/** Samples at irregular times, with resets, gaps, equal values and markers. */
const samples = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 30 }),
    fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(Number.NaN, 'stale' as const)),
  ),
  { maxLength: 25 },
);
const series = fc.tuple(samples, samples, samples).map((all) =>
  all.map((points, i): SampleSeries => {
    const times = Float64Array.from(
      points,
      (_, at) => points.slice(0, at + 1).reduce((sum, [gap]) => sum + gap, 0) * 1_000,
    );
    const values = Float64Array.from(points, ([, value]) => (value === 'stale' ? Number.NaN : value));
    points.forEach(([, value], at) => {
      if (value === 'stale') setStale(values, at);
    });
    return {
      labels: new Map([
        ['__name__', 'x'],
        ['a', `${i % 2}`],
        ['b', `${i}`],
      ]),
      times,
      values,
    };
  }),
);

/** Only the samples of the window, so that a missing one shows. */
function sourceOf(all: readonly SampleSeries[]): SampleSource {
  return {
    select: async ({ matchers, start, end }) => ({
      warnings: [],
      series: all
        .filter(({ labels }) => matchers.every(({ name, value }) => labels.get(name) === value))
        .map(({ labels, times, values }) => {
          const from = times.findIndex((time) => time > start);
          const after = times.findIndex((time) => time > end);
          const [begin, until] = [from < 0 ? times.length : from, after < 0 ? times.length : after];
          return { labels, times: times.slice(begin, until), values: values.slice(begin, until) };
        }),
    }),
  };
}

const LAST = 200_000;
const limits = { steps: 1_000, series: 1_000, samples: 1_000_000 };

describe('a range query', () => {
  it.each(queries)('has the values of instant queries at each step: %s', async (text) => {
    const expression = parsePromql(text);
    await fc.assert(
      fc.asyncProperty(series, fc.integer({ min: 1, max: 40 }), async (all, step) => {
        const source = sourceOf(all);
        const at = (start: number, end: number, stepMs: number) =>
          evaluate(
            expression,
            { start, end, step: stepMs, lookback: 60_000, limits },
            source,
            new AbortController().signal,
          );
        const { result } = await at(20_000, LAST, step * 1_000);
        const points =
          result.type !== 'matrix'
            ? []
            : result.series.flatMap(({ labels, times, values }) =>
                Array.from(times, (time, i) => [time, [...labels].join(), values[i]]),
              );
        const expected: unknown[] = [];
        for (let time = 20_000; time <= LAST; time += step * 1_000) {
          const { result: instant } = await at(time, time, 0);
          if (instant.type === 'vector')
            for (const { labels, value } of instant.samples) expected.push([time, [...labels].join(), value]);
        }
        const order = (one: unknown) => JSON.stringify(one);
        const sorted = (list: readonly unknown[]) => [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1));
        expect(sorted(points)).toEqual(sorted(expected));
      }),
      { numRuns: 12 },
    );
  });
});
