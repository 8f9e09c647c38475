import { CUSTOM_BUCKETS, type NativeHistogram, setStale } from '@fanion/promql';
import { describe, expect, it } from 'vitest';
import { resultJson, valueText } from './result-json.ts';

const none = { indexes: new Int32Array(), counts: new Float64Array() };
const json = (result: Parameters<typeof resultJson>[0]['result']) => JSON.parse([...resultJson({ result })].join(''));

it.each([
  [1.5, '1.5'],
  [-0, '-0'],
  [1e21, '1e+21'],
  [1e20, '100000000000000000000'],
  [1.5e-7, '1.5e-07'],
  [1e-10, '1e-10'],
  [0.000001, '0.000001'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
])('writes the number %d as Prometheus does', (value, text) => {
  expect(valueText(value)).toBe(text);
});

describe('the JSON of a result', () => {
  it('has floats and histograms of a series apart, and no staleness marker', () => {
    const values = Float64Array.from([1, 0, 0]);
    setStale(values, 2);
    const histogram: NativeHistogram = {
      ...{ schema: 0, counterReset: 'unknown', count: 8, sum: 3, zeroThreshold: 0.001, zeroCount: 1 },
      positive: { indexes: Int32Array.from([0, 2]), counts: Float64Array.from([2, 4]) },
      negative: { indexes: Int32Array.from([1]), counts: Float64Array.from([1]) },
    };
    const labels = new Map([
      ['job', 'a"b'],
      ['__proto__', 'x'],
    ]);
    const times = Float64Array.from([1_000, 1_500, 3_000]);
    const series = { labels, times, values, histograms: [undefined, histogram, undefined] };
    const result = json({ type: 'matrix', series: [series] });
    expect(result.resultType).toBe('matrix');
    expect(Object.entries(result.result[0].metric)).toEqual([
      ['__proto__', 'x'],
      ['job', 'a"b'],
    ]);
    expect(result.result[0].values).toEqual([[1, '1']]);
    const buckets = [
      [1, '-2', '-1', '1'],
      [3, '-0.001', '0.001', '1'],
      [0, '0.5', '1', '2'],
      [0, '2', '4', '4'],
    ];
    expect(result.result[0].histograms).toEqual([[1.5, { count: '8', sum: '3', buckets }]]);
  });

  it('has the bounds of custom buckets', () => {
    const histogram: NativeHistogram = {
      ...{ schema: CUSTOM_BUCKETS, counterReset: 'unknown', count: 3, sum: 1, zeroThreshold: 0, zeroCount: 0 },
      positive: { indexes: Int32Array.from([0, 1, 2]), counts: Float64Array.from([1, 0, 2]) },
      negative: none,
      customValues: Float64Array.from([0.5, 1]),
    };
    const sample = { labels: new Map(), time: 2_000, value: Number.NaN, histogram };
    expect(json({ type: 'vector', samples: [sample] }).result[0].histogram[1].buckets).toEqual([
      [3, '-Inf', '0.5', '1'],
      [0, '1', '+Inf', '2'],
    ]);
  });

  it('has scalars and strings', () => {
    expect(json({ type: 'scalar', time: 1_234, value: 2 })).toEqual({ resultType: 'scalar', result: [1.234, '2'] });
    expect(json({ type: 'string', time: 0, value: 'a"' })).toEqual({ resultType: 'string', result: [0, 'a"'] });
  });
});
