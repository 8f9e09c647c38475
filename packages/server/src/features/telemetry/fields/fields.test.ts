import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  int,
  logsRequest,
  metricsRequest,
  nanos,
  text,
  tracesRequest,
} from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

const hex = (n: number, bytes: number) => (n + 1).toString(16).padStart(bytes * 2, '0');

describe('fields', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  const started = Date.now();

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    const spans = Array.from({ length: 100 }, (_, n) => ({
      traceId: hex(n, 16),
      spanId: hex(n, 8),
      name: n % 10 === 0 ? 'checkout' : 'view',
      kind: 2,
      startTimeUnixNano: nanos(started - 1000 - n),
      endTimeUnixNano: nanos(started - n),
      attributes: [
        text('http.route', n % 4 === 0 ? '/cart' : '/items'),
        text('order.id', `o${n}`),
        ...(n % 2 === 0 ? [int('retries', n % 3)] : [text('retries', 'none')]),
      ],
    }));
    const resource = [text('service.name', 'shop'), text('host.name', 'h1')];
    await ada.ingest('traces', tracesRequest(spans, resource));
    const logs = [9, 9, 17].map((severityNumber, n) => ({
      timeUnixNano: nanos(started - n),
      severityNumber,
      body: { stringValue: 'hello' },
      attributes: [text('door', 'front')],
    }));
    await ada.ingest('logs', logsRequest(logs, resource));
    await world.eve.ingest('logs', logsRequest(logs, [text('service.name', 'canary'), text('canary', 'canary')]));
    await ada.counted('spans | stats n=count()', 100);
    await ada.counted('logs | stats n=count()', 3);
    await world.eve.counted('logs | stats n=count()', 3);
  });
  afterAll(() => world?.stop());

  const get = async (query: Record<string, string>, tenant = ada) => {
    const answer = await tenant.get(`${tenant.workspace}/fields?${new URLSearchParams({ to: 'now+1m', ...query })}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.data as {
      fields: { source: string; scope: string; name: string; [fact: string]: unknown }[];
      values: { value: string; count: number; share: number }[];
    };
  };
  const find = ({ fields }: Awaited<ReturnType<typeof get>>, name: string, source = 'spans') =>
    fields.find((field) => field.name === name && field.source === source);

  it('have type, scope, frequency and cardinality', async () => {
    const all = await get({});
    expect(find(all, 'http.route')).toEqual({
      source: 'spans',
      scope: 'attribute',
      name: 'http.route',
      type: 'string',
      types: ['string'],
      rows: 100,
      frequency: 1,
      cardinality: 2,
    });
    expect(find(all, 'order.id')?.cardinality).toBe(100);
    expect(find(all, 'retries')).toMatchObject({ types: ['int', 'string'], rows: 100, cardinality: 4 });
    expect(find(all, 'host.name')).toMatchObject({ scope: 'resource', rows: 100 });
    expect(find(all, 'severity', 'logs')).toMatchObject({ scope: 'field', cardinality: 2 });
  });

  it('are found by source and by prefix', async () => {
    const { fields } = await get({ source: 'logs', search: 'do' });
    expect(fields.map(({ name }) => name)).toEqual(['door']);
    expect((await get({ search: 'rout' })).fields.map(({ name }) => name)).toEqual(['http.route']);
  });

  it('list their most frequent values', async () => {
    const route = await get({ field: 'http.route' });
    expect(route.fields).toHaveLength(1);
    expect(route.values).toEqual([
      { value: '/items', count: 75, share: 0.75 },
      { value: '/cart', count: 25, share: 0.25 },
    ]);
    expect((await get({ field: 'name', search: 'ch' })).values).toEqual([{ value: 'checkout', count: 10, share: 0.1 }]);
    expect((await get({ field: 'severity', source: 'logs' })).values.map(({ value }) => value)).toEqual([
      'info',
      'error',
    ]);
    expect((await get({ field: 'resource.host.name', source: 'spans' })).values).toEqual([
      { value: 'h1', count: 100, share: 1 },
    ]);
    expect(await get({ field: 'nothing' })).toEqual({ fields: [], values: [] });
  });

  it('are only those of the tenant and of the named places', async () => {
    expect(JSON.stringify(await get({}))).not.toContain('canary');
    expect((await get({ environment: 'development' })).fields).toEqual([]);
    expect(find(await get({}, world.eve), 'canary', 'logs')).toBeDefined();
    expect((await get({ from: 'now-3d', to: 'now-2d' })).fields).toEqual([]);
  });

  it('have the types that their values were sent with, also those of resources and series', async () => {
    const { eve } = world;
    const bool = (key: string, value: boolean) => ({ key, value: { boolValue: value } });
    const double = (key: string, value: number) => ({ key, value: { doubleValue: value } });
    const list = (key: string) => ({ key, value: { arrayValue: { values: [{ stringValue: 'a' }] } } });
    const shop = text('service.name', 'typed');
    const log = (at: number) => ({ timeUnixNano: nanos(started - at), body: { stringValue: 'typed' } });
    await eve.ingest(
      'logs',
      logsRequest([log(1)], [shop, int('pid', 7), list('args'), bool('warm', true), int('id', 1)]),
    );
    await eve.ingest('logs', logsRequest([log(2)], [shop, double('load', 0.5), text('id', 'x'), text('count', '5')]));
    // Ada's have the same names as texts, at the same time.
    await ada.ingest('logs', logsRequest([log(3)], [shop, text('pid', '8'), text('warm', 'true'), int('count', 5)]));
    const point = { timeUnixNano: nanos(started), asDouble: 1, attributes: [int('shard', 3), text('zone', '3')] };
    await eve.ingest(
      'metrics',
      metricsRequest([{ name: 'typed', gauge: { dataPoints: [point] } }], [shop, int('pid', 7)]),
    );
    await world.insert('profile_samples', [
      {
        workspace: eve.numbers.workspace,
        project: eve.numbers.project,
        environment: 'production',
        retention_days: 30,
        profile_type: 'cpu:nanoseconds',
        service: 'typed',
        time: new Date(started).toISOString().slice(0, 23).replace('T', ' '),
        attributes: { 'thread.id': '4', old: '4' },
        attribute_types: '\0thread.id\x01n',
      },
    ]);
    const where = 'where service.name == "typed" | stats n=count()';
    await eve.counted(`logs | ${where}`, 2);
    await ada.counted(`logs | ${where}`, 1);
    await eve.counted(`metric typed | ${where}`, 1);
    const typesIn = async (source: string, tenant: TelemetryTenant) => {
      const { fields } = await get({ source }, tenant);
      const types = Object.fromEntries(
        fields.filter(({ scope }) => scope !== 'field').map(({ name, types }) => [name, types]),
      );
      const signal = source === 'metrics' ? 'metric' : source;
      const query = `fields | where scope != "field" and signal == "${signal}" | fields name, types`;
      const { data } = await tenant.post(`${tenant.workspace}/query`, { query, to: 'now+1m' });
      expect(Object.fromEntries(data.rows)).toEqual(types);
      return types;
    };
    expect(await typesIn('logs', eve)).toMatchObject({
      pid: ['int'],
      args: ['json'],
      warm: ['bool'],
      load: ['float'],
      id: ['int', 'string'],
      count: ['string'],
    });
    expect(await typesIn('logs', ada)).toMatchObject({ pid: ['string'], warm: ['string'], count: ['int'] });
    expect(await typesIn('metrics', eve)).toMatchObject({ shard: ['int'], zone: ['string'], pid: ['int'] });
    expect(await typesIn('profiles', eve)).toMatchObject({ 'thread.id': ['int'], old: ['string'] });
    expect((await get({ field: 'resource.warm', source: 'logs' }, eve)).fields).toMatchObject([{ type: 'bool' }]);
  });

  it('are counted once, however often a segment is inserted', async () => {
    const insert = () =>
      world.store.command(
        `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, string_attributes)
         SELECT 1000077, 1, 'production', 30, now64(9), 'once', 'n' || toString(number), map('k', toString(number % 5)) FROM numbers(30)`,
        {
          settings: {
            insert_deduplicate: 1,
            insert_deduplication_token: 'segment/spans/1',
            deduplicate_blocks_in_dependent_materialized_views: 1,
          },
        },
      );
    await insert();
    await insert();
    const { rows } = await world.store.query(
      `SELECT toUInt32(sum(rows)), toUInt32(uniqCombinedMerge(12)(values)), arraySum(x -> x.2, approx_top_sumMerge(50, 150)(top)) FROM field_usage WHERE workspace = 1000077 AND name = 'k'`,
    );
    expect(rows.map((row) => row.map(Number))).toEqual([[30, 5, 30]]);
  });

  it('are complete after a large insert; values are then estimates', async () => {
    await world.store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, string_attributes)
       SELECT 1000078, 1, 'production', 30, now64(9), 's', 'n', if(number = 99999, map('rare', 'x'), map('k', toString(number % 5))) FROM numbers(100000)`,
      { settings: { max_block_size: 200_000, min_insert_block_size_rows: 200_000, max_insert_threads: 1 } },
    );
    const { rows } = await world.store.query(
      `SELECT name, toUInt32(sum(rows)), arraySum(x -> x.2, approx_top_sumMerge(50, 150)(top)) FROM field_usage WHERE workspace = 1000078 AND scope = 'attribute' GROUP BY name ORDER BY name`,
    );
    const [k, rare] = rows.map(([name, count, top]) => [name, Number(count), Number(top)] as const);
    expect([k?.[0], k?.[1], rare?.[0], rare?.[1]]).toEqual(['k', 99_999, 'rare', 1]);
    expect(Math.abs((k?.[2] ?? 0) / 100_000 - 1)).toBeLessThan(0.1);
  });
});
