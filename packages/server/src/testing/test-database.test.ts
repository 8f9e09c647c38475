import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspaceWithDefaults } from '../features/identity/workspaces/index.ts';
import { newId } from '../platform/ids.ts';
import { type TestStore, testStores } from './test-database.ts';

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
