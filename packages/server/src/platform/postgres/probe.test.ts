import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPostgres, type TestStore } from '../../testing/test-database.ts';
import { probePostgres } from './probe.ts';

let store: TestStore;
const reader = `reader_${process.pid}`;
beforeAll(async () => {
  store = await startTestPostgres();
  await sql.raw(`CREATE ROLE ${reader} LOGIN`).execute(store.db);
});
afterAll(async () => {
  await sql.raw(`DROP ROLE ${reader}`).execute(store.db);
  await store.close();
});

const urlOf = (user: string) => {
  const { host, port, database } = store.connection;
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
};

it('returns the version and the time, and whether the role may create tables', async () => {
  const before = Date.now();
  const state = await probePostgres(urlOf(store.connection.user), 5_000);
  expect(state).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/), mayMigrate: true });
  expect(state.nowMs).toBeGreaterThanOrEqual(before - 1);
  expect(state.nowMs).toBeLessThanOrEqual(Date.now() + 1);
  expect(await probePostgres(urlOf(reader), 5_000)).toMatchObject({ mayMigrate: false });
});

it('throws when the server does not know the role, or does not answer', async () => {
  await expect(probePostgres(urlOf('nobody_there'), 5_000)).rejects.toThrow(/nobody_there/);
  await expect(probePostgres('postgres://u@127.0.0.1:9/d', 5_000)).rejects.toThrow(/ECONNREFUSED/);
});
