import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, signUp, until } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
let now: number;
/** Instances that fire, by what their rules ask for. */
let firing: { readonly failures: string; readonly counts: string; readonly maxima: string };
const hex = (n: number, length: number) => (n + 1).toString(16).padStart(length, '0');

beforeAll(async () => {
  world = await startTelemetryWorld();
  now = Date.now();
  const { ada } = world;
  const spans = Array.from({ length: 120 }, (_, n) => ({
    traceId: hex(n, 32),
    spanId: hex(n, 16),
    name: 'pay',
    kind: 2,
    startTimeUnixNano: nanos(now - 60_000 - n * 100),
    endTimeUnixNano: nanos(now - 60_000 - n * 100 + 20 + n),
    status: { code: n % 4 === 0 ? 2 : 1 },
    attributes: [text('region', n % 4 === 0 ? 'eu' : 'us'), text('color', n % 3 === 0 ? 'red' : 'blue')],
  }));
  const evaluations = spans.map((span, n) => ({
    timeUnixNano: span.startTimeUnixNano,
    eventName: 'feature_flag.evaluation',
    traceId: span.traceId,
    spanId: span.spanId,
    attributes: [
      text('feature_flag.key', 'checkout-v2'),
      text('feature_flag.result.variant', n % 4 === 0 ? 'on' : 'off'),
      text('feature_flag.context.id', `u${n}`),
    ],
  }));
  const resource = [text('service.name', 'shop')];
  await ada.ingest('traces', tracesRequest(spans, resource));
  await world.eve.ingest('traces', tracesRequest(spans, [text('service.name', 'canary')]));
  await ada.ingest('logs', logsRequest(evaluations, resource));
  await ada.counted('spans | stats n=count()', 120);
  await ada.counted('flags "checkout-v2" | stats n=count()', 120);
  const flag = await ada.post(`${ada.project}/flags`, { key: 'checkout-v2', name: 'Checkout', kind: 'boolean' });
  expect(flag.status).toBe(201);
  // A rule is evaluated within ten seconds, all of them within the same ones.
  const [failures, counts, maxima] = await Promise.all([
    instanceOf('spans | stats value=ratio(status == error) by service.name'),
    instanceOf('spans | stats value=count() by service.name'),
    instanceOf('spans | stats value=max(duration) by service.name'),
  ]);
  firing = { failures, counts, maxima };
});
afterAll(() => world?.stop());

/** The id of the first instance of a new rule that fires at once. */
async function instanceOf(query: string): Promise<string> {
  const { ada } = world;
  const rule = await ada.post(`${ada.workspace}/alert-rules`, {
    name: 'Shop fails',
    project: 'default',
    query,
    condition: { op: '>', threshold: 0.1 },
    every: '10s',
    offset: '0s',
    window: '1h',
  });
  expect(rule.status, rule.text).toBe(201);
  return until(
    async () => (await ada.get(`${ada.workspace}/alert-instances?rule=${rule.data.id}`)).data[0]?.id,
    60_000,
  );
}

describe('the explanation of an alert', () => {
  it('names the cause of failing rows, example traces, and the changes before it', async () => {
    const { ada, eve } = world;
    const id = firing.failures;
    const answer = await ada.get(`${ada.workspace}/alert-instances/${id}/explanation`);
    expect(answer.status, answer.text).toBe(200);
    const { data } = answer;
    expect(data).toMatchObject({ failing: 'status == error', why: { verdict: 'suspects', reason: null } });
    const [first, ...rest] = data.why.suspects;
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      cause: { kind: 'flag', flag: 'checkout-v2', variant: 'on' },
      rates: { exposed: 1, others: 0 },
      explains: 1,
    });
    expect(data.why.compared).toEqual({ selected: 30, others: 90 });
    // The slowest of the failing ones.
    expect(data.traces[0]).toMatchObject({ trace_id: hex(116, 32), service: 'shop', name: 'pay' });
    expect(data.traces).toHaveLength(5);
    expect(data.changes).toContainEqual(
      expect.objectContaining({ kind: 'flag', name: 'checkout-v2', detail: 'created' }),
    );
    expect(answer.text).not.toContain('canary');

    expect((await eve.get(`${eve.workspace}/alert-instances/${id}/explanation`)).status).toBe(404);
  });

  it('says why there is nothing to compare', async () => {
    const { ada } = world;
    const id = firing.counts;
    const { data } = await ada.get(`${ada.workspace}/alert-instances/${id}/explanation`);
    expect(data).toMatchObject({ failing: null, why: { verdict: 'unknown', suspects: [] } });
    expect(data.why.reason).toContain('counts all rows alike');
    expect(data.traces).toHaveLength(5);
  });

  it('needs the permission to read telemetry', async () => {
    const { ada } = world;
    const id = firing.maxima;
    const role = await ada.post(`${ada.workspace}/roles`, {
      name: 'On call',
      permissions: ['workspace:read', 'alerts:read'],
    });
    expect(role.status, role.text).toBe(201);
    const bob = await signUp(world.base, 'bob');
    await addMember(ada, bob, role.data.id);
    expect((await bob.get(`${ada.workspace}/alert-instances/${id}`)).status).toBe(200);
    const answer = await bob.get(`${ada.workspace}/alert-instances/${id}/explanation`);
    expect([answer.status, answer.json.error.code]).toEqual([403, 'SVC-3006']);
  });
});
