import { printQuery } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { exemplarPlan, withExemplars } from './exemplar-rules.ts';
import { metricPlan, seriesOf } from './metric-rules.ts';
import { query } from './oql-tree.ts';
import { parseTraceql } from './traceql/parse.ts';

const second = 1_000_000_000n;
const steps = { firstNs: 0n, widthNs: second, count: 60 };

const reading = { stepOf: Number, refuse: () => {}, pause: () => undefined };

function planned(text: string) {
  const { metrics } = parseTraceql(text);
  if (metrics?.kind !== 'query' || metrics.metric.kind === 'compare') throw new Error('not a plain metrics query');
  const { stages, metric } = metrics;
  return { stages, metric, plan: metricPlan(stages, metric, steps.widthNs) };
}
const span = (id: number, nanoseconds: string) =>
  `${String(id).padStart(16, '0')}${String(id).padStart(32, 'a')}${nanoseconds}`;
/** Times of these tests are nanoseconds. */
const nanosOf = (time: string) => BigInt(time);

describe('exemplars', () => {
  it('are one span of each series in each part of the window, up to a limit', () => {
    const { stages, metric } = planned('{} | rate() by (name)');
    const written = (series: number, most: number) =>
      printQuery(query(exemplarPlan(stages, metric, steps, { series, most }).pipeline));
    expect(written(10, 100)).toContain('bucket(moment, 6s)');
    expect(written(1, 100)).toContain('bucket(moment, 1s)');
    expect(written(1_000, 100)).toContain('bucket(moment, 1m)');
    expect(written(10, 100)).toMatch(/limit 100\b/);
  });

  it('have their own value where spans are measured, and their series otherwise', async () => {
    const { plan } = planned('{} | avg_over_time(duration)');
    const series = await seriesOf(plan, [[2, 0.5]], steps, reading);
    const [found] = withExemplars(series, plan, [[span(1, '2500000000'), 0.7]], steps, nanosOf);
    expect(found?.exemplars).toEqual([
      { traceId: '1'.padStart(32, 'a'), spanId: '1'.padStart(16, '0'), timeNs: 2_500_000_000n, step: 2, value: 0.7 },
    ]);
    const counted = planned('{} | rate()').plan;
    const [rate] = withExemplars(
      await seriesOf(counted, [[2, 5]], steps, reading),
      counted,
      [[span(1, '3000000000')]],
      steps,
      nanosOf,
    );
    expect(rate?.exemplars).toMatchObject([{ step: 2, value: undefined }]);
  });

  it('belong to the least quantile that is not below their value', async () => {
    const { plan } = planned('{} | quantile_over_time(duration, .5, .9)');
    const series = await seriesOf(plan, [[0, 1, 3]], steps, reading);
    const rows = [0.5, 2, 9].map((value, i) => [span(i, '1'), value]);
    const found = withExemplars(series, plan, rows, steps, nanosOf);
    expect(found.map(({ exemplars }) => exemplars.map(({ value }) => value))).toEqual([[0.5], [2, 9]]);
  });

  it('belong to the group and bucket of their span, in the order of time', async () => {
    const { plan } = planned('{} | histogram_over_time(duration) by (name)');
    const rows = [
      [0, 'a', 0.5, 1],
      [0, 'b', 1, 1],
    ];
    const series = await seriesOf(plan, rows, steps, reading);
    const found = withExemplars(
      series,
      plan,
      [
        ['b', 1, span(3, '900')],
        ['b', 1, span(2, '100')],
        ['b', 0.5, span(4, '100')],
      ],
      steps,
      nanosOf,
    );
    expect(found.map(({ exemplars }) => exemplars.map(({ timeNs }) => timeNs))).toEqual([[], [100n, 900n]]);
  });
});
