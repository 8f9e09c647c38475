import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../testing/test-app.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Person, peopleFeatures, signUpPerson } from '../../../testing/test-people.ts';
import { flagManagement } from '../../testing/flag-management.ts';

/** A depth that the server accepted before there was a limit. */
const stored = `${'['.repeat(3_000)}${']'.repeat(3_000)}`;

describe.each(testStores)('JSON that is nested too deep on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let app: TestApp;
  let user: Person;
  let flags: string;

  beforeAll(async () => {
    store = await start();
    database = await store.fresh();
    app = await startTestApp({
      db: database.db,
      features: (dependencies) => [...peopleFeatures()(dependencies), ...flagManagement(dependencies).routes],
    });
    user = await signUpPerson(app, 'ada');
    flags = `/workspaces/${user.workspaceId}/projects/default/flags`;
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
    await store?.close();
  });

  const send = (method: string, path: string, text: string) =>
    app.app.inject({
      method: method as 'POST',
      url: `/api/v1${path}`,
      headers: {
        host: 'fanion.test',
        cookie: user.cookie,
        origin: 'http://fanion.test',
        'content-type': 'application/json',
      },
      payload: text,
    });
  const create = (key: string, value: string) =>
    send('POST', flags, `{"key":"${key}","name":"x","kind":"json","variants":[{"key":"a","value":${value}}]}`);
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it('is rejected wherever it would be stored, and accepted up to the limit', async () => {
    expect((await create('deep-enough', nested(64))).statusCode).toBe(201);
    const variant = await create('too-deep', nested(65));
    expect([variant.statusCode, variant.json().error.code]).toEqual([422, 'SVC-1002']);
    expect(variant.json().error.details[0].path).toBe('variants.0.value');
    for (const body of [stored, nested(30_000), nested(400_000)]) {
      const answer = await create('too-deep', body);
      expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'SVC-1023']);
    }
  });

  it.each([
    ['PATCH of its name', 'PATCH', '{"name":"Other"}', 200],
    ['PATCH of its variants', 'PATCH', '{"variants":[{"key":"a","value":[]}]}', 200],
    ['DELETE after it was archived', 'DELETE', '', 204],
  ])('does not prevent %s once it is stored', async (name, method, body, status) => {
    const key = `stored-${name.length}`;
    await create(key, '1');
    const path = `${flags}/${key}`;
    await database.db
      .updateTable('flags')
      .set({ variants: `[{"key":"a","value":${stored}}]` })
      .where('key', '=', key)
      .execute();
    if (method === 'DELETE') expect((await send('PATCH', path, '{"archived":true}')).statusCode).toBe(200);
    const answer = await send(method, path, body);
    expect([answer.statusCode, answer.body.slice(0, 200)]).toEqual([status, expect.anything()]);
  });
});
