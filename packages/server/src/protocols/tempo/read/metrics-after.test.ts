import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../../../telemetry/src/testing/otlp.ts';
import { count, expected, metricAnswers, seconds, service, written } from './testing/metric-answers.ts';
import { type Sent, sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

describe('what follows a TraceQL metric', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld();
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const { range, instant, shown } = metricAnswers(() => tempo);

  it('keeps the values that compare with a number', async () => {
    const counts = (matches: (n: number) => boolean) =>
      Object.fromEntries(
        [...new Set(sent.map(service))].flatMap((name) => {
          const n = sent.filter((span) => service(span) === name).length;
          return matches(n) ? [[name, n]] : [];
        }),
      );
    const found = async (q: string) =>
      Object.fromEntries((await instant(q)).map(({ labels, value }) => [written(labels), value]));
    const by = '{} | count_over_time() by (resource.service.name)';
    expect(await found(`${by} > 2`)).toEqual(counts((n) => n > 2));
    expect(await found(`${by} != 3`)).toEqual(counts((n) => n !== 3));
    expect(await found(`${by} <= 1 + 1`)).toEqual(counts((n) => n <= 2));
    expect(await found(`${by} > 100`)).toEqual({});
    expect(await found(`${by} < 3 | topk(1)`)).toEqual(
      Object.fromEntries(Object.entries(counts((n) => n < 3)).slice(0, 1)),
    );
    expect(await found(`${by} | topk(1) < 3`)).toEqual({});
    const slow = shown(await range('{} | max_over_time(duration) by (resource.service.name) > 400ms'));
    const all = expected(
      () => true,
      service,
      (spans) => Math.max(...seconds(spans)),
    );
    const wanted = Object.entries(all).map(([name, steps]) => [
      name,
      Object.fromEntries(Object.entries(steps).filter(([, value]) => value > 0.4)),
    ]);
    expect(slow).toEqual(Object.fromEntries(wanted.filter(([, steps]) => Object.keys(steps ?? {}).length > 0)));
    // A count of 0 is a value, too.
    const [zeros] = await range('{ kind = server } | count_over_time() = 0');
    expect(zeros?.samples.every(({ value }) => value === 0)).toBe(true);
    expect(zeros?.samples.length).toBeGreaterThan(100);
  });

  it('combines metrics by arithmetic', async () => {
    const found = async (q: string) =>
      Object.fromEntries(
        (await instant(q)).map(({ labels, value }) => [written(labels), Number(value.toPrecision(12))]),
      );
    const n = (matches: (span: Sent) => unknown) => sent.filter(matches).length;
    const share = n(({ error }) => error) / sent.length;
    expect(await found('({ status = error } | rate()) / ({} | rate())')).toEqual({
      '__name__=(rate / rate)': Number(share.toPrecision(12)),
    });
    expect(await found('100 * ({ status = error } | count_over_time()) / ({} | count_over_time()) > 20')).toEqual({
      '__name__=(count_over_time / count_over_time)': Number((100 * share).toPrecision(12)),
    });
    const names = [...new Set(sent.filter(({ error }) => error).map(service))];
    const shares = names.map((name) => [
      name,
      Number((n((span) => span.error && service(span) === name) / n((span) => service(span) === name)).toPrecision(12)),
    ]);
    const by = 'by (resource.service.name)';
    expect(await found(`({ status = error } | rate() ${by}) / ({} | rate() ${by})`)).toEqual(
      Object.fromEntries(shares),
    );
    expect(await found(`({} | count_over_time() ${by} > 2) * 2 - 1 | bottomk(1)`)).toEqual({
      'resource.service.name=db': 5,
    });
    const steps = shown(await range('({} | count_over_time()) - ({ kind = server } | count_over_time())'));
    expect(steps).toEqual({
      '__name__=(count_over_time - count_over_time)': expected(
        ({ kind }) => kind !== 'server',
        () => 'all',
        count,
      ).all,
    });
    expect(await found('({ name = "nothing" } | rate()) / ({} | rate())')).toEqual({});
  });

  describe('exemplars', () => {
    interface Exemplar {
      readonly labels: readonly KeyValue[];
      readonly value: number;
      readonly timestampMs: string;
    }
    const exemplarsOf = async (q: string, more: Record<string, string> = {}) =>
      (await range(q, more)).map((one) => ({ ...one, exemplars: (one as { exemplars?: Exemplar[] }).exemplars ?? [] }));
    const stepsWithSpans = new Set(sent.map(({ at }) => Math.ceil(at / 1000))).size;
    /** The span of an exemplar. */
    const spanOf = ({ labels }: Exemplar) => {
      const [trace, span] = labels;
      expect([trace?.key, span?.key]).toEqual(['trace:id', 'span:id']);
      return sent.find(({ trace: of, id }) => of === trace?.value.stringValue && id === span?.value.stringValue);
    };

    it('are spans of their series, with their own time and value', async () => {
      const all = await exemplarsOf('{} | avg_over_time(duration) by (resource.service.name)', { exemplars: '1000' });
      for (const { labels, exemplars, samples } of all) {
        expect(exemplars.length).toBe(samples.length);
        for (const exemplar of exemplars) {
          const span = spanOf(exemplar);
          expect(span && service(span)).toBe(written(labels));
          expect(exemplar.value).toBeCloseTo((span?.ms ?? 0) / 1000, 9);
          expect(Number(exemplar.timestampMs)).toBe(tempo.begin + (span?.at ?? 0));
        }
        expect(exemplars.map(({ timestampMs }) => timestampMs)).toEqual(
          exemplars.map(({ timestampMs }) => timestampMs).sort(),
        );
      }
    });

    it('lie on the line of counts, and are the extreme spans of extremes', async () => {
      const [rate] = await exemplarsOf('{} | count_over_time()', { exemplars: '1000' });
      expect(rate?.exemplars).toHaveLength(stepsWithSpans);
      for (const { value, timestampMs } of rate?.exemplars ?? []) {
        const end = Math.ceil(Number(timestampMs) / 1000) * 1000;
        expect(rate?.samples.find((sample) => Number(sample.timestampMs) === end)?.value).toBe(value);
      }
      const [longest] = await exemplarsOf('{} | max_over_time(duration)', { exemplars: '1000' });
      expect(longest?.exemplars.map(({ value }) => value)).toEqual(longest?.samples.map(({ value }) => value));
      const [group] = await exemplarsOf('{ kind = client } | quantile_over_time(duration, 1) by (span.table) > 200ms', {
        exemplars: '1000',
      });
      expect(group?.exemplars.map(({ value }) => value)).toEqual([0.8]);
    });

    it('are as many as the hint or the request wants', async () => {
      const number = async (q: string, more: Record<string, string> = {}) =>
        (await exemplarsOf(q, more)).reduce((total, { exemplars }) => total + exemplars.length, 0);
      expect(await number('{} | rate() with (exemplars=false)')).toBe(0);
      expect(await number('{} | rate() with (exemplars=0)')).toBe(0);
      expect(await number('{} | rate() with (exemplars=1)')).toBe(1);
      expect(await number('{} | rate() by (name)', { exemplars: '2' })).toBe(2);
      expect(await number('{} | rate() with (exemplars=1)', { exemplars: '50' })).toBe(1);
      expect(await number('{} | rate() with (exemplars=true)', { exemplars: '1000' })).toBe(stepsWithSpans);
      expect(await number('({} | rate()) / ({ status = error } | rate())')).toBeGreaterThan(0);
      expect(JSON.stringify(await instant('{} | rate() with (exemplars=9)'))).not.toContain('exemplars');
      expect(JSON.stringify(await range('{} | compare({ status = error })'))).not.toContain('exemplars');
      const most = await tempo.get('metrics/query_range', { q: '{} | rate()', ...tempo.window(), exemplars: '1001' });
      expect([most.status, most.text]).toEqual([400, expect.stringContaining('invalid parameter "exemplars"')]);
    });
  });
});
