import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EvaluationOptions, evaluate } from './evaluate.ts';
import { parsePromql } from './parse/index.ts';
import { bitsOf, isStale, type SampleSeries, type SampleSource, type SelectRequest, setStale } from './samples.ts';

const limits = { steps: 1_000, series: 100, samples: 10_000 };
const options = (start: number, end = start, step = 0): EvaluationOptions => ({
  start,
  end,
  step,
  lookback: 300_000,
  limits,
});

function counter(instance: string, samples: number): SampleSeries {
  return {
    labels: new Map([
      ['__name__', 'x_total'],
      ['instance', instance],
    ]),
    times: Float64Array.from({ length: samples }, (_, i) => i * 1_000),
    values: Float64Array.from({ length: samples }, (_, i) => i),
  };
}

function sourceOf(series: readonly SampleSeries[]): SampleSource & { readonly requests: SelectRequest[] } {
  const requests: SelectRequest[] = [];
  return {
    requests,
    select: async (request) => {
      requests.push(request);
      return { series, warnings: ['one shard is missing'] };
    },
  };
}

const run = (text: string, how: EvaluationOptions, source: SampleSource, signal = new AbortController().signal) =>
  evaluate(parsePromql(text), how, source, signal);

describe('requests to the source', () => {
  const windowsOf = async (text: string, how: EvaluationOptions) => {
    const source = sourceOf([]);
    await run(text, how, source);
    return source.requests.map(({ start, end }) => [start, end]);
  };

  it('asks for the look-back of an instant selector', async () => {
    expect(await windowsOf('x', options(1_000_000))).toEqual([[700_000, 1_000_000]]);
  });

  it('asks once for all steps of a range query', async () => {
    expect(await windowsOf('rate(x[1m])', options(600_000, 900_000, 60_000))).toEqual([[540_000, 900_000]]);
  });

  it('ends with the last step, not with the end', async () => {
    expect(await windowsOf('x', options(600_000, 719_000, 60_000))).toEqual([[300_000, 660_000]]);
  });

  it('counts offsets and @ in', async () => {
    expect(await windowsOf('x offset 1m + y @ 100 offset -1m', options(600_000))).toEqual([
      [240_000, 540_000],
      [-140_000, 160_000],
    ]);
  });

  it('resolves start() and end() to those of the query', async () => {
    expect(await windowsOf('x @ start() + x @ end()', options(600_000, 900_000, 100_000))).toEqual([
      [300_000, 600_000],
      [600_000, 900_000],
    ]);
  });

  it('covers the steps of nested sub-queries', async () => {
    // From the first multiple of 30 s after 0 s; each reaches back a minute.
    expect(await windowsOf('max_over_time(rate(x[1m])[10m:30s])', options(610_000))).toEqual([[-30_000, 600_000]]);
  });

  it('asks for nothing where no step is evaluated', async () => {
    expect(await windowsOf('x', options(10_000, 5_000, 1_000))).toEqual([]);
    expect(await windowsOf('sum_over_time(x[10s:1m])', options(50_000))).toEqual([]);
  });

  it('names the metric and its labels', async () => {
    const source = sourceOf([]);
    await run('x{a=~"b.*"}', options(0), source);
    expect(source.requests[0]?.matchers).toEqual([
      { name: 'a', op: '=~', value: 'b.*' },
      { name: '__name__', op: '=', value: 'x' },
    ]);
  });

  it('passes warnings on once', async () => {
    const { warnings } = await run('x_total + x_total', options(5_000), sourceOf([counter('a', 5)]));
    expect(warnings).toEqual(['one shard is missing']);
  });
});

describe('limits', () => {
  it.each([
    ['steps', 'x_total', options(0, 1_000_000, 1_000), /maximum resolution of 1000 points/],
    ['samples of selectors', 'x_total', options(20_000_000), /too many samples.*query execution: the limit is 10000/],
    ['steps of a sub-query', 'max_over_time(vector(1)[1y:1ms])', options(0), /too many samples/],
    ['values to count', 'count_values("v", x_total * time())', options(0, 999_000, 1_000), /too many samples/],
    ['points of a result', 'vector(1) + on () group_right () x_total', options(0, 999_000, 1_000), /too many samples/],
  ])('ends at too many %s', async (_, text, how, message) => {
    const series =
      text === 'x_total' ? [counter('a', 10_001)] : Array.from({ length: 11 }, (_, i) => counter(`${i}`, 10));
    await expect(run(text, how, sourceOf(series))).rejects.toThrow(
      expect.objectContaining({ kind: 'limit', message: expect.stringMatching(message) }),
    );
  });

  it('ends at too many series', async () => {
    const many = Array.from({ length: 101 }, (_, i) => counter(`${i}`, 1));
    await expect(run('x_total', options(0), sourceOf(many))).rejects.toThrow('more than 100 series');
  });

  it('ends when the signal is aborted', async () => {
    const controller = new AbortController();
    const source: SampleSource = {
      select: async () => {
        controller.abort();
        return { series: [counter('a', 10)], warnings: [] };
      },
    };
    await expect(run('sum(x_total)', options(0), source, controller.signal)).rejects.toThrow(
      expect.objectContaining({ kind: 'canceled' }),
    );
  });

  it('lets other work run during a long evaluation, which an abort then ends', async () => {
    const controller = new AbortController();
    setImmediate(() => setImmediate(() => controller.abort()));
    const much = { ...options(0, 999_000, 1_000), limits: { steps: 1_000, series: 5_000, samples: 1e9 } };
    const series = Array.from({ length: 2_000 }, (_, i) => counter(`${i}`, 1_000));
    await expect(
      run('quantile_over_time(0.5, x_total[5m])', much, sourceOf(series), controller.signal),
    ).rejects.toThrow('query was canceled');
  });

  it('rejects a range query of a range', async () => {
    await expect(run('x[5m]', options(0, 10_000, 1_000), sourceOf([]))).rejects.toThrow(
      'invalid expression type "range vector" for range query, must be Scalar or instant Vector',
    );
  });
});

describe('samples', () => {
  it('keeps labels that are names of object properties', async () => {
    const series = {
      ...counter('a', 1),
      labels: new Map([
        ['__name__', 'x'],
        ['__proto__', 'p'],
        ['constructor', 'c'],
      ]),
    };
    const { result } = await run('sum by (__proto__, constructor) (x)', options(0), sourceOf([series]));
    expect(result).toMatchObject({ type: 'vector', samples: [{ value: 0 }] });
    expect(result.type === 'vector' && [...(result.samples[0]?.labels ?? [])]).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
  });

  it('knows staleness markers from other NaNs by their bits', () => {
    const values = new Float64Array([1, Number.NaN, 0, 0]).subarray(1);
    setStale(values, 1);
    expect(Array.from(values, (_, i) => isStale(bitsOf(values), i))).toEqual([false, true, false]);
  });

  it('keeps the values of a result bit by bit', async () => {
    const values = new Float64Array([-0, 5e-324, Number.MAX_VALUE, 0.1 + 0.2]);
    const series = { ...counter('a', 4), values };
    const { result } = await run('x_total', options(0, 3_000, 1_000), sourceOf([series]));
    expect(result.type === 'matrix' && result.series[0]?.values).toEqual(values);
  });

  it('does not change the arrays of the source', async () => {
    const series = counter('a', 10);
    await run('-x_total + sum_over_time(x_total[5s]) + topk(1, x_total)', options(0, 9_000, 1_000), sourceOf([series]));
    expect(series.values).toEqual(counter('a', 10).values);
  });
});

describe('exact increases', () => {
  const minutes = 10;
  const exact = { ...options(60_000, minutes * 60_000, 60_000), increases: 'exact' } as const;
  const increases = async (samples: readonly (readonly [seconds: number, value: number])[], how = exact) => {
    const series = {
      labels: new Map([['__name__', 'x_total']]),
      times: Float64Array.from(samples, ([seconds]) => seconds * 1_000),
      values: Float64Array.from(samples, ([, value]) => value),
    };
    const { result } = await run('increase(x_total[1m])', how, sourceOf([series]));
    if (result.type !== 'matrix') throw new Error('no range query');
    return result.series.flatMap(({ times, values }) => Array.from(times, (at, i) => [at / 60_000, values[i]]));
  };

  it('grow from the last sample before the range, at any interval', async () => {
    expect(
      await increases([
        [30, 5],
        [90, 7],
        [150, 7],
        [210, 12],
      ]),
    ).toEqual([
      [1, 0],
      [2, 2],
      [3, 0],
      [4, 5],
    ]);
  });

  it('add nothing for minutes without samples, and start again after the look-back', async () => {
    const points = [
      [30, 5],
      [100, 6],
      [430, 9],
      [450, 10],
    ] as const;
    expect(await increases(points)).toEqual([
      [1, 0],
      [2, 1],
      [8, 1],
    ]);
  });

  it('add up to the growth of the counter with its resets', async () => {
    const growths = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 9 }), fc.boolean()), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(growths, async (steps) => {
        let [at, value, grown] = [0, 0, 0];
        const samples: [number, number][] = [];
        for (const [seconds, growth, resets] of steps) {
          at += seconds;
          if (at > minutes * 60) break;
          const lost = resets && growth < value;
          if (samples.length > 0) grown += growth;
          value = lost ? growth : value + growth;
          samples.push([at, value]);
        }
        const sum = (await increases(samples)).reduce((all, [, one]) => all + (one ?? 0), 0);
        expect(sum).toBe(grown);
      }),
    );
  });
});
