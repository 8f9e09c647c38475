import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../packages/cli/src/index.ts';
import {
  startTelemetryWorld,
  type TelemetryTenant,
  type TelemetryWorld,
} from '../../packages/server/src/testing/telemetry-world.ts';
import {
  type TestHistogram,
  type TestSeries,
  writeRequest1,
} from '../../packages/telemetry/src/testing/remote-write.ts';
import { COUNTERS, ENDS, OVER_SECONDS } from './support/counters.ts';
import { type Buckets, EXPLICIT, EXPONENTIAL, HISTOGRAM_SERIES, type Histogram, LEVELS } from './support/histograms.ts';
import { ANSWERS } from './support/prometheus-answers.ts';
import {
  extrapolated,
  extrapolatedHistogram,
  histogramQuantile,
  increaseWithoutExtrapolation,
} from './support/rules.ts';

/**
 * Prometheus' public rules for counters, staleness and quantiles of histograms. Each is checked three times: with a
 * plain implementation (`support/rules.ts`), with the recorded results of a real Prometheus
 * (`support/prometheus-answers.ts`), and with OQL over the same samples, sent through remote write and OTLP.
 */

/** Second 0 of the fixtures: a full minute, some time ago. */
const BASE = Math.floor(Date.now() / 60_000 - 20) * 60_000;
const millis = (seconds: number) => BASE + seconds * 1000;
const nanos = (seconds: number) => `${BigInt(millis(seconds)) * 1_000_000n}`;
const moment = (seconds: number) => new Date(millis(seconds)).toISOString();

let world: TelemetryWorld;
let ada: TelemetryTenant;

beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  const token = await ada.token(['telemetry:ingest']);
  const written = await fetch(`${world.base}/prometheus/api/v1/write`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
    },
    body: new Uint8Array(writeRequest1([...scrapedCounters(), ...scrapedHistograms()])),
  });
  expect(written.status, await written.text()).toBe(204);
  await ada.ingest('metrics', otlp());
  const samples = COUNTERS.reduce((n, { samples }) => n + samples.filter(([, value]) => value !== 'stale').length, 0);
  const states = HISTOGRAM_SERIES.reduce(
    (n, { states }) => n + states.filter(([, state]) => state !== 'stale').length,
    0,
  );
  await ada.counted('metric rules_total | count', samples);
  await ada.counted('metric rules_scraped | count', states);
  await ada.counted('metric rules_sent | count', states);
  await ada.counted('metric rules_quantiles | count', EXPLICIT.length + EXPONENTIAL.length);
});
afterAll(() => world?.stop());

function scrapedCounters(): TestSeries[] {
  return COUNTERS.map(({ name, samples }) => ({
    labels: { __name__: 'rules_total', rule: name, job: 'rules' },
    samples: samples.map(([at, value]) =>
      value === 'stale' ? { value: 0, time: millis(at), stale: true } : { value, time: millis(at) },
    ),
  }));
}

/** Native histograms; remote write numbers a bucket by the power at its end, and sends differences of counts. */
function scrapedHistograms(): TestSeries[] {
  const side = ({ first, counts }: Buckets, ends: 0 | 1) => ({
    spans: counts.length === 0 ? [] : [[first + ends, counts.length] as [number, number]],
    deltas: counts.map((n, i) => n - (counts[i - 1] ?? 0)),
  });
  const written = (at: number, { count, sum, explicit, exponential }: Histogram): TestHistogram => {
    const positive = explicit
      ? side({ first: 0, counts: explicit.counts }, 0)
      : side(exponential?.positive ?? { first: 0, counts: [] }, 1);
    const negative = side(exponential?.negative ?? { first: 0, counts: [] }, 1);
    return {
      count,
      sum,
      schema: explicit ? -53 : (exponential?.scale ?? 0),
      zeroCount: exponential?.zeroCount ?? 0,
      zeroThreshold: exponential?.zeroThreshold ?? 0,
      positiveSpans: positive.spans,
      positiveDeltas: positive.deltas,
      negativeSpans: negative.spans,
      negativeDeltas: negative.deltas,
      ...(explicit ? { bounds: [...explicit.bounds] } : {}),
      time: millis(at),
    };
  };
  return HISTOGRAM_SERIES.map(({ name, states }) => ({
    labels: { __name__: 'rules_scraped', rule: name, job: 'rules' },
    histograms: states.flatMap(([at, state]) => (state === 'stale' ? [] : [written(at, state)])),
  }));
}

function otlpPoint(rule: string, at: number, state: Histogram | 'stale'): object {
  const attributes = [{ key: 'rule', value: { stringValue: rule } }];
  const head = { attributes, timeUnixNano: nanos(at) };
  if (state === 'stale') return { ...head, flags: 1 };
  const { count, sum, explicit, exponential } = state;
  if (explicit) return { ...head, count, sum, bucketCounts: explicit.counts, explicitBounds: explicit.bounds };
  const side = (of?: Buckets) => ({ offset: of?.first ?? 0, bucketCounts: of?.counts ?? [] });
  return {
    ...head,
    count,
    sum,
    scale: exponential?.scale,
    zeroCount: exponential?.zeroCount,
    zeroThreshold: exponential?.zeroThreshold,
    positive: side(exponential?.positive),
    negative: side(exponential?.negative),
  };
}

/** The same histograms as cumulative points, and those for quantiles as one delta point each. */
function otlp(): object {
  const isExplicit = (states: readonly (readonly [number, Histogram | 'stale'])[]) =>
    states.some(([, state]) => state !== 'stale' && state.explicit);
  const sent = HISTOGRAM_SERIES.map(({ name, states }) => ({
    name: 'rules_sent',
    [isExplicit(states) ? 'histogram' : 'exponentialHistogram']: {
      aggregationTemporality: 2,
      dataPoints: states.map(([at, state]) => otlpPoint(name, at, state)),
    },
  }));
  const quantiles = [...EXPLICIT, ...EXPONENTIAL].map(({ name, of }) => ({
    name: 'rules_quantiles',
    [of.explicit ? 'histogram' : 'exponentialHistogram']: {
      aggregationTemporality: 1,
      dataPoints: [otlpPoint(name, 0, of)],
    },
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'rules' } }] };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [...sent, ...quantiles] }] }] };
}

/** Rows by their first column. */
async function ask(query: string, from: number, to: number): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const answer = await ada.post(`${ada.workspace}/query`, { query, from: moment(from), to: moment(to) });
  expect(answer.status, answer.text).toBe(200);
  const rows: readonly (readonly unknown[])[] = answer.data.rows;
  return new Map(rows.map(([key, ...values]) => [String(key), values]));
}

/** Equal to the recorded digits. */
function alike(actual: unknown, expected: number | null | undefined, about: string): void {
  if (expected === null || expected === undefined) expect(actual ?? null, about).toBeNull();
  else {
    expect(typeof actual, `${about}: ${String(actual)}`).toBe('number');
    expect(Math.abs(Number(actual) - expected), `${about}: ${String(actual)}, not ${expected}`).toBeLessThanOrEqual(
      1e-9 * Math.max(1, Math.abs(expected)),
    );
  }
}

describe('the rules in TypeScript match Prometheus', () => {
  it.each(COUNTERS)('counter $name', (counter) => {
    ENDS.forEach((end, i) => {
      alike(extrapolated(counter, end, OVER_SECONDS)?.increase, ANSWERS.increases[counter.name]?.[i], `at ${end}`);
    });
  });

  it.each(HISTOGRAM_SERIES)('histogram $name', (series) => {
    ENDS.forEach((end, i) => {
      const of = extrapolatedHistogram(series, end, OVER_SECONDS);
      alike(of?.count, ANSWERS.counts[series.name]?.[i], `count at ${end}`);
      alike(of?.sum, ANSWERS.sums[series.name]?.[i], `sum at ${end}`);
      alike(of && histogramQuantile(0.5, of), ANSWERS.medians[series.name]?.[i], `median at ${end}`);
      alike(of && histogramQuantile(0.9, of), ANSWERS.ninetieths[series.name]?.[i], `p90 at ${end}`);
    });
  });

  it.each([...EXPLICIT, ...EXPONENTIAL])('quantiles of $name', ({ name, of }) => {
    LEVELS.forEach((level, i) => {
      alike(histogramQuantile(level, of), ANSWERS.quantiles[name]?.[i], `quantile ${level}`);
    });
  });
});

describe.each(ENDS.map((end, i) => [end, i] as const))('five minutes up to second %i', (end, i) => {
  const from = end - OVER_SECONDS;

  it('promincrease and promrate of counters', async () => {
    const increases = await ask('metric rules_total | promincrease | sum by rule', from, end);
    const rates = await ask('metric rules_total | promrate | sum by rule', from, end);
    for (const { name } of COUNTERS) {
      const expected = ANSWERS.increases[name]?.[i] ?? null;
      alike(increases.get(name)?.[0], expected, `increase of ${name}`);
      alike(rates.get(name)?.[0], expected === null ? null : expected / OVER_SECONDS, `rate of ${name}`);
    }
  });

  it('latest: the last value, unless the series has ended', async () => {
    const values = await ask('metric rules_total | latest 5m | sum by rule', from, end);
    for (const { name, samples } of COUNTERS) {
      const last = samples.filter(([at]) => at > from && at <= end).at(-1)?.[1];
      alike(values.get(name)?.[0], last === 'stale' ? undefined : last, `last value of ${name}`);
    }
  });

  it('increase and rate, which do not extrapolate', async () => {
    const increases = await ask('metric rules_total | increase | sum by rule', from, end);
    const rates = await ask('metric rules_total | rate | sum by rule', from, end);
    for (const counter of COUNTERS) {
      const expected = increaseWithoutExtrapolation(counter, from, end);
      alike(increases.get(counter.name)?.[0], expected, `increase of ${counter.name}`);
      alike(rates.get(counter.name)?.[0], expected && expected / OVER_SECONDS, `rate of ${counter.name}`);
    }
  });

  it.each(['rules_scraped', 'rules_sent'])('promincrease of histograms: %s', async (metric) => {
    const query = `metric ${metric} | promincrease | stats n=sum(count), s=sum(sum), p50=p50(value), p90=p90(value) by rule`;
    const rows = await ask(query, from, end);
    for (const { name } of HISTOGRAM_SERIES) {
      const [n, s, p50, p90] = rows.get(name) ?? [];
      alike(n, ANSWERS.counts[name]?.[i], `count of ${name}`);
      alike(s, ANSWERS.sums[name]?.[i], `sum of ${name}`);
      alike(p50, ANSWERS.medians[name]?.[i], `median of ${name}`);
      alike(p90, ANSWERS.ninetieths[name]?.[i], `p90 of ${name}`);
    }
  });
});

it('promrate over five minutes, minute by minute', async () => {
  const query = 'metric rules_total | promrate 5m | sum by rule, bucket(1m)';
  const answer = await ada.post(`${ada.workspace}/query`, { query, from: moment(-300), to: moment(300) });
  expect(answer.status, answer.text).toBe(200);
  const rows: readonly [string, string, number][] = answer.data.rows;
  const found = new Map(rows.map(([rule, time, value]) => [`${rule} ${(Date.parse(time) - BASE) / 1000}`, value]));
  for (const counter of COUNTERS) {
    for (let start = -300; start < 300; start += 60) {
      const expected = extrapolated(counter, start + 60, OVER_SECONDS)?.rate;
      alike(found.get(`${counter.name} ${start}`), expected, `${counter.name} in the minute from ${start}`);
    }
  }
});

it('quantiles of histograms', async () => {
  const aggregates = LEVELS.map((level, i) => `q${i}=quantile(value, ${level})`).join(', ');
  const rows = await ask(`metric rules_quantiles | stats ${aggregates} by rule`, -300, 300);
  for (const { name } of [...EXPLICIT, ...EXPONENTIAL]) {
    LEVELS.forEach((level, i) => {
      alike(rows.get(name)?.[i], ANSWERS.quantiles[name]?.[i], `quantile ${level} of ${name}`);
    });
  }
});

it('an imported rule fires for the series that Prometheus names, with the labels that the server knows', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fanion-rules-'));
  try {
    const file = join(directory, 'rules.yaml');
    const rule = { alert: 'Idle', expr: 'rules_total == 42', for: '1m', labels: { severity: 'info' } };
    await writeFile(file, JSON.stringify({ groups: [{ name: 'g', rules: [rule] }] }));
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const env = { FANION_ENDPOINT: world.base, FANION_TOKEN: await ada.token(['telemetry:query']) };
    const terminal = { out: write, err: write, ask: undefined, env };
    expect(await run(['import', 'prometheus-rules', file, '--output', directory], terminal), lines.join('\n')).toBe(0);
    const imported = parse(await readFile(join(directory, 'alert-rules/idle.yaml'), 'utf8'));
    const body = { ...imported, project: 'default', from: moment(-300), to: moment(0) };
    const { status, data, text } = await ada.post(`${ada.workspace}/alert-rules/preview`, body);
    expect(status, text).toBe(200);
    expect(data).toMatchObject({ failed: 0, truncated: false });
    expect(data.instances.map(({ labels }: { labels: object }) => labels)).toEqual([
      { job: 'rules', rule: 'idle', severity: 'info' },
    ]);
    expect(data.instances[0].transitions.map(({ state }: { state: string }) => state)).toEqual(['pending', 'firing']);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
