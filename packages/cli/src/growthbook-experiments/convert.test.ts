import { ExperimentDraft, MetricDraft } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { Report } from '../files/report.ts';
import { convertExperiments, type Source } from './convert.ts';

const orders: Source = {
  source: 'logs | where event_name == "order"',
  unit: 'user.id',
  columns: { amount: 'attr["order.total"]', items: 'attr["order.items"]' },
};
const sources = new Map([['ftb_orders', orders]]);
const fact = (id: string, more: object) => ({
  ...{ id, name: id, description: '', inverse: false, cappingSettings: { type: 'none' } },
  windowSettings: { type: 'none' },
  numerator: { factTableId: 'ftb_orders', column: '$$count', filters: [] },
  ...more,
});
const amount = { factTableId: 'ftb_orders', column: 'amount', filters: [] };
const experiment = {
  id: 'exp_1',
  trackingKey: 'Checkout Button',
  name: 'Checkout button',
  hypothesis: 'Green sells more',
  hashAttribute: 'company',
  archived: false,
  phases: [
    {
      coverage: 0.5,
      trafficSplit: [
        { variationId: 'var_0', weight: 0.334 },
        { variationId: 'var_1', weight: 0.333 },
        { variationId: 'var_2', weight: 0.333 },
      ],
      targetingCondition: '{"country": "DE"}',
    },
  ],
  settings: { goals: [{ metricId: 'orders' }], secondaryMetrics: [], guardrails: [{ metricId: 'gone' }] },
};
const variations = ['grey', 'green', 'blue'].map((value, i) => ({ variationId: `var_${i}`, value }));
const rules = [{ type: 'experiment-ref', experimentId: 'exp_1', variations }];
const feature = { id: 'button', environments: { production: { rules }, development: { rules } } };

function converted(...contents: unknown[]) {
  const report = new Report();
  const { metrics, experiments } = convertExperiments(contents, sources, undefined, report);
  const notes = report.notes.map(({ level, where, what }) => `${level} ${where}: ${what}`);
  return {
    metrics: metrics.map(({ content }) => content),
    experiments: experiments.map(({ content }) => content),
    notes,
  };
}

describe('metrics of GrowthBook', () => {
  it.each([
    ['proportion', {}, { kind: 'conversion' }],
    ['mean', {}, { kind: 'count' }],
    [
      'mean',
      { numerator: amount, inverse: true },
      { kind: 'sum', value: orders.columns.amount, direction: 'down_is_good' },
    ],
    [
      'ratio',
      { numerator: amount, denominator: { ...amount, column: 'items' } },
      { kind: 'ratio', value: orders.columns.amount, denominator: orders.columns.items },
    ],
    [
      'quantile',
      { numerator: amount, quantileSettings: { type: 'event', quantile: 0.9 } },
      { kind: 'quantile', quantile: 0.9 },
    ],
    [
      'mean',
      {
        numerator: amount,
        cappingSettings: { type: 'percentile', value: 0.99 },
        windowSettings: { type: 'conversion', windowValue: 3, windowUnit: 'days' },
      },
      { cap: 0.99, window: '3d' },
    ],
  ])('of the kind %s with %j become %j', (metricType, more, expected) => {
    const { metrics, notes } = converted({ factMetrics: [fact('m', { metricType, ...more })] });
    expect(notes).toEqual([]);
    expect(MetricDraft.parse(metrics[0])).toMatchObject({
      key: 'm',
      source: orders.source,
      unit: 'user.id',
      ...expected,
    });
  });

  it('that have no equivalent are named with the reason', () => {
    const { metrics, notes } = converted({
      factMetrics: [
        fact('filtered', { metricType: 'mean', numerator: { ...amount, filters: ['flt_1'] } }),
        fact('column', { metricType: 'mean', numerator: { ...amount, column: 'tax' } }),
        fact('retention', { metricType: 'retention' }),
        fact('capped', { metricType: 'mean', numerator: amount, cappingSettings: { type: 'absolute', value: 5 } }),
      ],
      metrics: [{ id: 'met_sql', name: 'Revenue', type: 'revenue', behavior: { goal: 'increase' } }],
    });
    expect(metrics).toHaveLength(1);
    expect(notes.filter((note) => note.startsWith('lost'))).toEqual([
      expect.stringContaining('metric filtered: it filters the rows'),
      expect.stringContaining('metric column: the file of --sources has no OQL for the column tax'),
      expect.stringContaining('metric retention: its kind is retention'),
      expect.stringContaining(
        'metric Revenue: its rows come from SQL: name their OQL in the file of --sources, by met_sql',
      ),
    ]);
    expect(notes.join('\n')).toContain('caps are percentiles here');
  });
});

describe('experiments of GrowthBook', () => {
  it('become drafts of the flag that serves them, with weights that sum', () => {
    const metrics = [fact('orders', { metricType: 'proportion' })];
    const { experiments, notes } = converted(
      { factMetrics: metrics },
      { experiments: [experiment] },
      { features: [feature] },
    );
    expect(ExperimentDraft.parse(experiments[0])).toMatchObject({
      key: 'checkout-button',
      flag: 'button',
      environment: 'production',
      control: 'grey',
      variants: [
        { variant: 'grey', weight: 33_400 },
        { variant: 'green', weight: 33_300 },
        { variant: 'blue', weight: 33_300 },
      ],
      bucket_by: 'company',
      traffic: { share: 50_000 },
      metrics: { goals: ['orders'], guardrails: [] },
    });
    expect(notes.join('\n')).toMatch(/its targeting is not imported/);
    expect(notes.join('\n')).toMatch(/the metric gone is not in the files/);
    expect(notes.join('\n')).toMatch(/imported for production only/);
  });

  it('that no feature serves, and files of something else, are refused with the reason', () => {
    expect(converted({ experiments: [experiment] }).notes).toEqual([
      expect.stringContaining('no feature of the files serves it'),
    ]);
    expect(() => converted({ features: {} })).toThrow(/needs "experiments", "metrics" or "factMetrics"/);
  });
});
