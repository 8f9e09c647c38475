import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspaceWithDefaults } from '../features/identity/workspaces/index.ts';
import { newId } from '../platform/ids.ts';
import { startTestPostgres, type TestStore, testStores } from './test-database.ts';

describe.each(testStores)('a test database on %s', (_name, start) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());

  it('is migrated and empty each time', async () => {
    for (let round = 0; round < 2; round++) {
      const { db, close } = await store.fresh();
      expect(await db.selectFrom('users').selectAll().execute()).toEqual([]);
      const id = newId();
      await db.insertInto('users').values({ id, email: 'ada@example.com', name: 'Ada', password_hash: null }).execute();
      const made = await db
        .transaction()
        .execute((trx) => createWorkspaceWithDefaults(trx, { name: 'Söhne & Co', ownerUserId: id, now: new Date() }));
      expect(made).toMatchObject({ slug: 'sohne-co', number: 1 });
      await close();
    }
  });
});

describe('a test database on PostgreSQL', () => {
  it('has none of the settings that a test before it gave to its own', async () => {
    const store = await startTestPostgres();
    try {
      const { db, connection, close } = await store.fresh();
      await sql.raw(`ALTER DATABASE ${connection.database} SET default_transaction_read_only = on`).execute(db);
      await close();
      const next = await store.fresh();
      const { rows } = await sql`SHOW default_transaction_read_only`.execute(next.db);
      expect(rows).toEqual([{ default_transaction_read_only: 'off' }]);
    } finally {
      await store.close();
    }
  });
});
