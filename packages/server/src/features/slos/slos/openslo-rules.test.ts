import type { SloIndicator, SloWindow } from '@fanion/contract';
import { describe, expect, it } from 'vitest';
import { fromOpenSlo, toOpenSlo } from './openslo-rules.ts';

const indicators: readonly SloIndicator[] = [
  { kind: 'events', source: 'spans | where service.name == "checkout"', good: 'status != error' },
  { kind: 'ratio', good: 'metric a | stats value=sum(value)', total: 'metric b | stats value=sum(value)' },
  { kind: 'slices', query: 'spans | stats value=p95(duration)', op: '<=', threshold: 3e8, slice: '5m' },
  {
    kind: 'ratio',
    query_language: 'promql',
    good: 'sum(increase(good_total[1m]))',
    total: 'sum(increase(all_total[1m]))',
  },
  { kind: 'slices', query_language: 'promql', query: 'max(queue_length)', op: '<', threshold: 5, slice: '10m' },
  { kind: 'slices', query: 'spans | stats value=count()', op: '!=', threshold: 0, slice: '1m' },
];
const windows: readonly SloWindow[] = [
  { kind: 'rolling', period: '28d' },
  { kind: 'calendar', unit: 'quarter', time_zone: 'Europe/Berlin' },
];

describe('OpenSLO', () => {
  it.each(indicators.flatMap((indicator) => windows.map((window) => ({ indicator, window }))))(
    'keeps an SLO of $indicator.kind in a $window.kind window',
    ({ indicator, window }) => {
      const slo = { name: 'Checkout answers', description: 'fast', indicator, objective: 0.999, window };
      const document = JSON.parse(JSON.stringify(toOpenSlo(slo, 'shop')));
      expect(document).toMatchObject({
        apiVersion: 'openslo/v1',
        kind: 'SLO',
        metadata: { name: 'checkout-answers', displayName: 'Checkout answers' },
        spec: { service: 'shop', budgetingMethod: indicator.kind === 'slices' ? 'Timeslices' : 'Occurrences' },
      });
      expect(fromOpenSlo(document)).toEqual({ slo });
    },
  );

  const whole = () =>
    JSON.parse(
      JSON.stringify(
        toOpenSlo(
          {
            name: 'x',
            description: '',
            indicator: { kind: 'ratio', good: 'spans | count', total: 'spans | count' },
            objective: 0.9,
            window: { kind: 'rolling', period: '7d' },
          },
          's',
        ),
      ),
    );

  it('reads a target in percent, and a rolling window of weeks', () => {
    const document = whole();
    document.spec.objectives = [{ targetPercent: 99.9 }];
    document.spec.timeWindow = [{ duration: '4w', isRolling: true }];
    expect(fromOpenSlo(document)).toMatchObject({ slo: { objective: 0.999, window: { period: '28d' } } });
  });

  it.each<[string, (document: ReturnType<typeof whole>) => unknown, string, RegExp]>([
    [
      'another version',
      (d) => {
        d.apiVersion = 'openslo/v2';
      },
      'apiVersion',
      /openslo\/v1/,
    ],
    [
      'another kind',
      (d) => {
        d.kind = 'Service';
      },
      'kind',
      /SLO/,
    ],
    [
      'RatioTimeslices',
      (d) => {
        d.spec.budgetingMethod = 'RatioTimeslices';
      },
      'spec.budgetingMethod',
      /RatioTimeslices/,
    ],
    [
      'an indicator elsewhere',
      (d) => {
        d.spec.indicatorRef = 'x';
      },
      'spec.indicatorRef',
      /inline/,
    ],
    [
      'two objectives',
      (d) => {
        d.spec.objectives.push({});
      },
      'spec.objectives',
      /one objective/,
    ],
    [
      'another period',
      (d) => {
        d.spec.timeWindow = [{ duration: '3d', isRolling: true }];
      },
      'spec.timeWindow[0].duration',
      /3d/,
    ],
    [
      'a source of Prometheus',
      (d) => {
        d.spec.indicator.spec.ratioMetric.good.metricSource.type = 'Prometheus';
      },
      'spec.indicator.spec.ratioMetric.good.metricSource.type',
      /Prometheus/,
    ],
  ])('refuses %s by name', (_name, change, path, problem) => {
    const document = whole();
    change(document);
    expect(fromOpenSlo(document)).toEqual({ path, problem: expect.stringMatching(problem) });
  });

  it.each([null, 1, 'x', [], {}])('refuses %j', (document) => {
    expect(fromOpenSlo(document)).toMatchObject({ path: 'apiVersion' });
  });
});
