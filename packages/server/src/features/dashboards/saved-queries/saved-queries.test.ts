import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, type SignedUp, signUp, testClient, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let ada: SignedUp;
beforeAll(async () => {
  server = await startTestServer();
  ada = await signUp(server.base, 'ada');
});
afterAll(() => server?.stop());

describe('saved queries', () => {
  const path = () => `${ada.workspace}/saved-queries`;

  it('are stored unchanged', async () => {
    const query = 'spans | stats n=count() by service.name';
    const input = {
      name: 'Load',
      query,
      from: 'now-6h',
      to: 'now',
      tags: ['red', 'red', 'oncall'],
      project: 'default',
    };
    const { status, data } = await ada.post(path(), input);
    expect(status).toBe(201);
    expect(data).toMatchObject({ ...input, tags: ['red', 'oncall'], description: '', created_by: { id: ada.userId } });
    expect((await ada.get(path())).data).toEqual([data]);
  });

  it('keep their language, and are checked in it', async () => {
    const query = 'sum by (job) (rate(requests_total[5m]))';
    const bob = await signUp(server.base, 'bob');
    const own = `${bob.workspace}/saved-queries`;
    const { status, data } = await bob.post(own, { name: 'Rates', query, query_language: 'promql' });
    expect([status, data.query, data.query_language]).toEqual([201, query, 'promql']);
    await bob.post(own, { name: 'All', query: 'logs' });
    const { data: saved } = await bob.get(own);
    expect(saved.map((one: { query_language: string }) => one.query_language)).toEqual(['oql', 'promql']);
    const bad = await bob.post(own, { name: 'x', query: 'logs | limit 1', query_language: 'promql' });
    expect([bad.status, bad.json.error.code]).toEqual([422, 'SVC-5011']);
    await bob.post(`${bob.workspace}/query`, { query, query_language: 'promql' });
    const run = await until(async () => (await bob.get(`${bob.workspace}/query-history`)).data[0]);
    expect(run).toMatchObject({ query, query_language: 'promql', status: 'ok' });
  });

  it('are found by text, tag and project', async () => {
    await ada.post(path(), { name: 'Errors', query: 'logs | where severity >= error', tags: ['logs'] });
    const found = async (query: string) =>
      (await ada.get(`${path()}?${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await found('')).toEqual(['Errors', 'Load']);
    expect(await found('search=SEVERITY')).toEqual(['Errors']);
    expect(await found('search=100%25')).toEqual([]);
    expect(await found('tag=oncall')).toEqual(['Load']);
    expect(await found('project=default')).toEqual(['Load']);
  });

  it('are listed page by page', async () => {
    const first = await ada.get(`${path()}?limit=1`);
    const second = await ada.get(`${path()}?limit=1&cursor=${first.json.meta.next_cursor}`);
    expect([first, second].map(({ data }) => data[0].name)).toEqual(['Errors', 'Load']);
    expect(second.json.meta.next_cursor).toBeNull();
  });

  it('must be valid queries with a valid window', async () => {
    const bad = await ada.post(path(), { name: 'x', query: 'lgos | limit 1' });
    expect(bad.status).toBe(422);
    expect(bad.json.error.code).toBe('SVC-5001');
    expect(bad.json.error.details[0]).toMatchObject({ path: 'query', severity: 'error' });
    expect((await ada.post(path(), { name: 'x', query: 'logs', from: 'yesterday' })).status).toBe(400);
  });

  it('can be deleted once', async () => {
    const { data } = await ada.post(path(), { name: 'Gone', query: 'logs' });
    expect((await ada.del(`${path()}/${data.id}`)).status).toBe(204);
    expect((await ada.del(`${path()}/${data.id}`)).status).toBe(404);
    expect((await ada.del(`${path()}/not-an-id`)).status).toBe(404);
  });
});

describe('the history of queries', () => {
  const path = () => `${ada.workspace}/query-history`;
  const runs = async (query = '') => (await ada.get(`${path()}?${query}`)).data as Record<string, unknown>[];

  it('lists runs and their outcomes', async () => {
    await ada.post(`${ada.workspace}/query`, { query: 'spans | stats n=count()', project: 'default' });
    await ada.post(`${ada.workspace}/query`, { query: 'spans | stats n=coutn()' });
    const [failed, good] = await until(async () => ((await runs()).length === 2 ? runs() : undefined));
    expect(good).toMatchObject({
      query: 'spans | stats n=count()',
      project: 'default',
      status: 'ok',
      error: null,
      rows: 1,
      user: { id: ada.userId, name: 'ada' },
      token: null,
    });
    expect(Date.parse(String(good?.to)) - Date.parse(String(good?.from))).toBe(3_600_000);
    expect(failed).toMatchObject({ status: 'failed', error: 'SVC-5001', from: null, rows: 0 });
    expect(await runs('status=failed')).toEqual([failed]);
    expect(await runs('search=COUNT()')).toEqual([good]);
  });

  it("shows the caller's runs, and everybody's with audit:read", async () => {
    const bob = await signUp(server.base, 'bob');
    const role = await ada.post(`${ada.workspace}/roles`, { name: 'Asking', permissions: ['telemetry:query'] });
    await addMember(ada, bob, role.data.id);
    await bob.post(`${ada.workspace}/query`, { query: 'logs | limit 1' });
    await until(async () => (await runs('everyone=true')).length === 3);
    expect(await runs()).toHaveLength(2);
    const own = await bob.get(path());
    expect(own.data.map(({ query }: { query: string }) => query)).toEqual(['logs | limit 1']);
    const refused = await bob.get(`${path()}?everyone=true`);
    expect(refused.json.error.message).toBe('permission denied: audit:read required');
  });

  it('shows a token only its own runs', async () => {
    const program = testClient(server.base, { bearer: await ada.token(['telemetry:query'], {}) });
    expect((await program.get(path())).data).toEqual([]);
    await program.post(`${ada.workspace}/query`, { query: 'logs | limit 2' });
    const answer = await until(async () => {
      const { data } = await program.get(path());
      return data.length > 0 ? data : undefined;
    });
    expect(answer).toEqual([expect.objectContaining({ query: 'logs | limit 2', token: expect.anything() })]);
  });
});
