import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { stored, until } from '../../../testing/test-client.ts';
import { deriveDue } from './derive.ts';
import { countLive, derivePortion, findDerivedTo, listLateMinutes } from './store.ts';

const [server, client, producer, consumer] = [2, 3, 4, 5];

describe('the service map', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const now = Date.now();
  /** Older than the hour that the server's job derives, so that the job does not interfere. */
  const past = Math.floor(now / 60_000) * 60_000 - 5 * 3_600_000;
  const signal = new AbortController().signal;

  interface Call {
    service: string;
    id: string;
    parent?: string;
    kind: number;
    ms: number;
    failed?: boolean;
    attributes?: Record<string, string>;
  }
  const send = async (tenant: TelemetryTenant, trace: string, start: number, calls: Call[]) => {
    for (const { service, id, parent, kind, ms, failed, attributes = {} } of calls)
      await tenant.ingest(
        'traces',
        tracesRequest(
          [
            {
              traceId: trace,
              spanId: id.padStart(16, '0'),
              ...(parent !== undefined && { parentSpanId: parent.padStart(16, '0') }),
              name: 'x',
              kind,
              startTimeUnixNano: nanos(start),
              endTimeUnixNano: nanos(start + ms),
              status: { code: failed ? 2 : 0 },
              attributes: Object.entries(attributes).map(([key, value]) => text(key, value)),
            },
          ],
          [text('service.name', service)],
        ),
      );
  };
  /** A request through the shop: web → cart → database and a queue → mail; and a payment outside. */
  const shop: Call[] = [
    { service: 'web', id: '1', kind: server, ms: 100 },
    { service: 'web', id: '2', parent: '1', kind: client, ms: 80, attributes: { 'server.address': 'cart' } },
    { service: 'cart', id: '3', parent: '2', kind: server, ms: 70, failed: true },
    {
      service: 'cart',
      id: '4',
      parent: '3',
      kind: client,
      ms: 20,
      attributes: { 'db.system.name': 'postgresql', 'db.namespace': 'orders' },
    },
    {
      service: 'cart',
      id: '5',
      parent: '3',
      kind: producer,
      ms: 2,
      attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': 'mails' },
    },
    {
      service: 'mail',
      id: '6',
      parent: '5',
      kind: consumer,
      ms: 50,
      attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': 'mails' },
    },
    {
      service: 'cart',
      id: '7',
      parent: '3',
      kind: client,
      ms: 30,
      attributes: { 'server.address': 'pay.example.com' },
    },
  ];

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    await send(ada, 'a'.repeat(32), now - 1000, shop);
    await send(ada, 'b'.repeat(32), past + 1000, shop.slice(0, 3));
    await send(world.eve, 'c'.repeat(32), past + 1000, [
      { service: 'canary', id: '1', kind: server, ms: 1 },
      { service: 'bird', id: '2', parent: '1', kind: server, ms: 1 },
    ]);
    await ada.counted('spans | stats n=count()', 10);
    await world.eve.counted('spans | stats n=count()', 2);
  });
  afterAll(() => world?.stop());

  interface Load {
    calls: number;
    errors: number;
    p50_ns: number | null;
  }
  const get = async (query: Record<string, string>, tenant = ada) => {
    const answer = await tenant.get(`${tenant.workspace}/service-map?${new URLSearchParams(query)}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data as {
      nodes: ({ id: string; system: string | null } & Load)[];
      edges: ({ source: string; target: string } & Load)[];
      missing: object | null;
    };
  };
  const drawn = ({ edges }: { edges: { source: string; target: string; calls: number }[] }) =>
    edges.map(({ source, target, calls }) => `${source} → ${target} ${calls}`).sort();

  it('includes what has just arrived, before anything was derived', async () => {
    const map = await get({ from: 'now-5m', to: 'now+1m' });
    expect(drawn(map)).toEqual([
      'queue:kafka/mails → service:mail 1',
      'service:cart → database:postgresql/orders 1',
      'service:cart → external:pay.example.com 1',
      'service:cart → queue:kafka/mails 1',
      'service:web → service:cart 1',
    ]);
    const node = (id: string) => map.nodes.find((one) => one.id === id);
    expect(node('service:cart')).toMatchObject({ calls: 1, errors: 1 });
    expect(node('database:postgresql/orders')).toMatchObject({ system: 'postgresql', calls: 1, errors: 0 });
    expect(Math.abs((node('database:postgresql/orders')?.p50_ns ?? 0) / 20e6 - 1)).toBeLessThan(0.02);
    const call = map.edges.find(({ target }) => target === 'service:cart');
    expect(call?.errors).toBe(1);
    // The duration in the called service, not the caller's wait.
    expect(Math.abs((call?.p50_ns ?? 0) / 70e6 - 1)).toBeLessThan(0.02);
  });

  it('can be limited to one service and its neighbors', async () => {
    const map = await get({ from: 'now-5m', to: 'now+1m', service: 'mail' });
    expect(map.nodes.map(({ id }) => id).sort()).toEqual(['queue:kafka/mails', 'service:mail']);
  });

  it('counts derived minutes once, however often they are derived', async () => {
    const minute = past / 1000;
    const portion = { from: minute, to: minute + 60, arrived: [5] };
    for (const version of [1, 2, 3]) await derivePortion(world.store, portion, version, signal);
    expect(await findDerivedTo((statement) => world.store.queryRows(statement))).toBeGreaterThanOrEqual(minute + 60);
    const window = { from: String(past), to: String(past + 60_000) };
    expect(drawn(await get(window))).toEqual(['service:web → service:cart 1']);
    expect(drawn(await get(window, world.eve))).toEqual(['service:canary → service:bird 1']);
    expect(drawn(await get({ ...window, environment: 'development' }))).toEqual([]);
    // A late span is included when the minute is derived again.
    await send(ada, 'b'.repeat(32), past + 2000, [{ service: 'stock', id: '9', parent: '3', kind: server, ms: 5 }]);
    await ada.counted('spans | stats n=count()', 11);
    await derivePortion(world.store, { ...portion, arrived: [6] }, 4, signal);
    expect(drawn(await get(window))).toEqual(['service:cart → service:stock 1', 'service:web → service:cart 1']);
  });

  it('finds the minutes that received spans since', async () => {
    // A day that the job does not reach by itself: minutes are due that were counted and not derived.
    const old = past - 20 * 86_400_000;
    const late = async (nowMs: number) => {
      const all = await listLateMinutes(world.store, old / 1000 + 3600, nowMs, 100);
      return [...all].filter(([at]) => at >= old / 1000);
    };
    await send(ada, 'd'.repeat(32), old + 1000, shop.slice(0, 3));
    const window = { from: String(old), to: String(old + 60_000) };
    const query = { query: 'spans | count', ...window };
    await until(async () => (await ada.post(`${ada.workspace}/query`, query)).data.rows[0][0] === 3);
    // The view is filled after the spans, at the end of the same insert.
    await until(async () => (await late(now + 600_000)).length > 0);
    // Spans are still coming: a minute later they have settled.
    expect(await late(now - 120_000)).toEqual([]);
    expect(await late(now + 600_000)).toEqual([[old / 1000, 3]]);
    await derivePortion(world.store, { from: old / 1000, to: old / 1000 + 60, arrived: [3] }, now, signal);
    expect(await late(now + 600_000)).toEqual([]);
    expect(drawn(await get(window))).toEqual(['service:web → service:cart 1']);
  });

  it('includes spans that arrive after their minutes were derived', async () => {
    const from = past - 8 * 3_600_000;
    const [minute, hour] = [60_000, 3_600_000];
    const window = { from: String(from), to: String(from + hour) };
    await send(ada, '1'.repeat(32), from + 1000, shop.slice(0, 3));
    await send(ada, '2'.repeat(32), from + 20 * minute, shop.slice(0, 3));
    await stored(world.base);
    const counts = Array.from({ length: 60 }, (_, at) => (at === 0 || at === 20 ? 3 : 0));
    await derivePortion(world.store, { from: from / 1000, to: (from + hour) / 1000, arrived: counts }, now, signal);
    expect(drawn(await get(window))).toEqual(['service:web → service:cart 2']);

    // One in a derived minute with spans, two in derived minutes without, over a boundary of five minutes.
    await send(ada, '3'.repeat(32), from + 2000, shop.slice(0, 3));
    await send(ada, '4'.repeat(32), from + 35 * minute - 10, shop.slice(0, 3));
    await send(ada, '4'.repeat(32), from + 35 * minute, [
      { service: 'stock', id: '9', parent: '3', kind: server, ms: 5 },
    ]);
    await send(world.eve, '5'.repeat(32), from + 59 * minute, shop.slice(0, 3));
    await stored(world.base);
    const expected = ['service:cart → service:stock 1', 'service:web → service:cart 4'];
    const map = await get(window);
    expect([drawn(map), map.missing]).toEqual([expected, null]);
    expect(drawn(await get({ ...window, service: 'stock' }))).toEqual(['service:cart → service:stock 1']);
    expect(drawn(await get(window, world.eve))).toEqual(['service:web → service:cart 1']);
    expect(drawn(await get({ ...window, environment: 'development' }))).toEqual([]);

    // Derived in one minute, and late by another tenant's spans: this tenant's are derived, and count once.
    await derivePortion(world.store, { from: from / 1000, to: from / 1000 + 60, arrived: [6] }, now + 1, signal);
    await send(world.eve, '6'.repeat(32), from + 3000, shop.slice(0, 3));
    await stored(world.base);
    const telemetry = {
      rows: <Row extends object>(_: object, statement: string, params: object) =>
        world.store.queryRows<Row>(statement, { params: { ...scope, ...params } }),
    };
    const scope = { workspace: ada.numbers.workspace, project: undefined, environment: undefined };
    const minutes = [0, 20, 34, 35, 59].map((at) => from / 1000 + 60 * at);
    // While the server's own job derives a minute again, that minute counts as live for a moment.
    await expect
      .poll(() => countLive(telemetry, scope, minutes, signal))
      .toEqual(
        new Map([
          [from / 1000 + 60 * 34, 3],
          [from / 1000 + 60 * 35, 1],
        ]),
      );
    expect(drawn(await get(window))).toEqual(expected);

    // Once more derived, they count once.
    await deriveDue(world.store, { now: () => now + 10 * minute, signal });
    expect(drawn(await get(window))).toEqual(expected);
  });

  it("includes spans that are hours late, through the server's job", async () => {
    const hours = past - 3 * 3_600_000;
    await send(ada, 'e'.repeat(32), hours + 1000, shop.slice(0, 3));
    const window = { from: String(hours), to: String(hours + 60_000) };
    let ms = now + 180_000;
    const later = { now: () => ms++, signal };
    await until(async () => {
      await deriveDue(world.store, later);
      return drawn(await get(window)).length > 0;
    });
    expect(drawn(await get(window))).toEqual(['service:web → service:cart 1']);
  });
});
