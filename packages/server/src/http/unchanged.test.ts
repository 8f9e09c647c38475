import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newWorkspace, type SignedUp, signUp } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const metric = { kind: 'conversion', source: 'logs | where body == "x"', unit: 'user.id', direction: 'up_is_good' };

/** How to make a document, by its resource: the path of the document. */
const documents: Record<string, (user: SignedUp) => Promise<string>> = {
  workspace: async (user) => user.workspace,
  project: async (user) => user.project,
  environment: async (user) => `${user.project}/environments/production`,
  role: (user) => made(user, `${user.workspace}/roles`, { name: 'Readers', permissions: ['flags:read'] }),
  'alert rule': (user) =>
    made(user, `${user.workspace}/alert-rules`, {
      name: 'Many spans',
      project: user.projectId,
      query: 'spans | stats value=count()',
      condition: { op: '>', threshold: 1 },
      every: '1m',
    }),
  'inhibition rule': (user) =>
    made(user, `${user.workspace}/inhibition-rules`, {
      name: 'Page over ticket',
      source: [{ name: 'severity', op: '=', value: 'page' }],
      target: [{ name: 'severity', op: '=', value: 'ticket' }],
    }),
  channel: (user) =>
    made(user, `${user.workspace}/channels`, { name: 'Mail', kind: 'email', config: { to: ['a@example.com'] } }),
  'routing policy': async (user) => {
    const { data } = await user.get(`${user.workspace}/routing-policies`);
    return `${user.workspace}/routing-policies/${data[0].id}`;
  },
  flag: (user) => made(user, `${user.project}/flags`, { key: 'banner', name: 'Banner', kind: 'boolean' }, 'key'),
  segment: (user) => made(user, `${user.project}/segments`, { key: 'beta', name: 'Beta' }, 'key'),
};

async function made(user: SignedUp, path: string, body: object, field = 'id'): Promise<string> {
  const answer = await user.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return `${path}/${answer.data[field]}`;
}

describe('a write that changes nothing', () => {
  let server: TestServer;
  let account: SignedUp;
  beforeAll(async () => {
    server = await startTestServer();
    account = await signUp(server.base);
  });
  afterAll(() => server?.stop());

  const audited = async (user: SignedUp) =>
    (await user.get(`/api/v1/audit?workspace=${user.workspaceId}&limit=500`)).data.length as number;

  it.each(Object.entries(documents))('keeps the version of a %s, and is not audited', async (name, make) => {
    const user = await newWorkspace(account, `Unchanged ${name}`);
    const path = await make(user);
    const first = await user.patch(path, {});
    const before = await audited(user);
    for (const body of [{}, { name: first.data.name }]) {
      const answer = await user.patch(path, body);
      expect([answer.status, answer.data.version], answer.text).toEqual([200, first.data.version]);
    }
    if (first.data.version !== undefined) expect(first.data.version).toBeLessThanOrEqual(1);
    expect(await audited(user)).toBe(before);
    const renamed = await user.patch(path, { name: 'Another name' });
    expect(renamed.data.name, renamed.text).toBe('Another name');
    if (first.data.version !== undefined) expect(renamed.data.version).toBe(first.data.version + 1);
    expect(await audited(user)).toBe(before + 1);
  });

  it('is recognized where a whole document is replaced by itself', async () => {
    const user = await newWorkspace(account, 'Replaced');
    const path = await made(user, `${user.project}/metrics`, { key: 'signups', name: 'Sign-ups', ...metric });
    const same = await user.put(path, { name: 'Sign-ups', ...metric, version: 1 });
    expect([same.status, same.data.version], same.text).toEqual([200, 1]);
    await made(user, `${user.project}/flags`, { key: 'banner', name: 'Banner', kind: 'boolean' }, 'key');
    const targeting = `${user.project}/environments/production/flags/banner`;
    const on = { enabled: true, off_variant: 'false', fallthrough: { variant: 'true' } };
    const written = await user.put(targeting, { ...on, version: 0 });
    const again = await user.put(targeting, { ...on, version: 1 });
    expect(again.data, again.text).toEqual(written.data);
  });
});
