import { describe, expect, it } from 'vitest';
import { countersOf, latencyBounds, spanMetricOf, stepOf, stepsIn } from './span-metrics-rules.ts';

const row = (at: number, calls: number, seconds: number) => ({
  ...{ service: 'cart', span_name: 'GET /', span_kind: 'SPAN_KIND_SERVER', status_code: 'STATUS_CODE_UNSET' },
  ...{ at, calls, seconds, within: latencyBounds.map((bound) => (bound >= 1 ? calls : 0)) },
});

describe('metrics of spans', () => {
  it('are known by the names of Tempo', () => {
    expect(spanMetricOf('traces_spanmetrics_calls_total')).toBe('calls');
    expect([spanMetricOf('calls_total'), spanMetricOf(undefined)]).toEqual([undefined, undefined]);
  });
  it('have a sample each 15 seconds, and fewer in long windows', () => {
    expect(stepOf({ start: 0, end: 600_000 })).toBe(15_000);
    expect(stepOf({ start: 0, end: 7 * 86_400_000 })).toBe(405_000);
    expect(stepsIn({ start: 15_000, end: 60_000 }, 15_000)).toEqual([30_000, 45_000, 60_000]);
    expect(stepsIn({ start: 15_001, end: 29_999 }, 15_000)).toEqual([]);
  });
  it('grow from zero by the spans of each step', () => {
    const rows = [row(45_000, 2, 0.5), row(60_000, 3, 1)];
    const [calls, ...others] = countersOf('calls', rows, [30_000, 45_000, 60_000, 75_000]);
    expect(others).toEqual([]);
    expect([...(calls?.values ?? [])]).toEqual([0, 2, 5, 5]);
    expect(calls?.labels.get('service')).toBe('cart');
    const [sum] = countersOf('sum', rows, [60_000]);
    expect([...(sum?.values ?? [])]).toEqual([1.5]);
  });
  it('have a series for each bucket', () => {
    const buckets = countersOf('bucket', [row(45_000, 2, 0.5)], [60_000]);
    const shown = new Map(buckets.map(({ labels, values }) => [labels.get('le'), values[0]]));
    expect([shown.size, shown.get('0.512'), shown.get('1.02'), shown.get('+Inf')]).toEqual([13, 0, 2, 2]);
  });
});
