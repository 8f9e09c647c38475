import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoCommand } from '../../packages/demo/src/command/demo-command.ts';
import type { DemoCall } from '../../packages/demo/src/command/options.ts';
import { type TestClient, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

const account = { email: `demo-${randomUUID()}@fanion.example`, password: 'fanion-demo-shop' };

let server: TestServer;
let api: TestClient;
let workspace: string;

async function demo(given: DemoCall): Promise<string> {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const code = await demoCommand(
    { endpoint: server.base, once: true, ...account, ...given },
    {
      print: (line) => void lines.push(line),
      signal,
    },
  );
  expect(code, lines.join('\n')).toBe(0);
  return lines.join('\n');
}

beforeAll(async () => {
  server = await startTestServer();
  await demo({ backfill: '2m', 'backfill-rate': '20' });
  // Nothing may be there twice afterwards.
  await demo({ backfill: '0' });
  const answer = await testClient(server.base).post('/api/v1/auth/login', account);
  api = testClient(server.base, {
    cookie: answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; '),
  });
  const [{ slug }] = (await api.get('/api/v1/workspaces')).data;
  workspace = `/api/v1/workspaces/${slug}`;
});
afterAll(() => server?.stop());

describe('a demo that ran twice', () => {
  it.each([
    ['dashboards', ['Shop']],
    ['alert-rules', ['Payments are slow', 'Requests fail', 'Searches find nothing']],
    ['slos', ['Orders are placed', 'Product pages are fast']],
    ['channels', ['Nowhere']],
    ['projects/default/experiments', ['Hint at the wishlist', 'Two equal colours (A/A)']],
  ])('has set up its %s once', async (path, names) => {
    const found: { name: string }[] = (await api.get(`${workspace}/${path}`)).data;
    expect(found.map(({ name }) => name).sort()).toEqual(names);
  });

  it('has one silence, and one policy that routes to the channel', async () => {
    expect((await api.get(`${workspace}/silences`)).data).toMatchObject([
      { status: 'active', comment: expect.stringContaining('Paywise') },
    ]);
    const [channel] = (await api.get(`${workspace}/channels`)).data;
    const policies: { name: string; channels: string[] }[] = (await api.get(`${workspace}/routing-policies`)).data;
    expect(policies.filter(({ name }) => name === 'Shop')).toMatchObject([{ channels: [channel.id] }]);
  });

  it('has armed its guarded releases', async () => {
    for (const flag of ['image-cdn', 'search-box']) {
      const path = `${workspace}/projects/default/environments/production/flags/${flag}/guarded-release`;
      expect((await api.get(path)).data.state, flag).toMatch(/^(armed|monitoring)$/);
    }
  });

  it('answers every panel of its dashboard, and splits one by the variants of a flag', async () => {
    const [{ id }] = (await api.get(`${workspace}/dashboards`)).data;
    const read = async () => {
      const { text } = await api.post(`${workspace}/dashboards/${id}/data`, { from: 'now-1h', to: 'now' });
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    };
    await expect.poll(async () => JSON.stringify(await read())).toMatch(/"(true|false)"/);
    const lines = await read();
    expect(lines.filter((line) => line.error)).toEqual([]);
    const { panels } = (await api.get(`${workspace}/dashboards/${id}`)).data;
    expect(lines).toHaveLength(panels.filter((panel: { query?: string }) => panel.query !== undefined).length);
    const split = lines.find(({ panel }) => panel === 'checkout-variants');
    expect(JSON.stringify(split)).toMatch(/"true".*"false"|"false".*"true"/);
  });

  it('has alert rules whose queries return a number', async () => {
    for (const { query, name } of (await api.get(`${workspace}/alert-rules`)).data) {
      const answer = await api.post(`${workspace}/query`, { query, project: 'default', from: 'now-1h', to: 'now' });
      expect(typeof answer.data.rows[0]?.at(-1), name).toBe('number');
    }
  });
});
