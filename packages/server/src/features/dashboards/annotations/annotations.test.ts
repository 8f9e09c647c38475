import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, newWorkspace, signUp } from '../../../testing/test-client.ts';
import { sharedTestServer } from '../../../testing/test-server.ts';

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
});
afterAll(() => world?.stop());

const path = (of: { workspace: string }) => `${of.workspace}/annotations`;
/** Absolute times: nothing depends on when the test runs. */
const at = (minute: number) => new Date(Date.UTC(2026, 0, 10, 12, minute)).toISOString();
const window = `from=${at(0)}&to=${at(59)}`;

describe('annotations that people write', () => {
  it('are listed in their window, latest first, page by page', async () => {
    const owner = await newWorkspace(ada, 'Written');
    const write = (minute: number, more: object = {}) =>
      owner.post(path(owner), { time: at(minute), text: `at ${minute}`, ...more });
    expect((await write(10, { tags: ['deploy', 'deploy'], project: 'default', service: 'cart' })).data).toMatchObject({
      ...{ kind: 'manual', time: at(10), end: null, tags: ['deploy'], project: 'default', service: 'cart' },
    });
    await write(20);
    await write(20);
    await owner.post(path(owner), { time: '2026-01-01', end: at(1), text: 'lasts' });
    await owner.post(path(owner), { time: '2026-01-01', text: 'long ago' });
    const texts = (answer: { data: { text: string }[] }) => answer.data.map(({ text }) => text);
    expect(texts(await owner.get(`${path(owner)}?${window}`))).toEqual(['at 20', 'at 20', 'at 10', 'lasts']);
    const seen: string[] = [];
    for (let cursor = ''; seen.length < 10; ) {
      const page = await owner.get(`${path(owner)}?${window}&limit=1${cursor}`);
      seen.push(...texts(page));
      if (page.json.meta.next_cursor === null) break;
      cursor = `&cursor=${page.json.meta.next_cursor}`;
    }
    expect(seen).toEqual(['at 20', 'at 20', 'at 10', 'lasts']);
    expect(texts(await owner.get(`${path(owner)}?${window}&service=ad`))).toEqual(['at 20', 'at 20', 'lasts']);
    expect(texts(await owner.get(`${path(owner)}?${window}&kind=flag`))).toEqual([]);
  });

  it('can be deleted once, and only in their workspace', async () => {
    const { data } = await ada.post(path(ada), { time: 'now', text: 'gone' });
    expect((await world.eve.del(`${path(world.eve)}/${data.id}`)).status).toBe(404);
    expect((await ada.del(`${path(ada)}/${data.id}`)).status).toBe(204);
    expect((await ada.del(`${path(ada)}/${data.id}`)).status).toBe(404);
    expect((await ada.del(`${path(ada)}/deploy-1`)).status).toBe(404);
  });

  it('are refused with an end before their time, an invalid time, and an invalid cursor', async () => {
    const write = (body: object) => ada.post(path(ada), { text: 'x', ...body });
    expect((await write({ time: at(10), end: at(9) })).status).toBe(400);
    expect((await write({ time: 'soon' })).status).toBe(400);
    const placeless = await write({ time: 'now', environment: 'production' });
    expect([placeless.status, placeless.json.error.details[0].path]).toEqual([422, 'environment']);
    expect((await write({ time: 'now', text: '  ' })).status).toBe(422);
    const cursor = (text: string) => Buffer.from(text).toString('base64url');
    for (const text of ['x', `${at(1)} x`, `2026-99-01T00:00:00.000Z ${newId(0)}`, `${at(1)} ${'-'.repeat(36)}`])
      expect((await ada.get(`${path(ada)}?cursor=${cursor(text)}`)).json.error.code, text).toBe('SVC-1009');
  });
});

describe('annotations that come by themselves', () => {
  it('are changes of flags and alerts, as far as the caller may read them', async () => {
    const owner = await newWorkspace(ada, 'Derived');
    await owner.post(`${owner.project}/flags`, { key: 'cart', name: 'Cart', kind: 'boolean' });
    const targeting = `${owner.project}/environments/production/flags/cart`;
    const on = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0, comment: 'go' };
    expect((await owner.put(targeting, on)).status).toBe(200);
    await owner.post(`${targeting}/ramp`, { variant: 'true', steps: [{ weight: 1, hold: '1h' }] });
    const rule = await owner.post(`${owner.workspace}/alert-rules`, {
      ...{ name: 'Slow', project: 'default', query: 'spans | stats value=count()', enabled: false },
      condition: { op: '>', threshold: 1 },
    });
    const { db } = await sharedTestServer();
    const instance = { id: newId(Date.now()), workspace_id: owner.workspaceId, rule_id: rule.data.id };
    await db
      .insertInto('alert_instances')
      .values({
        ...instance,
        ...{ identity: randomUUID(), labels: JSON.stringify({ 'service.name': 'cart' }), state: 'firing', value: 2 },
        ...{ active_since: null, fired_at: null, resolved_at: null, recovering_since: null, missed: 0, turns: '[]' },
        updated_at: new Date(),
      })
      .execute();
    for (const [from, to] of [
      ['inactive', 'pending'],
      ['pending', 'firing'],
    ] as const)
      await db
        .insertInto('alert_transitions')
        .values({
          ...{
            id: newId(Date.now()),
            workspace_id: owner.workspaceId,
            rule_id: rule.data.id,
            instance_id: instance.id,
          },
          ...{ at: new Date(), from_state: from, to_state: to, value: 2, reason: null },
        })
        .execute();
    const flag = await db
      .selectFrom('flags')
      .select('id')
      .where('key', '=', 'cart')
      .where('project_id', '=', owner.projectId)
      .executeTakeFirstOrThrow();
    const environments = await owner.get(`${owner.project}/environments`);
    const production = environments.data.find(({ key }: { key: string }) => key === 'production').id;
    const release = { id: newId(Date.now()) };
    await sql`INSERT INTO guarded_releases (id, flag_id, environment_id, definition, state, created_at, updated_at)
      VALUES (${release.id}, ${flag.id}, ${production}, '{}', 'rolled_back', now(), now())`.execute(db);
    for (const kind of ['look', 'rolled_back'])
      await sql`INSERT INTO guarded_release_events (id, release_id, at, run, look, kind, step, weight, reason)
        VALUES (${newId(Date.now())}, ${release.id}, now(), 1, 1, ${kind}, 0, 1000, 'more errors')`.execute(db);
    const list = async (client: typeof owner, query = '') =>
      (await client.get(`${path(owner)}?from=now-1h&to=now%2B5m${query}`)).data as Record<string, unknown>[];
    const kinds = (rows: Record<string, unknown>[]) => rows.map(({ kind }) => kind).sort();
    const all = await list(owner);
    expect(kinds(all)).toEqual(['alert', 'flag', 'ramp', 'rollback']);
    expect(all.find(({ kind }) => kind === 'rollback')).toMatchObject({
      flag: 'cart',
      text: 'cart: rolled back: more errors',
    });
    expect(all.find(({ kind }) => kind === 'flag')).toMatchObject({
      ...{ flag: 'cart', environment: 'production', project: 'default', text: 'cart: targeting changed: go' },
    });
    expect(all.find(({ kind }) => kind === 'alert')).toMatchObject({ service: 'cart', alert: { state: 'firing' } });
    expect(kinds(await list(owner, '&environment=development'))).toEqual(['alert']);
    expect(kinds(await list(owner, '&service=ad'))).toEqual(['flag', 'ramp', 'rollback']);
    expect(kinds(await list(owner, '&kind=ramp'))).toEqual(['ramp']);
    expect(kinds(await list(owner, '&flag=cart'))).toEqual(['flag', 'ramp', 'rollback']);
    expect(kinds(await list(owner, '&flag=cart&kind=alert'))).toEqual([]);
    expect(await list(owner, '&flag=other')).toEqual([]);
    expect(await list(owner, '&project=default&limit=2')).toHaveLength(2);

    const role = await owner.post(`${owner.workspace}/roles`, {
      name: 'Looks',
      permissions: ['dashboards:read', 'alerts:read'],
    });
    const looker = await signUp(world.base, 'looker');
    await addMember(owner, looker, role.data.id);
    expect(kinds(await list({ ...owner, ...looker, workspace: owner.workspace }))).toEqual(['alert']);
  });

  it('are new versions of services', async () => {
    const day = Date.UTC(2026, 10, 20, 12);
    const span = (minute: number, version: string) => ({
      ...{
        workspace: ada.numbers.workspace,
        project: ada.numbers.project,
        environment: 'production',
        retention_days: 3650,
      },
      ...{
        time: new Date(day + minute * 60_000).toISOString().replace('T', ' ').replace('Z', ''),
        service: 'annotated',
      },
      ...{ name: 'GET /', resource: { 'service.version': version } },
    });
    await world.insert('spans', [span(-30, '1'), span(5, '1'), span(10, '2')]);
    const of = `from=${new Date(day).toISOString()}&to=${new Date(day + 3_600_000).toISOString()}&kind=deploy`;
    const { data } = await ada.get(`${path(ada)}?${of}&project=default`);
    expect(data).toMatchObject([
      { kind: 'deploy', service: 'annotated', version: '2', environment: 'production', text: 'annotated 2' },
    ]);
    expect((await ada.get(`${path(ada)}?${of}&service=annotated`)).data).toHaveLength(1);
    expect((await world.eve.get(`${path(world.eve)}?${of}`)).data).toEqual([]);
    const many = Array.from({ length: 2_001 }, (_, i) => ({ ...span(1_500 + (i % 5), `many-${i}`), service: 'many' }));
    await world.insert('spans', many);
    const later = `from=${new Date(day + 90_000_000).toISOString()}&to=${new Date(day + 90_600_000).toISOString()}`;
    const cut = await ada.get(`${path(ada)}?${later}&kind=deploy&project=default`);
    expect([cut.data, cut.json.meta.warnings]).toEqual([
      [],
      ['deploys are left out: services have more than 2000 versions here; name a service, or a shorter window'],
    ]);
    const long = await ada.get(`${path(ada)}?from=now-30d&to=now&kind=deploy`);
    expect(long.json.meta.warnings).toEqual(['deploys are left out: the window is longer than 7 days']);
  });
});
