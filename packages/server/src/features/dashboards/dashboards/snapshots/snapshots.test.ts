import { beforeAll, describe, expect, it } from 'vitest';
import { newWorkspace, type SignedUp, signUp } from '../../../../testing/test-client.ts';
import { sharedTestServer } from '../../../../testing/test-server.ts';
import { frozen } from './frozen-data.ts';
import { createSnapshotService } from './service.ts';
import { deleteExpired, findSnapshotData } from './store.ts';

const hour = 3_600_000;
const panel = (id: string, query: string) => ({ id, type: 'table', title: id, query, x: 0, y: 0, w: 12, h: 8 });

describe('the data of a snapshot', () => {
  async function* lines(...texts: string[]) {
    yield* texts;
  }
  it('is compressed', async () => {
    expect((await frozen(lines('x'.repeat(1_000)), 1_000))?.byteLength).toBeLessThan(100);
  });
  it('is refused when it is too large', async () => {
    expect(await frozen(lines('12345', '67890', '1'), 10)).toBeUndefined();
  });
});

describe('snapshots of dashboards', () => {
  let server: Awaited<ReturnType<typeof sharedTestServer>>;
  let ada: SignedUp;
  beforeAll(async () => {
    server = await sharedTestServer();
    ada = await signUp(server.base, 'ada');
  });

  const path = (of: SignedUp) => `${of.workspace}/dashboard-snapshots`;
  async function dashboard(of: SignedUp, query = 'spans | stats n=count()') {
    const made = await of.post(`${of.workspace}/dashboards`, {
      ...{ name: 'Shop', project: 'default', panels: [panel('good', query), panel('bad', 'spans | wher')] },
      variables: [{ name: 'service', type: 'text' }],
    });
    expect(made.status, made.text).toBe(201);
    return made.data;
  }
  async function taken(of: SignedUp, more: object = {}) {
    const { id } = await dashboard(of);
    const made = await of.post(`${of.workspace}/dashboards/${id}/snapshots`, more);
    expect(made.status, made.text).toBe(201);
    return made.data;
  }
  const dataOf = async (of: SignedUp, id: string) => {
    const { text, status } = await of.get(`${path(of)}/${id}/data`);
    expect(status, text).toBe(200);
    const parsed = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    return new Map(parsed.map((line) => [line.panel, line]));
  };

  it('keep model, variables, window and answers when the dashboard changes or is gone', async () => {
    const variables = { service: 'checkout' };
    const made = await taken(ada, {
      from: 'now-2h',
      to: 'now-1h',
      variables,
      name: 'Incident',
      environment: 'production',
    });
    expect(made).toMatchObject({
      name: 'Incident',
      version: 1,
      variables,
      environment: 'production',
      project: 'default',
    });
    expect(Date.parse(made.to) - Date.parse(made.from)).toBeGreaterThanOrEqual(hour);
    const before = await dataOf(ada, made.id);
    expect(before.get('good')).toMatchObject({ rows: [[0]] });
    expect(before.get('bad')).toMatchObject({ error: { code: 'SVC-5001' } });
    expect((await ada.del(`${ada.workspace}/dashboards/${made.dashboard}`)).status).toBe(204);
    expect(await dataOf(ada, made.id)).toEqual(before);
    const after = (await ada.get(`${path(ada)}/${made.id}`)).data;
    expect(after).toEqual({ ...made, dashboard: null });
    expect(after.model.panels).toHaveLength(2);
  });

  it('keep the key of an environment that is named by its id', async () => {
    const { data } = await ada.get(`${ada.project}/environments`);
    const production = data.find(({ key }: { key: string }) => key === 'production');
    const made = await taken(ada, { environment: production.id });
    expect(made.environment).toBe('production');
    // A snapshot of an environment that does not exist is gone.
    expect((await ada.get(`${path(ada)}/${made.id}`)).status).toBe(200);
  });

  it('are listed newest first, by dashboard, and deleted', async () => {
    const owner = await newWorkspace(ada, 'Listed snapshots');
    const [one, two] = [await taken(owner), await taken(owner)];
    const ids = async (query = '') =>
      (await owner.get(`${path(owner)}?${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([two.id, one.id]);
    expect(await ids(`dashboard=${one.dashboard}`)).toEqual([one.id]);
    expect((await owner.get(`${path(owner)}?dashboard=nothing`)).status).toBe(404);
    expect((await owner.del(`${path(owner)}/${two.id}`)).status).toBe(204);
    expect((await owner.get(`${path(owner)}/${two.id}`)).status).toBe(404);
    expect(await ids()).toEqual([one.id]);
    const audit = (await owner.get(`/api/v1/audit?workspace=${owner.workspaceId}&action=dashboard_snapshots.remove`))
      .data;
    expect(audit).toMatchObject([{ resource: { id: two.id } }]);
  });

  it('are unknown in another workspace', async () => {
    const { id } = await taken(ada);
    const other = await newWorkspace(ada, 'Other snapshots');
    for (const answer of [
      await other.get(`${path(other)}/${id}`),
      await other.get(`${path(other)}/${id}/data`),
      await other.del(`${path(other)}/${id}`),
    ])
      expect(answer.status).toBe(404);
    expect((await ada.get(`${path(ada)}/${id}`)).status).toBe(200);
  });

  it('cannot be read from the moment they expire, and are removed then', async () => {
    const { id } = await taken(ada, { expires_in_days: 1 });
    const workspace = { id: ada.workspaceId, number: 1, slug: ada.slug, name: '' };
    const limits = { perWorkspace: 10, bytes: 1_000, days: 10 };
    const at = (ms: number) => ({ now: () => Date.now() + ms });
    const soon = createSnapshotService({ db: server.db, clock: at(23 * hour), limits });
    expect(await soon.find(workspace, id)).toMatchObject({ id });
    const late = createSnapshotService({ db: server.db, clock: at(25 * hour), limits });
    await expect(late.find(workspace, id)).rejects.toThrow('snapshot');
    await expect(late.data(workspace, id)).rejects.toThrow('snapshot');
    const stored = () => findSnapshotData(server.db, ada.workspaceId, id, new Date(0));
    expect(await stored()).toBeDefined();
    expect(await deleteExpired(server.db, new Date(Date.now() + 25 * hour))).toBeGreaterThanOrEqual(1);
    expect(await stored()).toBeUndefined();
  });

  it('are limited in number and time', async () => {
    const owner = await newWorkspace(ada, 'Limited snapshots');
    const { id } = await dashboard(owner);
    const long = await owner.post(`${owner.workspace}/dashboards/${id}/snapshots`, { expires_in_days: 91 });
    expect(long.json.error).toMatchObject({ code: 'SVC-7201', message: expect.stringContaining('90 days') });
    await taken(owner);
    const workspace = { id: owner.workspaceId, number: 1, slug: owner.slug, name: '' };
    const full = createSnapshotService({
      ...{ db: server.db, clock: { now: Date.now }, limits: { perWorkspace: 1, bytes: 1_000, days: 10 } },
    });
    await expect(full.refuseEarly(workspace, 1)).rejects.toThrow('1 snapshots');
  });

  it('need the permission to query when they are made, and when their data is read', async () => {
    const { id, dashboard: of } = await taken(ada);
    const reader = await ada.token(['dashboards:read', 'dashboards:write'], {});
    const as = (method: string, url: string) =>
      fetch(server.base + url, {
        method,
        headers: { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
    expect((await as('GET', `${path(ada)}/${id}/data`)).status).toBe(403);
    expect((await as('GET', `${path(ada)}/${id}`)).status).toBe(200);
    expect((await as('POST', `${ada.workspace}/dashboards/${of}/snapshots`)).status).toBe(403);
  });
});
