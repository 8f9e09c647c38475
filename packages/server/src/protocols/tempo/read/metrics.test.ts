import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClient } from '../../../testing/test-client.ts';
import {
  childrenOf,
  count,
  expected,
  metricAnswers,
  parentOf,
  seconds,
  service,
  sum,
} from './testing/metric-answers.ts';
import { type Sent, sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

describe('TraceQL metrics', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const { range, instant, shown } = metricAnswers(() => tempo);
  const quantile = (level: number) => (spans: readonly Sent[]) => {
    const sorted = seconds(spans).sort((a, b) => a - b);
    const at = level * (sorted.length - 1);
    const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
    return low + (high - low) * (at - Math.floor(at));
  };
  const powerOfTwo = (ms: number) => 2 ** Math.ceil(Math.log2(ms * 1e6)) / 1e9;

  it.each<[string, ReturnType<typeof expected>]>([
    [
      '{} | rate()',
      expected(
        () => true,
        () => '__name__=rate',
        count,
      ),
    ],
    [
      '{ status = error } | count_over_time() by (resource.service.name)',
      expected(({ error }) => error, service, count),
    ],
    [
      '{} | count_over_time() by (kind, status)',
      expected(
        () => true,
        ({ kind, error }) => `kind=${kind} status=${error ? 'error' : 'unset'}`,
        count,
      ),
    ],
    [
      '{} | count_over_time() by (span.table)',
      expected(
        () => true,
        (span) => `span.table=${span.attributes?.table ?? 'nil'}`,
        count,
      ),
    ],
    [
      '{} | min_over_time(duration) by (resource.service.name)',
      expected(
        () => true,
        service,
        (spans) => Math.min(...seconds(spans)),
      ),
    ],
    [
      '{} | max_over_time(duration)',
      expected(
        () => true,
        () => '__name__=max_over_time',
        (spans) => Math.max(...seconds(spans)),
      ),
    ],
    [
      '{} | avg_over_time(duration)',
      expected(
        () => true,
        () => '__name__=avg_over_time',
        (spans) => sum(seconds(spans)) / spans.length,
      ),
    ],
    [
      '{} | sum_over_time(span.items)',
      expected(
        ({ attributes }) => attributes?.items,
        () => '__name__=sum_over_time',
        (spans) => sum(spans.map(({ attributes }) => Number(attributes?.items))),
      ),
    ],
    [
      '{ kind = client } | quantile_over_time(duration, .5, 1)',
      {
        ...expected(
          ({ kind }) => kind === 'client',
          () => 'p=0.5',
          quantile(0.5),
        ),
        ...expected(
          ({ kind }) => kind === 'client',
          () => 'p=1',
          quantile(1),
        ),
      },
    ],
    [
      '{} | histogram_over_time(duration)',
      expected(
        () => true,
        ({ ms }) => `__bucket=${powerOfTwo(ms)}`,
        count,
      ),
    ],
    [
      '{ resource.service.name = "cart" } > { kind = client } | count_over_time()',
      expected(
        (span) => parentOf(span)?.service === 'cart',
        () => '__name__=count_over_time',
        count,
      ),
    ],
    [
      '{ kind = client } < {} | count_over_time()',
      expected(
        (span) => sent.some((other) => other.kind === 'client' && parentOf(other) === span),
        () => '__name__=count_over_time',
        count,
      ),
    ],
    [
      '{ name = "SELECT" } && { status = error } | count_over_time()',
      expected(
        (span) => span.name === 'SELECT' || span.error,
        () => '__name__=count_over_time',
        count,
      ),
    ],
    [
      '{ kind = server } !> { kind = internal } | count_over_time()',
      expected(
        (span) => span.kind === 'internal' && parentOf(span)?.kind !== 'server',
        () => '__name__=count_over_time',
        count,
      ),
    ],
    [
      '{ nestedSetParent < 0 && true } | rate() by (resource.service.name) with (sample=true)',
      expected(({ parent }) => parent === undefined, service, count),
    ],
    [
      '{} | count_over_time() by (parent.resource.service.name)',
      expected(
        () => true,
        (span) => `parent.resource.service.name=${parentOf(span)?.service ?? 'nil'}`,
        count,
      ),
    ],
    [
      '{ span:childCount > 0 } | sum_over_time(span:childCount) by (span:childCount)',
      expected(
        (span) => childrenOf(span) > 0,
        (span) => `span:childCount=${childrenOf(span)}`,
        (spans) => sum(spans.map(childrenOf)),
      ),
    ],
    [
      '{} | max_over_time(parent.span.code)',
      expected(
        (span) => typeof parentOf(span)?.attributes?.code === 'number',
        () => '__name__=max_over_time',
        (spans) => Math.max(...spans.map((span) => Number(parentOf(span)?.attributes?.code))),
      ),
    ],
    [
      '{ parent.resource.shard < resource.shard } | count_over_time()',
      expected(
        (span) => parentOf(span)?.service === 'cart' && span.service === 'db',
        () => '__name__=count_over_time',
        count,
      ),
    ],
  ])('computes %s', async (q, series) => {
    expect(shown(await range(q))).toEqual(series);
  });

  it('fills the steps of counts with 0, and ends each at a multiple of its width', async () => {
    const [rate] = await range('{ kind = server } | rate()', { step: '10s' });
    const times = rate?.samples.map(({ timestampMs }) => Number(timestampMs)) ?? [];
    const begin = (tempo.begin / 1000 - 10) * 1000;
    const first = begin - (begin % 10_000);
    expect(times[0]).toBe(first);
    expect(times.every((time, i) => time === first + i * 10_000)).toBe(true);
    expect(times.at(-1)).toBeGreaterThanOrEqual(tempo.begin + 120_000);
    expect(sum(rate?.samples.map(({ value }) => value * 10) ?? [])).toBeCloseTo(3, 9);
    expect((await range('{ kind = server } | max_over_time(duration)'))[0]?.samples).toHaveLength(3);
    expect(await range('{ name = "nothing" } | rate()')).toEqual([]);
  });

  it('keeps the largest and smallest series of each step', async () => {
    const services = async (q: string) =>
      (await instant(q)).map(({ labels }) => labels.map(({ value }) => value.stringValue).join()).sort();
    expect(await services('{} | count_over_time() by (resource.service.name) | topk(2)')).toEqual(['db', 'web']);
    expect(await services('{} | sum_over_time(duration) by (resource.service.name) | bottomk(1)')).toEqual(['worker']);
    const steps = shown(await range('{} | max_over_time(duration) by (resource.service.name) | topk(1)'));
    // The longest span of each second, under its service.
    const longest: Record<string, Record<string, number>> = {};
    for (const second of new Set(sent.map(({ at }) => Math.ceil(at / 1000)))) {
      const [first] = sent.filter(({ at }) => Math.ceil(at / 1000) === second).sort((x, y) => y.ms - x.ms);
      if (first !== undefined) longest[service(first)] = { ...longest[service(first)], [second]: first.ms / 1000 };
    }
    expect(steps).toEqual(longest);
  });

  it('computes one value for a window', async () => {
    expect(await instant('{} | count_over_time()')).toEqual([
      { labels: [{ key: '__name__', value: { stringValue: 'count_over_time' } }], value: sent.length },
    ]);
    const [rate] = await instant('{ status = error } | rate()');
    expect(rate?.value).toBeCloseTo(sent.filter(({ error }) => error).length / 130, 12);
    const [longest] = await instant('{} | max_over_time(duration) by (resource.service.name) | topk(1)');
    expect(longest).toEqual({ labels: [{ key: 'resource.service.name', value: { stringValue: 'web' } }], value: 0.9 });
    expect(await instant('{ name = "nothing" } | count_over_time()')).toEqual([]);
    expect(await instant('{ name = "nothing" } | sum_over_time(duration)')).toEqual([]);
  });

  it('reads its tenant only', async () => {
    const bearer = await tempo.world.eve.token(['telemetry:query']);
    for (const q of ['{} | rate()', '{} | compare({ status = error })']) {
      const answer = await testClient(tempo.world.base, { bearer }).get(
        `/tempo/api/metrics/query_range?${new URLSearchParams({ q, ...tempo.window() })}`,
      );
      expect(answer.json).toEqual({ series: [], metrics: {} });
    }
  });

  it.each([
    [{ q: '{}' }, /without a metrics function/],
    [{ q: '{} | rate() | rate()' }, /one metrics function/],
    [{ q: '{} | rate() | { name = "x" }' }, /only topk and bottomk/],
    [{ q: '{} | topk(3)' }, /need a metrics function/],
    [{ q: '{} | rate() + 5' }, /brackets around each metrics query/],
    [{ q: '{} | rate() by (nestedSetLeft)' }, /nestedSetLeft works only in select/],
    [{ q: '({} | rate()) / ({} | max_over_time(name))' }, /a metric of name is not supported/],
    [{ q: '{} | rate() | topk(0)' }, /from 1 to/],
    [{ q: '{} | count() > 1 | rate()' }, /not supported/],
    [{ q: '{} >> {} | by(name) | rate()' }, /not supported/],
    [{ q: '{} << {} | rate()' }, /<< before a metrics function is not supported/],
    [{ q: '{} | compare({ status = error }, 0)' }, /a number of values from 1 to/],
    [{ q: '{} | compare({ status = error }, 5, 7)' }, /near/],
    [{ q: '{} | compare({ status = error }, 5, 9, 7)' }, /a start, and an end after it/],
    [{ q: '{} | count() > 1 | compare({ status = error })' }, /not supported/],
    [{ q: '{} | min_over_time(name)' }, /a metric of name is not supported/],
    [{ q: '{} | quantile_over_time(duration, 2)' }, /between 0 and 1/],
    [{}, /invalid parameter "q"/],
    [{ q: '{} | rate()', step: '0s' }, /invalid parameter "step"/],
    [{ q: '{} | rate()', step: 'soon' }, /invalid parameter "step"/],
    [{ q: '{} | rate()', step: '1ms', start: '1700000000', end: '1800000000' }, /steps/],
  ])('refuses %j', async (query, message) => {
    const answer = await tempo.get('metrics/query_range', query as Record<string, string>);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(message)]);
  });
});
