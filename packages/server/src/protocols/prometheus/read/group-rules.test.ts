import { describe, expect, it } from 'vitest';
import { groupsOf, type ListedAlertRule, valueText } from './group-rules.ts';

const alertRule: ListedAlertRule = {
  ...{ id: 'r1', name: 'Checkout fails', query: 'spans | stats value=ratio(status == error)', project: 'shop' },
  ...{ environment: 'production', last_error: null, evaluated_at: new Date('2026-11-22T09:30:00Z') },
  definition: {
    ...{ kind: 'threshold', condition: { op: '>', threshold: 0.05, for: '5m', keep_firing_for: '0s' }, change: null },
    ...{ every: '30s', offset: null, window: '1m', labels: { team: 'shop' }, annotations: { summary: '{{ value }}' } },
    ...{ runbook_url: null, no_data: 'ok', missing_series: 'resolve', on_error: 'keep' },
  },
};
const recording = {
  ...{ name: 'errors:rate', project: 'shop', rule_group: 'errors', every_ms: '60000', last_error: 'too expensive' },
  ...{ definition: { query: 'spans | count', labels: {} }, watermark: new Date('2026-11-22T09:29:00Z') },
};
const all = { type: undefined, names: [], groups: [], files: [] };
const alert = (state: 'pending' | 'firing') => ({
  ...{ labels: { alertname: 'Checkout fails' }, annotations: {}, state, value: '1e-01' },
  activeAt: '2026-11-22T09:25:00.000Z',
});

describe('rules as Prometheus lists them', () => {
  it('are in groups of a place and interval, and in their own groups', () => {
    const groups = groupsOf([alertRule], [recording], new Map([['r1', [alert('pending'), alert('firing')]]]), all);
    expect(groups).toMatchObject([
      {
        ...{ name: 'shop/production every 30s', file: 'alert rules', interval: 30, limit: 0 },
        rules: [
          {
            ...{ type: 'alerting', name: 'Checkout fails', state: 'firing', duration: 300, keepFiringFor: 0 },
            ...{ query: 'spans | stats value=ratio(status == error) > 0.05', health: 'ok', labels: { team: 'shop' } },
            ...{ alerts: [{ state: 'pending' }, { state: 'firing' }], lastEvaluation: '2026-11-22T09:30:00.000Z' },
          },
        ],
      },
      {
        ...{ name: 'shop/errors', file: 'recording rules', interval: 60 },
        rules: [{ type: 'recording', name: 'errors:rate', health: 'err', lastError: 'too expensive' }],
      },
    ]);
  });

  it.each([
    [{ type: 'alert' as const }, ['Checkout fails']],
    [{ type: 'record' as const }, ['errors:rate']],
    [{ names: ['errors:rate'] }, ['errors:rate']],
    [{ groups: ['shop/production every 30s'] }, ['Checkout fails']],
    [{ files: ['recording rules'], names: ['Checkout fails'] }, []],
  ])('are chosen by %j', (filter, names) => {
    const groups = groupsOf([alertRule], [recording], new Map(), { ...all, ...filter });
    expect(groups.flatMap(({ rules }) => rules.map(({ name }) => name))).toEqual(names);
  });

  it('compare the whole of an expression in PromQL', () => {
    const definition = { ...alertRule.definition, query_language: 'promql' as const };
    const [group] = groupsOf([{ ...alertRule, query: 'a or b', definition }], [], new Map(), all);
    expect(group?.rules).toMatchObject([{ query: '(a or b) > 0.05' }]);
  });

  it('were never evaluated at first', () => {
    const [group] = groupsOf([{ ...alertRule, evaluated_at: null }], [], new Map(), all);
    expect(group?.rules[0]).toMatchObject({
      state: 'inactive',
      health: 'unknown',
      lastEvaluation: '0001-01-01T00:00:00Z',
    });
  });

  it('write values of alerts as Prometheus does', () => {
    expect([1, 0.25, 123_456, -1e-12, Number.POSITIVE_INFINITY, null].map(valueText)).toEqual([
      ...['1e+00', '2.5e-01', '1.23456e+05', '-1e-12', '+Inf', 'NaN'],
    ]);
  });
});
