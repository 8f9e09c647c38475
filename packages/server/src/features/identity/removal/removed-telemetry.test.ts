import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { newWorkspace, type SignedUp, testClient, until } from '../../../testing/test-client.ts';

const nanos = (ms: number) => `${ms}000000`;
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const window = { from: 'now-1h', to: 'now+5m' };

describe('telemetry of a removed place', () => {
  let world: TelemetryWorld;
  beforeAll(async () => {
    world = await startTelemetryWorld();
  });
  afterAll(() => world.stop());

  /** A workspace with a second project, both with a log record, a span and a metric named after them. */
  async function settled() {
    const owner = await newWorkspace(world.ada, 'shop');
    const made = await owner.post(`${owner.workspace}/projects`, { name: 'Gone' });
    expect(made.status, made.text).toBe(201);
    const gone = made.data;
    const send = async (project: string, name: string, environment = 'production') => {
      const bearer = await owner.token(['telemetry:ingest'], { project, environment });
      const sender = testClient(world.base, { bearer });
      const at = Date.now() - 60_000;
      const resource = { attributes: [text('service.name', name)] };
      const traceId = Buffer.from(name.padEnd(16, '.')).toString('hex');
      const span = {
        traceId,
        spanId: 'a'.repeat(16),
        name,
        startTimeUnixNano: nanos(at),
        endTimeUnixNano: nanos(at + 5),
      };
      const log = { timeUnixNano: nanos(at), body: { stringValue: name }, attributes: [text(`of.${name}`, 'x')] };
      const metric = { name: `of.${name}`, gauge: { dataPoints: [{ timeUnixNano: nanos(at), asDouble: 1 }] } };
      await sender.post('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
      await sender.post('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [log] }] }] });
      await sender.post('/v1/metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metric] }] }] });
      return sender;
    };
    return { owner, gone, send };
  }
  const rows = async (owner: SignedUp, query: string) => {
    const { status, text, data } = await owner.post(`${owner.workspace}/query`, { query, ...window });
    expect(status, text).toBe(200);
    return data.rows;
  };
  const services = (owner: SignedUp, source: string) =>
    rows(owner, `${source} | stats n=count() by service.name | sort service.name`);
  const removals = async (owner: SignedUp) => (await owner.get(`${owner.workspace}/removals`)).data;

  it('answers nobody from the moment of the removal, also what is stored later, and is deleted', async () => {
    const { owner, gone, send } = await settled();
    await send(owner.projectId, 'stays');
    await send(gone.id, 'goes');
    for (const source of ['logs', 'spans'])
      await until(async () => JSON.stringify(await services(owner, source)) === '[["goes",1],["stays",1]]');
    const dashboard = await owner.post(`${owner.workspace}/dashboards`, {
      ...{
        name: 'All',
        panels: [{ id: 'n', type: 'stat', title: 'n', query: 'spans | stats n=count()', x: 0, y: 0, w: 6, h: 4 }],
      },
    });
    const snapshot = await owner.post(`${owner.workspace}/dashboards/${dashboard.data.id}/snapshots`, window);
    expect(snapshot.status, snapshot.text).toBe(201);
    const fields = async () => (await owner.get(`${owner.workspace}/fields?source=logs&search=of.`)).text;
    await until(async () => (await fields()).includes('of.goes'));

    // Acknowledged, and not stored yet.
    const sender = await send(gone.id, 'late');
    const removed = await owner.del(`${owner.workspace}/projects/${gone.id}?confirm=${gone.key}`);
    expect(removed.status, removed.text).toBe(204);
    expect(await services(owner, 'logs')).toEqual([['stays', 1]]);
    expect(await services(owner, 'spans')).toEqual([['stays', 1]]);
    expect(await fields()).not.toContain('of.goes');
    expect((await owner.get(`${owner.workspace}/dashboard-snapshots/${snapshot.data.id}`)).status).toBe(404);
    expect((await sender.post('/v1/logs', { resourceLogs: [] })).status).toBe(401);

    const [removal] = await removals(owner);
    expect(removal).toMatchObject({ id: gone.id, state: 'removing', resource: { type: 'project', key: gone.key } });
    const done = await until(async () => {
      const [{ tables }] = await removals(owner);
      return tables.removed === tables.total && tables.total > 10;
    });
    expect(done).toBe(true);
    const [number] = await world.store.queryRows<{ workspace: number; project: number }>(
      `SELECT workspace, project FROM logs WHERE service = 'stays' ORDER BY time DESC LIMIT 1`,
    );
    const stored = await world.store.queryRows(
      `SELECT 1 FROM spans WHERE workspace = ${number?.workspace} AND project != ${number?.project}`,
    );
    expect(stored.length).toBeLessThanOrEqual(1);
    expect(await services(owner, 'logs')).toEqual([['stays', 1]]);
    expect(await rows(owner, 'metric of.goes | count')).toEqual([[0]]);
  }, 120_000);

  it('of an environment is hidden, and what is sent to a new one of the same name is not', async () => {
    const { owner, send } = await settled();
    await send(owner.projectId, 'before', 'development');
    await send(owner.projectId, 'other');
    await until(async () => JSON.stringify(await services(owner, 'logs')) === '[["before",1],["other",1]]');
    const environments = `${owner.workspace}/projects/${owner.projectId}/environments`;
    const { data } = await owner.get(environments);
    const { id } = data.find(({ key }: { key: string }) => key === 'development');
    expect((await owner.del(`${environments}/${id}?confirm=development`)).status).toBe(204);
    expect(await services(owner, 'logs')).toEqual([['other', 1]]);
    expect(await services(owner, 'spans')).toEqual([['other', 1]]);
    expect(await removals(owner)).toMatchObject([{ id, resource: { type: 'environment', key: 'development' } }]);
    await owner.post(environments, { key: 'development', name: 'Again' });
    const bearer = await owner.token(['telemetry:ingest'], { project: owner.projectId, environment: 'development' });
    const log = { timeUnixNano: nanos(Date.now() + 2_000), body: { stringValue: 'x' } };
    const resource = { attributes: [text('service.name', 'again')] };
    const sent = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [log] }] }] };
    expect((await testClient(world.base, { bearer }).post('/v1/logs', sent)).status).toBe(200);
    await until(async () => JSON.stringify(await services(owner, 'logs')) === '[["again",1],["other",1]]');
  }, 120_000);
});
