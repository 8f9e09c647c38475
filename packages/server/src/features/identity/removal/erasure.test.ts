import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tenantTables } from '../../../features.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { newWorkspace, testClient, until } from '../../../testing/test-client.ts';
import { ownTestServer } from '../../../testing/test-server.ts';

const nanos = (ms: number) => `${ms}000000`;
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const service = { attributes: [text('service.name', 'shop')] };

describe("the erasure of a person's telemetry", () => {
  let world: TelemetryWorld;
  beforeAll(async () => {
    // Each erasure rewrites parts of all tenants: beside what other files have stored it takes four minutes.
    world = await startTelemetryWorld(ownTestServer());
  });
  afterAll(() => world.stop());

  const count = async (owner: TelemetryTenant, query: string) => {
    const body = { query, from: 'now-1h', to: 'now+5m' };
    const { status, text, data } = await owner.post(`${owner.workspace}/query`, body);
    expect(status, text).toBe(200);
    return data.rows[0]?.[0] ?? 0;
  };
  const erase = (owner: TelemetryTenant, attribute: string, value: string) =>
    owner.post(`${owner.project}/erasures`, { attribute, value });
  const finished = (owner: TelemetryTenant, id: string) =>
    until(async () => {
      const { data } = await owner.get(`${owner.workspace}/removals`);
      const removal = data.find((one: { id: string }) => one.id === id);
      expect(removal.error).toBeNull();
      return removal.tables.removed === removal.tables.total;
    }, 300_000);

  /** A span, a log record and a point of a gauge of a service; each has the attributes. */
  async function send(tenant: TelemetryTenant, name: string, attributes: readonly object[]): Promise<void> {
    const resource = { attributes: [text('service.name', name)] };
    const at = Date.now() - 60_000;
    const ids = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
    const times = { startTimeUnixNano: nanos(at), endTimeUnixNano: nanos(at + 5) };
    const spans = [{ ...ids, ...times, name: 'pay', attributes }];
    const logRecords = [{ timeUnixNano: nanos(at), body: { stringValue: 'paid' }, attributes }];
    const gauge = { dataPoints: [{ timeUnixNano: nanos(at), asDouble: 1, attributes }] };
    await tenant.ingest('traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    await tenant.ingest('logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    const metrics = [{ name: `basket.${name}`, gauge }];
    await tenant.ingest('metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] });
  }

  /** The folders on the disk of the parts whose rows hold the text anywhere, with the names of their tables. */
  async function partsWith(marker: string): Promise<{ table: string; path: string }[]> {
    const found = tenantTables.map(async ({ name }) => {
      const rows = await world.store.queryRows<{ path: string }>(
        `SELECT path FROM system.parts WHERE database = currentDatabase() AND table = '${name}' AND name IN (
           SELECT DISTINCT _part FROM ${name} WHERE position(formatRow('TSV', *), {marker:String}) > 0)`,
        { params: { marker } },
      );
      return rows.map(({ path }) => ({ table: name, path }));
    });
    return (await Promise.all(found)).flat();
  }

  it('deletes the rows with the attribute from every table and from the disk, and nothing else', async () => {
    const { ada, eve } = world;
    const person = randomBytes(20).toString('hex');
    const shop = `shop${randomBytes(4).toString('hex')}`;
    const ofShop = (source: string) => `${source} | where service.name == "${shop}"`;
    for (const tenant of [ada, eve]) {
      await send(tenant, shop, [text('user.id', person)]);
      await send(tenant, shop, [text('user.id', 'another')]);
      await send(tenant, shop, [text('customer', person)]);
    }
    for (const tenant of [ada, eve])
      for (const source of ['spans', 'logs']) await tenant.counted(`${ofShop(source)} | stats n=count()`, 3);
    const basket = `metric basket.${shop} | count`;
    expect(await count(ada, basket)).toBe(3);
    const parts = await partsWith(person);
    const filled = [...new Set(parts.map(({ table }) => table))].sort();
    expect(filled).toEqual(['field_usage', 'logs', 'metric_series', 'spans']);
    expect(parts.every(({ path }) => existsSync(path))).toBe(true);

    const answer = await erase(ada, 'user.id', person);
    expect(answer.status, answer.text).toBe(202);
    expect(answer.data).toMatchObject({ state: 'removing', resource: { type: 'attribute', key: 'user.id' } });
    expect(answer.text).not.toContain(person);
    await finished(ada, answer.data.id);
    for (const source of ['spans', 'logs']) {
      expect(await count(ada, `${ofShop(source)} | stats n=count()`)).toBe(2);
      expect(await count(ada, `${source} | where user.id == "${person}" | stats n=count()`)).toBe(0);
      expect(await count(eve, `${ofShop(source)} | stats n=count()`)).toBe(3);
    }
    await until(async () => (await count(ada, basket)) === 2);
    expect(await count(eve, basket)).toBe(3);

    // The other rows with this text have to go before no part holds it.
    const others = [
      [ada, 'customer'],
      [eve, 'user.id'],
      [eve, 'customer'],
    ] as const;
    await Promise.all(
      others.map(async ([tenant, attribute]) => finished(tenant, (await erase(tenant, attribute, person)).data.id)),
    );
    expect(await partsWith(person)).toEqual([]);
    // A table that is idle looks for parts out of use after up to ten minutes.
    const isGone = await until(async () => {
      await Promise.all(filled.map((table) => world.store.command(`SYSTEM START MERGES ${table}`)));
      return !parts.some(({ path }) => existsSync(path));
    }, 300_000);
    expect(isGone).toBe(true);
  }, 600_000);

  it('finds a number, one of a list, an attribute of the resource, and one of an event', async () => {
    const { ada } = world;
    const run = randomBytes(4).toString('hex');
    const list = { values: [{ stringValue: 'a' }, { stringValue: run }] };
    const at = Date.now() - 60_000;
    const times = { startTimeUnixNano: nanos(at), endTimeUnixNano: nanos(at + 5) };
    const traceId = randomBytes(16).toString('hex');
    const of = (name: string, more: object = {}, resource: object = service) => ({
      resource,
      scopeSpans: [{ spans: [{ traceId, spanId: randomBytes(8).toString('hex'), ...times, name, ...more }] }],
    });
    const number = String(Number.parseInt(run, 16));
    await ada.ingest('traces', {
      resourceSpans: [
        of(`number ${run}`, { attributes: [{ key: 'user.number', value: { intValue: number } }] }),
        of(`list ${run}`, { attributes: [{ key: 'user.ids', value: { arrayValue: list } }] }),
        of(`resource ${run}`, {}, { attributes: [text('host.name', run)] }),
        of(`event ${run}`, {
          events: [{ timeUnixNano: nanos(at), name: 'e', attributes: [text('exception.user', run)] }],
        }),
        of(`other ${run}`),
      ],
    });
    const names = `spans | where trace_id == "${traceId}" | stats n=count()`;
    await ada.counted(names, 5);
    const erased = [
      ['user.number', number],
      ['user.ids', run],
      ['host.name', run],
      ['exception.user', run],
    ] as const;
    const ordered = await Promise.all(erased.map(([attribute, value]) => erase(ada, attribute, value)));
    await Promise.all(ordered.map(({ data }) => finished(ada, data.id)));
    expect(await count(ada, names)).toBe(1);
    expect(await count(ada, `spans | where name == "other ${run}" | stats n=count()`)).toBe(1);
  }, 300_000);

  it('deletes the exposures of a unit by the name that OpenTelemetry has for it', async () => {
    const { ada } = world;
    const row = { workspace: ada.numbers.workspace, project: ada.numbers.project, environment: 'production' };
    const flag = {
      retention_days: 30,
      flag: 'new-checkout',
      variant: 'on',
      evaluations: 1,
      time: new Date().toISOString(),
    };
    const events = ['unit-1', 'unit-2'].map((unit) => ({
      ...row,
      ...flag,
      unit,
      time: flag.time.slice(0, 19).replace('T', ' '),
    }));
    await world.insert('flag_events', events);
    await world.insert(
      'experiment_units',
      events.map(({ unit }) => ({
        ...row,
        experiment: ada.projectId,
        day: flag.time.slice(0, 10),
        unit,
        at: flag.time.slice(0, 19).replace('T', ' '),
      })),
    );
    await finished(ada, (await erase(ada, 'user.id', 'unit-1')).data.id);
    const units = async () => {
      const of = (table: string) =>
        `SELECT '${table}' AS source, unit FROM ${table} WHERE workspace = ${row.workspace} AND project = ${row.project}`;
      const rows = await world.store.queryRows<{ source: string; unit: string }>(
        `SELECT DISTINCT * FROM (${['flag_events', 'exposures', 'experiment_units'].map(of).join(' UNION ALL ')}) ORDER BY ALL`,
      );
      return rows.map(({ source, unit }) => `${source} ${unit}`);
    };
    expect(await units()).toHaveLength(6);
    await finished(ada, (await erase(ada, 'feature_flag.context.id', 'unit-1')).data.id);
    expect(await units()).toEqual(['experiment_units unit-2', 'exposures unit-2', 'flag_events unit-2']);
  }, 300_000);

  it('is in the audit log without the value', async () => {
    const { ada } = world;
    await erase(ada, 'user.email', 'ada@example.com');
    const { data, text } = await ada.get(`/api/v1/audit?workspace=${ada.workspaceId}&action=erasures.create`);
    const value_sha256 = createHash('sha256').update('ada@example.com').digest('hex');
    expect(data[0]).toMatchObject({ action: 'erasures.create', after: { attribute: 'user.email', value_sha256 } });
    expect(text).not.toContain('ada@example.com"');
  });

  it('is refused beyond fifty that are not finished, without an attribute or value, and in a project of others', async () => {
    const owner = await newWorkspace(world.ada, 'full');
    const send = (attribute: string) => owner.post(`${owner.project}/erasures`, { attribute, value: 'x' });
    for (let at = 0; at < 50; at += 1) expect((await send(`a${at}`)).status).toBe(202);
    const refused = await send('one-more');
    expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-6011']);
    for (const body of [{ attribute: '', value: 'x' }, { attribute: 'x', value: '' }, { attribute: 'x' }])
      expect((await owner.post(`${owner.project}/erasures`, body)).status).toBe(422);
    const foreign = `${world.ada.workspace}/projects/${world.eve.projectId}/erasures`;
    expect((await world.ada.post(foreign, { attribute: 'a', value: 'b' })).status).toBe(404);
  }, 300_000);

  it('needs the permission to delete projects', async () => {
    const { ada } = world;
    const reader = await ada.token(['telemetry:query']);
    const body = { attribute: 'a', value: 'b' };
    expect((await testClient(world.base, { bearer: reader }).post(`${ada.project}/erasures`, body)).status).toBe(403);
  });
});
