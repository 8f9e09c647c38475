import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

const metric = { kind: 'conversion', source: 'logs | where body == "x"', unit: 'user.id', direction: 'up_is_good' };

describe('versions of whole documents', () => {
  let server: TestServer;
  let user: SignedUp;
  let path: string;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
    const created = await user.post(`${user.project}/metrics`, { key: 'signups', name: 'Sign-ups', ...metric });
    expect(created.status, created.text).toBe(201);
    path = `${user.project}/metrics/${created.data.id}`;
  });
  afterAll(() => server?.stop());

  const current = async () => (await user.get(path)).data as { name: string; version: number };
  const replace = (name: string, more: object = {}, headers: Record<string, string> = {}) =>
    user.put(path, { name, ...metric, ...more }, headers);

  it('refuses a PUT without a version, and says what to send', async () => {
    const before = await current();
    const answer = await replace('Overwritten');
    expect(answer.status).toBe(422);
    expect(answer.json.error.message).toContain('send the `version` that you have read');
    expect(answer.json.error.details).toEqual([{ path: 'version', message: expect.stringContaining('If-Match') }]);
    expect(await current()).toEqual(before);
  });

  it('answers 409 for a stale version, with the current version and state', async () => {
    const { version } = await current();
    expect((await replace('Newer', { version })).data).toMatchObject({ name: 'Newer', version: version + 1 });
    const stale = await replace('Late', { version });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
    const [detail] = stale.json.error.details;
    expect(detail).toMatchObject({ path: 'version', current: version + 1 });
    expect(detail.state).toEqual(await current());
  });

  it.each([
    ['"', '"'],
    ['', ''],
  ])('takes If-Match as %sversion%s in place of the field', async (before, after) => {
    const { version } = await current();
    const header = (value: number) => ({ 'if-match': `${before}${value}${after}` });
    expect((await replace(`By header ${before}`, {}, header(version))).status).toBe(200);
    expect((await replace('Late', {}, header(version))).status).toBe(409);
  });

  it.each([['*'], ['W/"1"'], ['"one"'], ['"1", "2"'], ['']])('refuses If-Match: %s', async (header) => {
    const answer = await replace('Forced', {}, { 'if-match': header });
    expect([answer.status, answer.json.error.details[0].path]).toEqual([422, 'version']);
  });

  it('refuses If-Match that names another version than the body', async () => {
    const { version } = await current();
    const answer = await replace('Both', { version }, { 'if-match': `"${version + 1}"` });
    expect([answer.status, answer.json.error.message]).toEqual([422, expect.stringContaining('the body another one')]);
  });

  it('refuses If-Match where no version is compared', async () => {
    const answer = await user.patch(user.project, { name: 'Renamed' }, { 'if-match': '"1"' });
    expect([answer.status, answer.json.error.message]).toEqual([422, expect.stringContaining('leave the header out')]);
  });

  it('keeps the state from a caller who may not read it', async () => {
    const roles = `${user.workspace}/roles`;
    const { data: role } = await user.post(roles, { name: 'Seen by few', permissions: ['flags:read'] });
    const writer = testClient(server.base, {
      bearer: await user.token(['roles:write', 'flags:read'], {}),
    });
    const stale = await writer.patch(`${roles}/${role.id}`, { name: 'Blind', version: role.version + 7 });
    expect([stale.status, stale.json.error.details]).toEqual([
      409,
      [{ path: 'version', message: expect.any(String), current: role.version }],
    ]);
  });

  it('lets a PATCH without a version change what it names, and compares one that it gets', async () => {
    const roles = `${user.workspace}/roles`;
    const { data: role } = await user.post(roles, { name: 'Patched', permissions: ['flags:read'] });
    const changed = await user.patch(`${roles}/${role.id}`, { description: 'Reads flags' });
    expect(changed.data).toMatchObject({ name: 'Patched', description: 'Reads flags', version: role.version + 1 });
    const stale = await user.patch(`${roles}/${role.id}`, { description: 'Late', version: role.version });
    expect([stale.status, stale.json.error.details[0].state.description]).toEqual([409, 'Reads flags']);
  });

  it('lets the first write of a document go without a version', async () => {
    for (const key of ['base', 'dependent'])
      await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
    const prerequisites = `${user.project}/flags/dependent/prerequisites`;
    const body = { prerequisites: [{ flag: 'base', variants: ['true'] }] };
    const first = await user.put(prerequisites, body);
    expect(first.status, first.text).toBe(200);
    expect((await user.put(prerequisites, { prerequisites: [] })).status).toBe(422);
    expect((await user.put(prerequisites, { prerequisites: [], version: first.data.version - 1 })).status).toBe(409);
    expect((await user.put(prerequisites, { prerequisites: [], version: first.data.version })).status).toBe(200);
  });
});
