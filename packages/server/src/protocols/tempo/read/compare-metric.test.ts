import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../../../telemetry/src/testing/otlp.ts';
import { metricAnswers } from './testing/metric-answers.ts';
import { otherShard, type Sent, sent, sentValue, startTempoWorld, type TempoWorld } from './testing/shop.ts';

describe('compare() of TraceQL', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const { range, instant, shown } = metricAnswers(() => tempo);

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
