import { describe, expect, it } from 'vitest';
import { type MetricPlan, picked, seriesOf } from './metric-rules.ts';
import { pipeline } from './oql-tree.ts';

const steps = { firstNs: 0n, widthNs: 10_000_000_000n, count: 3 };
const plan = (metric: MetricPlan['metric'], keys: readonly string[]): MetricPlan => ({
  pipeline: pipeline('spans'),
  metric,
  keys,
});
const at = (begin: unknown) => Number(begin);
const any = () => {};

describe('the series of TraceQL metrics', () => {
  it('are filled with 0 where they count, and per second of their steps for rates', () => {
    const [rate] = seriesOf(plan({ kind: 'rate', by: [] }, []), [[1, 5]], steps, at, any);
    expect([...(rate?.values ?? [])]).toEqual([0, 0.5, 0]);
    const [most] = seriesOf(
      plan({ kind: 'max_over_time', of: { kind: 'intrinsic', name: 'duration' }, by: [] }, []),
      [[1, 5]],
      steps,
      at,
      any,
    );
    expect([...(most?.values ?? [])]).toEqual([Number.NaN, 5, Number.NaN]);
  });

  it('leave out the labels that a group does not have, but for one', () => {
    const rows = [
      [0, 'a', null, 1],
      [0, null, null, 2],
    ];
    const series = seriesOf(plan({ kind: 'count_over_time', by: [] }, ['name', '.x']), rows, steps, at, any);
    expect(series.map(({ labels }) => labels)).toEqual([
      [{ key: 'name', value: { stringValue: 'a' } }],
      [{ key: 'name', value: { stringValue: 'nil' } }],
    ]);
  });

  it('are refused before there is memory for the steps of all', () => {
    const rows = Array.from({ length: 9 }, (_, i) => [0, `span ${i}`, 1]);
    const numbers: number[] = [];
    const refuse = (series: number) => {
      numbers.push(series);
      if (series > 2) throw new Error('too many series');
    };
    expect(() => seriesOf(plan({ kind: 'rate', by: [] }, ['name']), rows, steps, at, refuse)).toThrow('too many');
    expect(numbers).toEqual([1, 2, 3]);
  });

  it('keep the largest values of each step, of equal ones the first', () => {
    const series = [
      [1, 5, Number.NaN],
      [2, 5, Number.NaN],
      [3, 1, Number.NaN],
    ].map((values, i) => ({
      labels: [{ key: 'i', value: { intValue: String(i) } }],
      values: Float64Array.from(values),
    }));
    const kept = (kind: 'topk' | 'bottomk', count: number) =>
      picked(series, [{ kind, count }], 3).map(({ labels, values }) => [labels[0]?.value, [...values]]);
    const none = Number.NaN;
    expect(kept('topk', 1)).toEqual([
      [{ intValue: '0' }, [none, 5, none]],
      [{ intValue: '2' }, [3, none, none]],
    ]);
    expect(kept('bottomk', 1)).toEqual([
      [{ intValue: '0' }, [1, none, none]],
      [{ intValue: '2' }, [none, 1, none]],
    ]);
    expect([...(series[0]?.values ?? [])]).toEqual([1, 5, none]);
  });
});
