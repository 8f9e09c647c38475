import { describe, expect, it } from 'vitest';
import { type CounterPart, countersOf } from './counter-rules.ts';

const counter = (part: CounterPart) => ({
  name: 'calls',
  part,
  labelNames: ['service', 'kind'],
  bounds: [0.512, 1.02],
});
const row = (at: number, calls: number, seconds: number, labels = ['cart', '']) => ({
  ...{ labels, at, calls, failed_calls: 1, seconds, within: [0, calls] },
});
const valuesOf = (part: CounterPart, rows: Parameters<typeof countersOf>[1], times: number[]) =>
  countersOf(counter(part), rows, times).map(({ values }) => [...values]);

describe('counters of what is counted when it is read', () => {
  it('grow from zero by the counts of each step', () => {
    const rows = [row(45_000, 2, 0.5), row(60_000, 3, 1)];
    expect(valuesOf('calls', rows, [30_000, 45_000, 60_000, 75_000])).toEqual([[0, 2, 5, 5]]);
    expect(valuesOf('failed', rows, [45_000, 60_000])).toEqual([[1, 2]]);
    expect(valuesOf('sum', rows, [60_000])).toEqual([[1.5]]);
  });
  it('have a series for each set of labels, without empty ones', () => {
    const rows = [row(45_000, 2, 0.5), row(45_000, 1, 1, ['cart', 'x'])];
    expect(countersOf(counter('calls'), rows, [60_000]).map(({ labels }) => Object.fromEntries(labels))).toEqual([
      { __name__: 'calls', service: 'cart' },
      { __name__: 'calls', service: 'cart', kind: 'x' },
    ]);
  });
  it('have a series for each bucket', () => {
    const buckets = countersOf(counter('bucket'), [row(45_000, 2, 0.5)], [60_000]);
    const shown = buckets.map(({ labels, values }) => [labels.get('le'), values[0]]);
    expect(shown).toEqual([
      ['0.512', 0],
      ['1.02', 2],
      ['+Inf', 2],
    ]);
  });
});
