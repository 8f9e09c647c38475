import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../platform/postgres/database.ts';
import { readControlContent } from '../store-copy/control-store.ts';
import { openControlSide } from '../store-copy/sides.ts';
import { startTestPglite, startTestPostgres, type TestStore } from '../testing/test-database.ts';
import { moveControl } from './control.ts';

describe('moveControl', () => {
  let embedded: TestStore;
  let external: TestStore;
  beforeAll(async () => {
    [embedded, external] = await Promise.all([startTestPglite(), startTestPostgres()]);
  });
  afterAll(() => Promise.all([embedded.close(), external.close()]));
  beforeEach(async () => {
    await embedded.fresh();
  });

  const fill = async (db: Database) => {
    await sql`INSERT INTO workspaces (id, slug, name) SELECT gen_random_uuid(), 'w' || n, E'name \\\\ "' || n FROM generate_series(1, 250) AS n`.execute(
      db,
    );
    await sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'gone', 'Gone')`.execute(db);
    await sql`DELETE FROM workspaces WHERE slug = 'gone'`.execute(db);
    await sql`INSERT INTO outbox (topic, key, payload) VALUES ('t', 'k', 'null'::jsonb), ('t', 'k', '{"a": [1.50, null]}'::jsonb)`.execute(
      db,
    );
  };
  const nextEpoch = async (db: Database) =>
    Number((await sql<{ n: string }>`SELECT nextval('job_epochs') AS n`.execute(db)).rows[0]?.n);
  const numbers = async (db: Database) =>
    (await sql<{ slug: string; number: number }>`SELECT slug, number FROM workspaces ORDER BY number`.execute(db)).rows;

  it('copies every row, JSON nulls and the state of sequences, to PostgreSQL and back', async () => {
    const target = await external.fresh();
    await fill(embedded.db);
    await sql`CREATE TABLE of_another_product (id integer)`.execute(embedded.db);
    onTestFinished(async () => {
      await sql`DROP TABLE of_another_product`.execute(embedded.db);
    });
    const before = await numbers(embedded.db);
    const sides = { from: openControlSide(embedded.connection), to: openControlSide(target.connection) };
    try {
      const epoch = await nextEpoch(embedded.db);
      expect(await moveControl(sides, async () => {})).toBe(252);
      // Rows of telemetry have the epoch of their job, and those of a lower one do not count.
      expect(await nextEpoch(target.db)).toBe(epoch + 1);
      expect(await numbers(target.db)).toEqual(before);
      const payloads = await sql<{ text: string }>`SELECT payload::text AS text FROM outbox ORDER BY id`.execute(
        target.db,
      );
      expect(payloads.rows).toEqual([{ text: 'null' }, { text: '{"a": [1.50, null]}' }]);
      await sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'next', 'Next')`.execute(target.db);
      // The number of the deleted workspace is never given again.
      expect((await numbers(target.db)).at(-1)).toEqual({ slug: 'next', number: 252 });
      expect(await moveControl({ from: sides.to, to: sides.from }, async () => {})).toBe(253);
      expect(await numbers(embedded.db)).toEqual(await numbers(target.db));
    } finally {
      await sides.from.close();
      await sides.to.close();
      await target.close();
    }
  });

  it('lets nobody change the embedded control plane until the switch', async () => {
    const target = await external.fresh();
    const sides = { from: openControlSide(embedded.connection), to: openControlSide(target.connection) };
    let late: Promise<unknown> = Promise.resolve();
    let isHeld = true;
    let changedWhileHeld = false;
    try {
      await moveControl(sides, async () => {
        late = sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'late', 'Late')`
          .execute(embedded.db)
          .then(() => {
            changedWhileHeld = isHeld;
          });
        // Longer than a statement that does not wait.
        for (let n = 0; n < 50; n++) await sql`SELECT 1`.execute(target.db);
        isHeld = false;
      });
      await late;
      expect(changedWhileHeld).toBe(false);
      expect((await readControlContent(target.db)).filled).toEqual([]);
    } finally {
      await sides.from.close();
      await sides.to.close();
      await target.close();
    }
  });
});
