import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../../../telemetry/src/testing/otlp.ts';
import { testClient } from '../../../testing/test-client.ts';
import { otherShard, type Sent, sent, sentValue, startTempoWorld, type TempoWorld } from './testing/shop.ts';

interface Answered {
  readonly labels: readonly KeyValue[];
  readonly samples: readonly { readonly timestampMs: string; readonly value: number }[];
}

describe('TraceQL metrics', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const range = async (q: string, more: Record<string, string> = {}) => {
    const answer = await tempo.get('metrics/query_range', { q, ...tempo.window(), step: '1s', ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.series as Answered[];
  };
  const instant = async (q: string, more: Record<string, string> = {}) => {
    const answer = await tempo.get('metrics/query', { q, ...tempo.window(), ...more });
    expect(answer.status, `${q}: ${answer.text}`).toBe(200);
    return answer.json.series as { labels: KeyValue[]; value: number }[];
  };
  const written = (labels: readonly KeyValue[]) =>
    labels.map(({ key, value }) => `${key}=${Object.values(value).join()}`).join(' ');
  /** Values that are not 0 by series and second after the first trace. */
  const shown = (series: readonly Answered[], nameOf = written) =>
    Object.fromEntries(
      series.map(({ labels, samples }) => [
        nameOf(labels),
        Object.fromEntries(
          samples
            .filter(({ value }) => value !== 0)
            .map(({ timestampMs, value }) => [
              (Number(timestampMs) - tempo.begin) / 1000,
              Number(value.toPrecision(12)),
            ]),
        ),
      ]),
    );
  /** The same, computed from the spans: a step ends at its second and is closed there. */
  const expected = (
    matches: (span: Sent) => unknown,
    keyOf: (span: Sent) => string,
    aggregate: (spans: readonly Sent[]) => number | undefined,
  ) => {
    const all: Record<string, Record<string, number>> = {};
    for (const span of sent.filter(matches)) {
      const second = Math.ceil(span.at / 1000);
      const step = sent.filter(
        (other) => matches(other) && keyOf(other) === keyOf(span) && Math.ceil(other.at / 1000) === second,
      );
      const value = aggregate(step);
      const own = all[keyOf(span)] ?? {};
      all[keyOf(span)] = own;
      if (value !== undefined) own[second] = Number(value.toPrecision(12));
    }
    return all;
  };
  const count = (spans: readonly Sent[]) => spans.length;
  const seconds = (spans: readonly Sent[]) => spans.map(({ ms }) => ms / 1000);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const parentOf = (span: Sent) => sent.find((other) => other.trace === span.trace && other.id === span.parent);
  const service = ({ service }: Sent) => `resource.service.name=${service}`;
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

  describe('compare()', () => {
    /** An attribute may have the same text in two types. */
    const typed = ([side, label]: readonly KeyValue[]) =>
      `${side?.value.stringValue} ${label?.key} ${JSON.stringify(label?.value)}`;
    /** The attributes of a span, as Tempo compares them. */
    const attributesOf = ({ service, name, kind, error, attributes = {} }: Sent) => ({
      name,
      kind,
      status: error ? 'error' : 'unset',
      statusMessage: error ? 'it failed' : '',
      'instrumentation:name': `lib-${service}`,
      'instrumentation:version': '1',
      'resource.service.name': service,
      'resource.shard': otherShard[service] ?? 1,
      ...Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [key.includes(' ') ? `span."${key}"` : `span.${key}`, value]),
      ),
    });
    /** Counts by series and step, of both sides. */
    const comparedBy = (
      matches: (span: Sent) => unknown,
      isSelected: (span: Sent) => unknown,
      stepOf: (span: Sent) => number,
    ) => {
      const all: Record<string, Record<string, number>> = {};
      const add = (series: string, step: number) => {
        const own = all[series] ?? {};
        all[series] = own;
        own[step] = (own[step] ?? 0) + 1;
      };
      for (const span of sent.filter(matches))
        for (const [name, value] of Object.entries(attributesOf(span))) {
          const side = isSelected(span) ? 'selection' : 'baseline';
          add(`${side} ${name} ${JSON.stringify(sentValue(value))}`, stepOf(span));
          add(`${side}_total ${name} {"stringValue":"nil"}`, stepOf(span));
        }
      return all;
    };
    const second = ({ at }: Sent) => Math.ceil(at / 1000);

    it('counts each value of each attribute in the selection and in the baseline', async () => {
      expect(shown(await range('{} | compare({ status = error })'), typed)).toEqual(
        comparedBy(
          () => true,
          ({ error }) => error,
          second,
        ),
      );
      expect(shown(await range('{ kind = client } | compare({ span.table = "items" }, 10)'), typed)).toEqual(
        comparedBy(
          ({ kind }) => kind === 'client',
          ({ attributes }) => attributes?.table === 'items',
          second,
        ),
      );
      expect(shown(await range('{} | compare({})'), typed)).toEqual(
        comparedBy(
          () => true,
          () => true,
          second,
        ),
      );
    });

    it('selects spans that began in a time', async () => {
      const [fromMs, toMs] = [1_000, 2_010];
      const ns = (ms: number) => BigInt(tempo.begin + ms) * 1_000_000n;
      expect(shown(await range(`{} | compare({ kind != server }, 10, ${ns(fromMs)}, ${ns(toMs)})`), typed)).toEqual(
        comparedBy(
          () => true,
          ({ kind, at }) => kind !== 'server' && at >= fromMs && at < toMs,
          second,
        ),
      );
    });

    it('returns values with the type that they were sent with', async () => {
      const labels = (await instant('{} | compare({ status = error })')).map((series) => series.labels[1]);
      const valuesOf = (name: string) => labels.flatMap((label) => (label?.key === name ? [label.value] : []));
      expect(valuesOf('span.code')).toEqual(
        expect.arrayContaining([{ intValue: '200' }, { stringValue: '200' }, { intValue: '500' }]),
      );
      expect(valuesOf('span.cached')).toEqual(expect.arrayContaining([{ boolValue: true }, { boolValue: false }]));
      expect(valuesOf('span.load')).toEqual(expect.arrayContaining([{ doubleValue: 0.75 }, { doubleValue: 0.25 }]));
      expect(valuesOf('resource.shard')).toEqual(expect.arrayContaining([{ intValue: '7' }, { intValue: '1' }]));
    });

    it('keeps the most frequent values, and marks attributes that have more', async () => {
      const answered = await range('{} | compare({ status = error }, 1)');
      const names = answered
        .filter(({ labels: [first] }) => first?.value.stringValue === 'baseline')
        .flatMap(({ labels: [, label] }) => (label?.key === 'kind' ? [label.value.stringValue] : []));
      expect(names).toEqual(['internal']);
      const tooMany = answered.filter(({ labels: [first] }) => first?.key === '__meta_error');
      expect(tooMany.map(({ labels, samples }) => [labels[1]?.key, samples])).toEqual(
        expect.arrayContaining([
          ['kind', []],
          ['name', []],
        ]),
      );
      expect(tooMany.map(({ labels }) => labels[1]?.key)).not.toContain('instrumentation:version');
      expect(new Set(tooMany.map(({ labels: [first] }) => first?.value.stringValue))).toEqual(
        new Set(['__too_many_values__']),
      );
    });

    it('computes one value for a window', async () => {
      const totals = (await instant('{} | compare({ status = error })')).flatMap(({ labels: [first, label], value }) =>
        label?.key === 'name' && String(first?.value.stringValue).endsWith('_total')
          ? [[first?.value.stringValue, value]]
          : [],
      );
      const failed = sent.filter(({ error }) => error).length;
      expect(totals).toEqual([
        ['baseline_total', sent.length - failed],
        ['selection_total', failed],
      ]);
    });
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
