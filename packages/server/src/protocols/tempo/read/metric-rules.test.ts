import { describe, expect, it } from 'vitest';
import { type MetricPlan, seriesOf } from './metric-rules.ts';
import { pipeline } from './oql-tree.ts';

const steps = { firstNs: 0n, widthNs: 10_000_000_000n, count: 3 };
const plan = (metric: MetricPlan['metric'], keys: readonly string[]): MetricPlan => ({
  pipeline: pipeline('spans'),
  metric,
  keys,
});
const at = (begin: unknown) => Number(begin);
const reading = { stepOf: at, refuse: () => {}, pause: () => undefined };

describe('the series of TraceQL metrics', () => {
  it('are filled with 0 where they count, and per second of their steps for rates', async () => {
    const [rate] = await seriesOf(plan({ kind: 'rate', by: [] }, []), [[1, 5]], steps, reading);
    expect([...(rate?.values ?? [])]).toEqual([0, 0.5, 0]);
    const [most] = await seriesOf(
      plan({ kind: 'max_over_time', of: { kind: 'intrinsic', name: 'duration' }, by: [] }, []),
      [[1, 5]],
      steps,
      reading,
    );
    expect([...(most?.values ?? [])]).toEqual([Number.NaN, 5, Number.NaN]);
  });

  it('leave out the labels that a group does not have, but for one', async () => {
    const rows = [
      [0, 'a', null, 1],
      [0, null, null, 2],
    ];
    const series = await seriesOf(plan({ kind: 'count_over_time', by: [] }, ['name', '.x']), rows, steps, reading);
    expect(series.map(({ labels }) => labels)).toEqual([
      [{ key: 'name', value: { stringValue: 'a' } }],
      [{ key: 'name', value: { stringValue: 'nil' } }],
    ]);
  });

  it('are refused before there is memory for the steps of all', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => [0, `span ${i}`, 1]);
    const numbers: number[] = [];
    const refuse = (series: number) => {
      numbers.push(series);
      if (series > 2) throw new Error('too many series');
    };
    const read = seriesOf(plan({ kind: 'rate', by: [] }, ['name']), rows, steps, { ...reading, refuse });
    await expect(read).rejects.toThrow('too many');
    expect(numbers).toEqual([1, 2, 3]);
  });
});
