import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingServer, startRecordingServer } from '../testing/recording-server.ts';
import { type DemoOptions, type DemoResult, runDemo } from './run-demo.ts';

const NOW = Date.UTC(2025, 5, 11, 20, 30, 20);
const MINUTE = 60_000;
const NANOSECONDS = 1_000_000n;

let server: RecordingServer;

async function start(): Promise<void> {
  server = await startRecordingServer({
    answer: (key, context) => {
      if (key === 'new-checkout') return { value: true, variant: 'true' };
      if (key === 'discount') {
        return context.country === 'DE' ? { value: 10, variant: 'ten' } : { value: 0, variant: 'none' };
      }
      return { value: 'cardlane', variant: 'cardlane' };
    },
  });
}

const BASE = {
  token: 'svc_pat_1',
  sdkKey: 'svc_sdk_1',
  backfillMs: 5 * MINUTE,
  ratePerSecond: 2,
  once: true,
  now: () => NOW,
};

function run(options: Partial<DemoOptions> = {}) {
  return runDemo({ endpoint: server.endpoint, ...BASE, ...options });
}

describe('five minutes of history', () => {
  let result: DemoResult;
  beforeAll(async () => {
    await start();
    result = await run();
  });
  afterAll(() => server.close());

  it('is delivered completely', () => {
    expect(result.lost).toBe(0);
    expect(result.spans).toBe(server.spans.length);
    expect(result.logs).toBe(server.logs.length);
    expect(result.spans).toBeGreaterThan(1500);
    expect(new Set(server.spans.map((span) => span.service))).toEqual(
      new Set(['frontend', 'catalog', 'cart', 'checkout', 'payment']),
    );
  });

  it('writes whole traces: one root each, parents present and around their children', () => {
    const byId = new Map(server.spans.map((span) => [`${span.traceId}/${span.spanId}`, span]));
    expect(byId.size).toBe(server.spans.length);
    const roots = server.spans.filter((span) => span.parentSpanId === '');
    expect(new Set(roots.map((root) => root.traceId)).size).toBe(roots.length);
    expect(new Set(server.spans.map((span) => span.traceId)).size).toBe(roots.length);
    for (const span of server.spans.filter(({ parentSpanId }) => parentSpanId !== '')) {
      const parent = byId.get(`${span.traceId}/${span.parentSpanId}`);
      if (!parent) throw new Error(`${span.name} has no parent`);
      expect(parent.start <= span.start && span.end <= parent.end).toBe(true);
    }
    const consumer = server.spans.find((span) => span.kind === 5);
    const [link] = consumer?.links ?? [];
    expect(byId.get(`${link?.traceId}/${link?.spanId}`)?.name).toBe('send orders.placed');
  });

  it('has the right times', () => {
    const from = BigInt(NOW - 6 * MINUTE) * NANOSECONDS;
    const to = BigInt(NOW) * NANOSECONDS;
    for (const { start, end } of server.spans) expect(start >= from && end <= to).toBe(true);
    for (const { time } of server.logs) expect(time >= from && time <= to).toBe(true);
    for (const point of server.points) expect(point.time > from && point.time <= to).toBe(true);
    const minutes = new Set(server.spans.map(({ start }) => start / (60_000n * NANOSECONDS)));
    expect(minutes.size).toBeGreaterThanOrEqual(5);
  });

  it('follows the semantic conventions', () => {
    const request = server.spans.find((span) => span.kind === 2 && span.service === 'checkout');
    expect(request).toMatchObject({
      name: 'POST /orders',
      attributes: { 'http.request.method': 'POST', 'http.route': '/orders', 'server.address': 'checkout' },
      resource: {
        'service.name': 'checkout',
        'deployment.environment.name': 'production',
        'k8s.namespace.name': 'shop',
      },
    });
    expect(typeof request?.attributes['http.response.status_code']).toBe('number');
    expect(request?.resource['service.version']).toMatch(/^\d+\.\d+\.\d+$/);
    const query = server.spans.find((span) => span.name === 'SELECT products');
    expect(query?.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT' });
    expect(query?.attributes['db.query.text']).toMatch(/^SELECT /);
    const failure = server.spans.find((span) => span.events.some(({ name }) => name === 'exception'));
    expect(failure?.status).toBe(2);
    expect(failure?.events[0]?.attributes).toHaveProperty(['exception.stacktrace']);
    const log = server.logs.find((record) => record.attributes['exception.type'] !== undefined);
    expect(log?.severity).toBe('ERROR');
  });

  it('correlates logs with spans, some of them structured', () => {
    const spans = new Set(server.spans.map((span) => `${span.traceId}/${span.spanId}`));
    for (const record of server.logs) expect(spans.has(`${record.traceId}/${record.spanId}`)).toBe(true);
    expect(new Set(server.logs.map((record) => record.severity))).toEqual(new Set(['DEBUG', 'INFO', 'WARN', 'ERROR']));
    expect(server.logs.some(({ body }) => typeof body === 'object' && body !== null && 'order_id' in body)).toBe(true);
  });

  it('reports each used flag as a feature_flag.evaluation event in its trace', () => {
    const events = server.logs.filter((record) => record.eventName === 'feature_flag.evaluation');
    expect(new Set(events.map((event) => event.attributes['feature_flag.key']))).toEqual(
      new Set(['new-checkout', 'payment-provider', 'discount']),
    );
    expect(events.find((event) => event.attributes['feature_flag.key'] === 'new-checkout')?.attributes).toMatchObject({
      'feature_flag.result.variant': 'true',
      'feature_flag.result.reason': 'split',
      'feature_flag.version': '7',
      'feature_flag.set.id': 'shop',
      'feature_flag.context.id': expect.stringMatching(/^visitor-\d{5}$/),
      'feature_flag.provider.name': expect.stringContaining('OpenFeature'),
    });
    const charges = server.spans.filter((span) => span.name === 'POST /v1/charges');
    expect(new Set(charges.map((span) => span.attributes['server.address']))).toEqual(
      new Set(['api.cardlane.example']),
    );
    expect(server.spans.some((span) => span.name === 'validate address')).toBe(true);
  });

  it('sends profiles of every service, with functions of its own and of packages', () => {
    const profiles = server.profiles.flatMap(({ resourceProfiles }) => resourceProfiles);
    expect(profiles.length).toBeGreaterThanOrEqual(20);
    for (const { scopeProfiles } of profiles) expect(scopeProfiles[0]?.profiles[0]?.samples.length).toBeGreaterThan(0);
    const names = new Set(server.profiles.flatMap(({ dictionary }) => dictionary.stringTable));
    for (const name of ['postOrders', '/app/src/checkout/routes.ts', '/app/node_modules/pg/lib/client.js'])
      expect(names).toContain(name);
  });

  it('sends metrics of every kind, cumulative and never decreasing', () => {
    const kinds = new Map(server.points.map((point) => [point.name, point.kind]));
    expect(Object.fromEntries(kinds)).toMatchObject({
      'http.server.request.duration': 'histogram',
      'db.client.operation.duration': 'exponential',
      'http.server.request.count': 'sum',
      orders: 'sum',
      'carts.open': 'sum',
      'http.server.active_requests': 'sum',
      'process.memory.usage': 'gauge',
      'messaging.queue.depth': 'gauge',
    });
    const series = new Map<string, typeof server.points>();
    for (const point of server.points.filter(({ kind }) => kind !== 'gauge')) {
      expect(point.temporality).toBe(2);
      if (!point.monotonic && point.kind === 'sum') continue;
      const key = JSON.stringify([point.service, point.instance, point.name, point.attributes]);
      series.set(key, [...(series.get(key) ?? []), point]);
    }
    for (const points of series.values()) {
      const ordered = points.toSorted((a, b) => Number(a.time - b.time));
      expect(new Set(ordered.map(({ start }) => start)).size).toBe(1);
      expect(new Set(ordered.map(({ time }) => time)).size).toBe(ordered.length);
      expect(ordered.map(({ value }) => value)).toEqual(ordered.map(({ value }) => value).toSorted((a, b) => a - b));
    }
    const requests = server.spans.filter((span) => span.kind === 2).length;
    const counted = [...series.values()]
      .filter(([point]) => point?.name === 'http.server.request.duration')
      .map((points) => Math.max(...points.map(({ value }) => value)));
    expect(counted.reduce((sum, value) => sum + value, 0)).toBe(requests);
    for (const point of server.points.filter(({ name }) => name === 'http.server.active_requests')) {
      expect(point.value).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('the demo against a server', () => {
  beforeEach(start);
  afterEach(() => server.close());

  it('starts a new instance with counters from zero when a service is deployed', async () => {
    const deployment = Date.UTC(2025, 5, 11, 13, 30);
    await run({ now: () => deployment + 3 * MINUTE, backfillMs: 6 * MINUTE, once: true });
    const versions = new Map<unknown, bigint[]>();
    for (const span of server.spans.filter(({ service }) => service === 'checkout')) {
      const version = span.resource['service.version'];
      versions.set(version, [...(versions.get(version) ?? []), span.start]);
    }
    expect(versions.size).toBe(2);
    const moment = BigInt(deployment) * NANOSECONDS;
    const [before, after] = [...versions.values()];
    expect(before?.every((start) => start < moment)).toBe(true);
    expect(after?.some((start) => start > moment)).toBe(true);
    const counts = server.points.filter(
      (point) => point.name === 'http.server.request.count' && point.service === 'checkout',
    );
    expect(new Set(counts.map(({ start }) => start))).toEqual(new Set([moment - 3n * 60_000n * NANOSECONDS, moment]));
    for (const point of counts) expect(point.start < moment).toBe(point.time <= moment);
  });

  it('repeats itself exactly for the same seed, and not for another', async () => {
    await run();
    const ids = async (seed: number) => {
      server.spans.length = 0;
      await run({ seed, backfillMs: 2 * MINUTE });
      return server.spans.map((span) => `${span.traceId}/${span.spanId} ${span.name} ${span.start}`).sort();
    };
    const first = await ids(1);
    expect((await ids(1)).join('\n')).toBe(first.join('\n'));
    const other = new Set(await ids(2));
    expect(first.filter((id) => other.has(id))).toEqual([]);
  });

  it('retries after Retry-After, and loses nothing', async () => {
    server.answerOnce('/v1/traces', 503, { 'retry-after': '1' });
    server.answerOnce('/v1/logs', 429, { 'retry-after': '1' });
    const result = await run({ backfillMs: 0 });
    expect(result.lost).toBe(0);
    expect(server.spans.length).toBe(result.spans);
    expect(server.logs.length).toBe(result.logs);
  });

  it('creates an account if it gets credentials instead of a token', async () => {
    const account = { email: 'a@shop.example', password: 'correct-Horse-battery-9' };
    const { token: _token, ...rest } = BASE;
    const result = await runDemo({ ...rest, endpoint: server.endpoint, backfillMs: 0, account });
    expect(result.spans).toBe(server.spans.length);
    expect(server.calls.some(({ path }) => path === '/api/v1/auth/signup')).toBe(true);
  });

  it('stops if the server rejects the token', async () => {
    server.answerAlways('/v1/traces', 401);
    await expect(run()).rejects.toThrow(/401/);
    // The same for live traffic, which nothing else would end.
    await expect(run({ backfillMs: 0, once: false, ratePerSecond: 20, now: Date.now })).rejects.toThrow(/401/);
  });

  it('uses the defaults and continues if flags are unavailable', async () => {
    await server.close();
    server = await startRecordingServer();
    const lines: string[] = [];
    const result = await run({ backfillMs: 0, log: (line) => void lines.push(line) });
    expect(result.lost).toBe(0);
    expect(lines.join('\n')).toContain('flag ');
    const errors = server.logs.filter((record) => record.eventName === 'feature_flag.evaluation');
    for (const event of errors) expect(event.attributes['feature_flag.result.reason']).toBe('error');
    const [charge] = server.spans.filter((span) => span.name === 'POST /v1/charges');
    expect(charge?.attributes['server.address']).toBe('api.paywise.example');
  });

  it('plays live until it is stopped, then delivers completed visits', async () => {
    const stop = new AbortController();
    const running = runDemo({
      endpoint: server.endpoint,
      token: 'svc_pat_1',
      ratePerSecond: 20,
      signal: stop.signal,
    });
    await expect.poll(() => server.spans.length).toBeGreaterThan(0);
    stop.abort();
    const result = await running;
    expect(result.spans).toBe(server.spans.length);
    expect(result.lost).toBe(0);
    const latest = BigInt(Date.now()) * NANOSECONDS;
    for (const span of server.spans) expect(span.end <= latest).toBe(true);
  });
});
