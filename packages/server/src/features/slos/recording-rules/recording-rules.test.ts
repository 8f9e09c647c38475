import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, signUp, testClient } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const rule = {
  name: 'shop.requests',
  project: 'default',
  query: 'spans | stats value=count() by service.name',
  every: '1m',
};
const path = () => `${world.ada.workspace}/recording-rules`;

describe('recording rules', () => {
  it('are kept as they were written, and replaced by version', async () => {
    const { status, data } = await world.ada.post(path(), { ...rule, labels: { team: 'shop' }, unit: '1' });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      ...rule,
      offset: null,
      effective_offset: '1s',
      labels: { team: 'shop' },
      group: 'default',
      position: 0,
      enabled: true,
      version: 1,
      revision: 1,
      missed: 0,
      last_error: null,
      backfill: null,
      created_by: { id: world.ada.userId },
    });
    const one = `${path()}/${data.id}`;
    expect((await world.ada.get(one)).data).toMatchObject({ id: data.id, revision: 1 });
    const moved = await world.ada.put(one, { ...rule, labels: { team: 'shop' }, unit: '1', position: 2, version: 1 });
    expect(moved.data).toMatchObject({ version: 2, revision: 1, position: 2 });
    const changed = await world.ada.put(one, { ...rule, query: 'spans | count', version: 2 });
    expect(changed.data).toMatchObject({ version: 3, revision: 2, labels: {} });
    const stale = await world.ada.put(one, { ...rule, version: 1 });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
    expect((await world.ada.get(`${path()}?search=shop.req`)).data.map(({ id }: { id: string }) => id)).toContain(
      data.id,
    );
    expect((await world.ada.del(one)).status).toBe(204);
    expect((await world.ada.get(one)).status).toBe(404);
  });

  it.each([
    ['a query that does not compile', { query: 'spans | wher x == 1' }, 'SVC-5001', /where/],
    ['a query of single rows', { query: 'logs | limit 5' }, 'SVC-5001', /single rows/],
    ['a query by time', { query: 'spans | stats n=count() by bucket(1m)' }, 'SVC-5001', /groups by time/],
    ['a query of several numbers', { query: 'spans | stats a=count(), b=count()' }, 'SVC-7051', /several numbers/],
    ['a query without a number', { query: 'spans | stats value=any(name)' }, 'SVC-7051', /no number/],
    [
      'a rule that reads what it writes',
      { query: 'metric shop.requests | stats value=max(value)' },
      'SVC-7051',
      /reads the metric/,
    ],
    ['a label that is a group too', { labels: { 'service.name': 'x' } }, 'SVC-7051', /both name service.name/],
    ['a step that is too short', { every: '0s' }, 'SVC-7051', /every must be from 1s to 1d/],
    ['a name that Prometheus keeps for itself', { name: 'ALERTS' }, 'SVC-7051', /ALERTS is reserved/],
    ['an offset that is too long', { offset: '2h' }, 'SVC-7051', /offset must be at most 1h/],
    ['a past that is in the future', { backfill_from: 'now+1h' }, 'SVC-7051', /backfill_from is in the future/],
    ['a name that is no metric', { name: '1 metric' }, 'SVC-1002', /metric name/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await world.ada.post(path(), { ...rule, ...changes });
    expect(answer.status).toBe(422);
    expect(answer.json.error.code).toBe(code);
    expect(answer.json.error.message).toMatch(message);
    const preview = await world.ada.post(`${path()}/preview`, { ...rule, ...changes });
    expect([preview.status, preview.json.error.code]).toEqual([422, code]);
  });

  it('refuse rules that feed each other, write the same or take the name of an ingested metric, and show the graph', async () => {
    const reading = (metric: string) => `metric ${metric} | stats value=max(value)`;
    const named = (name: string, query: string) => ({ ...rule, name, query });
    const one = await world.ada.post(path(), named('loop.a', reading('loop.b')));
    const two = await world.ada.post(path(), named('loop.b', reading('loop.c')));
    expect([one.status, two.status]).toEqual([201, 201]);
    const third = named('loop.c', reading('loop.a'));
    const refused = await world.ada.post(path(), third);
    expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-7051']);
    expect(refused.json.error.message).toMatch(/loop\.c reads loop\.a reads loop\.b reads loop\.c/);
    expect(refused.json.error.details).toEqual([
      {
        path: 'query',
        message: expect.any(String),
        graph: [
          { rule: null, name: 'loop.c', environment: null, reads: ['loop.a'] },
          { rule: one.data.id, name: 'loop.a', environment: null, reads: ['loop.b'] },
          { rule: two.data.id, name: 'loop.b', environment: null, reads: ['loop.c'] },
        ],
      },
    ]);
    expect((await world.ada.post(`${path()}/preview`, third)).status).toBe(422);
    const replaced = await world.ada.put(`${path()}/${two.data.id}`, {
      ...named('loop.b', reading('loop.a')),
      project: undefined,
      version: 1,
    });
    expect([replaced.status, replaced.json.error.code]).toEqual([422, 'SVC-7051']);
    const taken = await world.ada.post(path(), named('loop.a', 'spans | stats value=count()'));
    expect(taken.json.error.message).toMatch(/already written by another recording rule/);
    expect(taken.json.error.details[0].graph).toEqual([
      { rule: one.data.id, name: 'loop.a', environment: null, reads: [] },
    ]);
    const both = await Promise.all([
      world.ada.post(path(), named('pair.a', reading('pair.b'))),
      world.ada.post(path(), named('pair.b', reading('pair.a'))),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    await world.insert('metric_series', [
      {
        ...{ workspace: world.ada.numbers.workspace, project: world.ada.numbers.project, environment: 'production' },
        ...{ retention_days: 30, day: new Date().toISOString().slice(0, 10), metric: 'ingested.size', series: 1 },
      },
    ]);
    const ingested = await world.ada.post(path(), named('ingested.size', 'spans | stats value=count()'));
    expect(ingested.json.error.message).toMatch(/a metric that the project ingests/);
  });

  it('preview what they would write, and write nothing', async () => {
    const hour = 3_600_000;
    const thisHour = Math.floor(Date.now() / hour) * hour;
    const spans = (service: string, count: number, at: number) =>
      Array.from({ length: count }, () => ({
        ...{ workspace: world.ada.numbers.workspace, project: world.ada.numbers.project, environment: 'production' },
        time: new Date(at).toISOString().replace('T', ' ').replace('Z', ''),
        ...{ retention_days: 30, service, name: 'GET /' },
      }));
    // The step that is due is the hour before the last; if the hour changes meanwhile, the last one.
    const before = [-1, -2].map((hours) => thisHour + hours * hour + 1);
    await world.insert(
      'spans',
      before.flatMap((at) => [...spans('previewed', 3, at), ...spans('beside', 1, at)]),
    );
    const draft = {
      ...rule,
      query: 'spans | where service.name in ("previewed", "beside") | stats value=count() by service.name',
      ...{ every: '1h', offset: '1h', labels: { team: 'shop' } },
    };
    const { status, data, json } = await world.ada.post(`${path()}/preview`, draft);
    expect(status, JSON.stringify(json)).toBe(200);
    expect(data.steps.map(({ complete }: { complete: boolean }) => complete)).toEqual([true, false]);
    expect(data.steps[0]).toMatchObject({
      series: 2,
      points: [
        { labels: { 'service.name': 'beside', team: 'shop' }, value: 1 },
        { labels: { 'service.name': 'previewed', team: 'shop' }, value: 3 },
      ],
    });
    expect(data.cost.rows_read).toBeGreaterThan(0);
    expect((await world.ada.get(`${path()}?search=previewed`)).data).toEqual([]);
  });

  it('preview a change of themselves, in the place in which they are', async () => {
    const draft = { ...rule, name: 'previewed.again' };
    const { data: saved } = await world.ada.post(path(), draft);
    const preview = (changes: object) => world.ada.post(`${path()}/preview`, { ...draft, ...changes });
    expect((await preview({})).json.error.message).toMatch(/already written by another recording rule/);
    expect((await preview({ replaces: saved.id })).status).toBe(200);
    const moved = await preview({ replaces: saved.id, environment: 'production' });
    expect(moved.json.error.message).toMatch(/the environment cannot change/);
    const unknown = await preview({ replaces: '01890000-0000-7000-8000-000000000000' });
    expect([unknown.status, unknown.json.error.code]).toEqual([404, 'SVC-6001']);
  });

  it('need the permission to read what they read, and do not exist elsewhere', async () => {
    const role = await world.ada.post(`${world.ada.workspace}/roles`, {
      name: 'recording only',
      permissions: ['dashboards:read', 'dashboards:write'],
    });
    const bob = await signUp(world.base, 'bob');
    await addMember(world.ada, bob, role.data.id);
    const client = testClient(world.base, { cookie: bob.cookie });
    const refused = await client.post(path(), rule);
    expect([refused.status, refused.json.error.message]).toEqual([403, 'permission denied: telemetry:query required']);
    const { data } = await world.ada.post(path(), rule);
    expect((await client.get(`${path()}/${data.id}`)).status).toBe(200);
    expect((await client.post(`${path()}/preview`, rule)).status).toBe(403);
    expect((await client.del(`${path()}/${data.id}`)).status).toBe(403);
    expect((await world.eve.get(`${world.eve.workspace}/recording-rules/${data.id}`)).status).toBe(404);
  });
});
