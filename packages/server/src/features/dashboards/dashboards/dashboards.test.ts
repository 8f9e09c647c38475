import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let ada: SignedUp;
beforeAll(async () => {
  server = await startTestServer();
  ada = await signUp(server.base, 'ada');
});
afterAll(() => server?.stop());

const panels = (title: string) => [{ id: 'a', type: 'stat', title, query: 'spans | count', x: 0, y: 0, w: 12, h: 8 }];
const path = (of: SignedUp) => `${of.workspace}/dashboards`;
async function created(of: SignedUp, more: object = {}) {
  const answer = await of.post(path(of), { name: 'Shop', panels: panels('Requests'), ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.data;
}

describe('dashboards', () => {
  it('are stored with their defaults, and listed by text, tag and project', async () => {
    const owner = await newWorkspace(ada, 'Listed');
    const one = await created(owner, {
      project: 'default',
      environment: 'production',
      tags: ['red'],
      comment: 'first',
    });
    expect(one).toMatchObject({
      ...{ version: 1, project: 'default', environment: 'production', source: null, schema_version: 1 },
      ...{ time: { from: 'now-1h', to: 'now', refresh: 'off', time_zone: 'browser' }, variables: [], links: [] },
      created_by: { id: ada.userId },
    });
    expect((await owner.get(`${path(owner)}/${one.id}`)).data).toEqual(one);
    await created(owner, { name: 'Hosts' });
    const found = async (query: string) =>
      (await owner.get(`${path(owner)}?${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await found('')).toEqual(['Hosts', 'Shop']);
    expect(await found('search=HOST')).toEqual(['Hosts']);
    expect(await found('tag=red')).toEqual(['Shop']);
    expect(await found('project=default')).toEqual(['Shop']);
    expect(await found('environment=production')).toEqual(['Shop']);
    const first = await owner.get(`${path(owner)}?limit=1`);
    expect((await owner.get(`${path(owner)}?cursor=${first.json.meta.next_cursor}`)).data[0].name).toBe('Shop');
  });

  it('do not make a version of a save that changes nothing', async () => {
    const { id } = await created(ada);
    const same = await ada.put(`${path(ada)}/${id}`, { name: 'Shop', panels: panels('Requests'), version: 1 });
    expect(same.data.version).toBe(1);
    expect((await ada.get(`${path(ada)}/${id}/versions`)).data).toHaveLength(1);
  });

  it('are saved with warnings about what they will not show', async () => {
    const none = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';
    const at = { x: 0, y: 8, w: 12, h: 8 };
    const broken = [
      { id: 'x', type: 'table', title: 'Broken', query: 'spans | wher x', ...at },
      { id: 'y', type: 'slo', title: 'Foreign', slo: none, ...at },
      { id: 'z', type: 'experiment', title: 'Gone', experiment: none, ...at },
    ];
    const answer = await ada.post(path(ada), { name: 'Broken', panels: [...panels('Requests'), ...broken] });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.meta.warnings).toEqual([
      expect.stringMatching(/^The panel "Broken" has an invalid query: /),
      `The panel "Foreign" names an SLO that does not exist: ${none}`,
      `The panel "Gone" names an experiment that does not exist: ${none}`,
    ]);
    const fixed = await ada.put(`${path(ada)}/${answer.data.id}`, { name: 'Broken', panels: panels('x'), version: 1 });
    expect(fixed.json.meta.warnings).toEqual([]);
  });

  it('are saved with warnings about flags that do not exist', async () => {
    const owner = await newWorkspace(ada, 'Flags of panels');
    await owner.post(`${owner.workspace}/projects`, { key: 'other', name: 'Other' });
    await owner.post(`${owner.workspace}/projects/other/flags`, {
      key: 'elsewhere',
      name: 'Elsewhere',
      kind: 'boolean',
    });
    await owner.post(`${owner.project}/flags`, { key: 'new-cart', name: 'New cart', kind: 'boolean' });
    const panel = (title: string, more: object) => ({ ...panels(title)[0], id: title, title, ...more });
    const splits = ['new-cart', 'new-car', 'elsewhere', '$flag'].map((flag) =>
      panel(flag.replace('$', ''), { split: { flag } }),
    );
    const rollout = (title: string, project: string, environment: string, key: string) =>
      panel(title, { type: 'flag_rollout', query: undefined, flag: { project, environment, key } });
    const body = {
      name: 'Flags',
      panels: [
        ...splits,
        rollout('known', 'other', 'production', 'elsewhere'),
        rollout('unknown', 'default', 'production', 'elsewhere'),
        rollout('nowhere', 'default', 'staging', 'new-cart'),
      ],
      variables: [{ name: 'flag', type: 'flag', default: 'gone' }],
    };
    const unsplit = (title: string, flag: string) =>
      `The panel "${title}" is split by a flag that does not exist: ${flag}. It shows only evaluations that were sent over OTLP`;
    const rollouts = [
      'The panel "unknown" names a flag that does not exist: elsewhere in the project default',
      'The panel "nowhere" names an environment that does not exist: staging in the project default',
    ];
    const inProject = await owner.post(path(owner), { ...body, project: 'default' });
    expect(inProject.status, inProject.text).toBe(201);
    expect(inProject.json.meta.warnings).toEqual([
      unsplit('new-car', 'new-car'),
      unsplit('elsewhere', 'elsewhere'),
      unsplit('flag', 'gone'),
      ...rollouts,
    ]);
    const inAll = await owner.post(path(owner), body);
    expect(inAll.json.meta.warnings).toEqual([unsplit('new-car', 'new-car'), unsplit('flag', 'gone'), ...rollouts]);
  });

  it('refuse a stale save, and say what changed since', async () => {
    const { id } = await created(ada);
    await ada.put(`${path(ada)}/${id}`, { name: 'Shop', panels: panels('Traffic'), version: 1, comment: 'renamed' });
    const stale = await ada.put(`${path(ada)}/${id}`, { name: 'Mine', panels: [], version: 1 });
    expect(stale.status).toBe(409);
    expect(stale.json.error.details).toMatchObject([
      { path: 'version', current: 2 },
      { path: 'panels.a.title', kind: 'changed', before: 'Requests', after: 'Traffic' },
    ]);
    expect((await ada.get(`${path(ada)}/${id}`)).data.name).toBe('Shop');
  });

  it('keep one of two saves that are based on the same version', async () => {
    const { id } = await created(ada);
    const save = (name: string) => ada.put(`${path(ada)}/${id}`, { name, panels: [], version: 1 });
    const statuses = (await Promise.all([save('One'), save('Two')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
  });

  it('list versions, show what one changed, and go back to one as a new version', async () => {
    const { id } = await created(ada, { variables: [{ name: 'a', type: 'text' }], comment: 'first' });
    const item = `${path(ada)}/${id}`;
    await ada.put(item, { name: 'Shop', panels: panels('Traffic'), version: 1 });
    const { data: versions } = await ada.get(`${item}/versions`);
    expect(versions).toMatchObject([
      { version: 2, comment: null, author: { id: ada.userId } },
      { version: 1, comment: 'first' },
    ]);
    const second = await ada.get(`${item}/versions/2`);
    expect(second.data.against).toBe(1);
    expect(second.data.changes.map(({ path }: { path: string }) => path).sort()).toEqual([
      'panels.a.title',
      'variables.a',
    ]);
    expect((await ada.get(`${item}/versions/1?against=2`)).data.changes).toHaveLength(2);
    const back = await ada.post(`${item}/versions/1/rollback`);
    expect(back.data).toMatchObject({ version: 3, panels: [{ title: 'Requests' }], variables: [{ name: 'a' }] });
    expect((await ada.get(`${item}/versions`)).data[0]).toMatchObject({ version: 3, comment: 'Back to version 1' });
    for (const version of ['0', '9', 'x', '99999999999'])
      expect((await ada.get(`${item}/versions/${version}`)).status, version).toBe(404);
    const page = await ada.get(`${item}/versions?limit=2`);
    expect((await ada.get(`${item}/versions?cursor=${page.json.meta.next_cursor}`)).data).toHaveLength(1);
  });

  it('can be deleted once, and are gone with their project', async () => {
    const owner = await newWorkspace(ada, 'Removed');
    const { id } = await created(owner);
    expect((await owner.del(`${path(owner)}/${id}`)).status).toBe(204);
    expect((await owner.del(`${path(owner)}/${id}`)).status).toBe(404);
    const { data: project } = await owner.post(`${owner.workspace}/projects`, { name: 'Gone' });
    const of = await created(owner, { project: project.key });
    await owner.del(`${owner.workspace}/projects/${project.key}?confirm=${project.key}`);
    expect((await owner.get(`${path(owner)}/${of.id}`)).status).toBe(404);
    expect((await owner.get(path(owner))).data).toEqual([]);
  });

  it('are invisible to another workspace', async () => {
    const { id } = await created(ada);
    const eve = await signUp(server.base, 'eve');
    const item = `${path(eve)}/${id}`;
    const tries = [
      eve.get(item),
      eve.put(item, { name: 'x', panels: [], version: 1 }),
      eve.del(item),
      eve.post(`${item}/data`),
      eve.get(`${item}/versions`),
      eve.post(`${item}/versions/1/rollback`),
    ];
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(404);
  });

  it('are refused with 422 when they are wrong', async () => {
    const wrong = await ada.post(path(ada), { name: 'x', panels: [...panels('a'), ...panels('b')] });
    expect([wrong.status, wrong.json.error.code]).toEqual([422, 'SVC-7100']);
    const type = await ada.post(path(ada), { name: 'x', panels: [{ ...panels('a')[0], type: 'hologram' }] });
    expect([type.status, type.json.error.details[0].path]).toEqual([422, 'panels.0.type']);
    expect((await ada.post(path(ada), { name: 'x', panels: [], time: { from: 'yesterday' } })).status).toBe(400);
  });

  it('are imported from Grafana with as many panels as can be saved, and from nothing else', async () => {
    for (const grafana of [{}, { kind: 'Pod', spec: { containers: [] } }]) {
      const { status, json } = await ada.post(`${path(ada)}/convert`, { grafana });
      expect([status, json.error.code]).toEqual([422, 'SVC-7103']);
    }
    const texts = Array.from({ length: 1_000 }, (_, id) => ({ id, type: 'text', title: 'Notes' }));
    const { data } = await ada.post(`${path(ada)}/convert`, { grafana: { title: 'Node', panels: texts } });
    expect(data.report.at(-1)).toMatchObject({ what: 'dashboard', losses: ['800 panels beyond 200'] });
    expect((await ada.post(path(ada), data.model)).status).toBe(201);
  });

  it('are imported from a URL by those who may write, from allowed addresses', async () => {
    const reader = await signUp(server.base, 'reader');
    const { data: roles } = await ada.get(`${ada.workspace}/roles`);
    await addMember(ada, reader, roles.find(({ key }: { key: string }) => key === 'viewer').id);
    const url = 'http://127.0.0.1:9/dashboard.json';
    const { status, json } = await ada.post(`${path(ada)}/convert`, { url });
    const message = 'the address is not allowed: a loopback address (FANION_EGRESS_ALLOW opens ranges)';
    expect([status, json.error]).toMatchObject([422, { code: 'SVC-7104', details: [{ path: 'url', message }] }]);
    const refused = await reader.post(`${path(ada)}/convert`, { url });
    expect([refused.status, refused.json.error.message]).toEqual([403, expect.stringContaining('dashboards:write')]);
    expect((await reader.post(`${path(ada)}/convert`, { grafana: { panels: [] } })).status).toBe(200);
    for (const body of [{}, { url, grafana: {} }]) {
      const { json } = await ada.post(`${path(ada)}/convert`, body);
      expect(json.error.message).toContain('needs either grafana or url');
    }
  });

  it('need dashboards:write to change, and telemetry:query where their panels read', async () => {
    const viewer = await signUp(server.base, 'viewer');
    const { data: roles } = await ada.get(`${ada.workspace}/roles`);
    await addMember(ada, viewer, roles.find(({ key }: { key: string }) => key === 'viewer').id);
    const { id } = await created(ada);
    expect((await viewer.get(`${path(ada)}/${id}`)).status).toBe(200);
    expect((await viewer.put(`${path(ada)}/${id}`, { name: 'x', panels: [], version: 1 })).status).toBe(403);
    const { data: role } = await ada.post(`${ada.workspace}/roles`, {
      name: 'Looks',
      permissions: ['dashboards:read'],
    });
    const looker = await signUp(server.base, 'looker');
    await addMember(ada, looker, role.id);
    expect((await looker.get(`${path(ada)}/${id}`)).status).toBe(200);
    const data = await looker.post(`${path(ada)}/${id}/data`);
    expect([data.status, data.json.error.message]).toEqual([403, 'permission denied: telemetry:query required']);
  });
});
