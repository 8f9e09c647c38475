import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../platform/log.ts';
import { type TestDatabase, type TestStore, testStores } from '../testing/test-database.ts';
import { RESTORED } from './own-files.ts';
import { leaveRestored, recordLeftRestored, restoredOf } from './restored.ts';

const at = '2026-11-29T08:00:00.000Z';
const snapshot = restoredOf({ at, by: 'ann as fanion' }, '/data/backups/control-1.tar.gz');

describe.each(testStores)('a restore, in the audit logs on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let dataDir: string;
  const log = createLog('silent');
  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    dataDir = mkdtempSync(join(tmpdir(), 'fanion-restored-'));
    return async () => {
      await database.close();
      rmSync(dataDir, { recursive: true });
    };
  });

  const addWorkspaces = (count: number) =>
    sql`INSERT INTO workspaces (id, slug, name, deleted_at)
      SELECT gen_random_uuid(), 'w' || n, 'W', CASE WHEN n = 1 THEN now() END FROM generate_series(1, ${count}::int) AS n`.execute(
      database.db,
    );

  it('is written by the next start, once, to each workspace that is not deleted', async () => {
    await addWorkspaces(1_202);
    await leaveRestored(dataDir, snapshot);
    for (let start = 0; start < 2; start++) await recordLeftRestored(dataDir, { db: database.db, log });
    const { rows } = await sql`
      SELECT at, action, actor_type, actor_name, resource_type, resource_id, resource_name, after, count(DISTINCT workspace_id)::int AS workspaces,
        count(*)::int AS entries FROM audit_entries GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`.execute(database.db);
    expect(rows).toEqual([
      {
        ...{ at: new Date(at), action: 'restore.complete' },
        ...{ actor_type: 'system', actor_name: 'fanion restore, run by ann as fanion' },
        ...{
          resource_type: 'backup',
          resource_id: 'control-1.tar.gz',
          resource_name: '/data/backups/control-1.tar.gz',
        },
        after: { taken: null, fanion: null, taken_by: null },
        ...{ workspaces: 1_201, entries: 1_201 },
      },
    ]);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('waits for the next start if it cannot be written', async () => {
    await addWorkspaces(3);
    await leaveRestored(dataDir, snapshot);
    await sql`ALTER TABLE audit_entries RENAME TO away`.execute(database.db);
    await recordLeftRestored(dataDir, { db: database.db, log });
    await sql`ALTER TABLE away RENAME TO audit_entries`.execute(database.db);
    await recordLeftRestored(dataDir, { db: database.db, log });
    const { rows } = await sql`SELECT count(*)::int AS entries FROM audit_entries`.execute(database.db);
    expect(rows).toEqual([{ entries: 2 }]);
  });

  it.each(['', '{', '{"at":"yesterday"}'])(
    'does not keep a server from starting when it is damaged: %j',
    async (text) => {
      writeFileSync(join(dataDir, RESTORED), text);
      const lines: string[] = [];
      await recordLeftRestored(dataDir, {
        db: database.db,
        log: createLog('info', { write: (line) => void lines.push(line) }),
      });
      expect(lines.join()).toContain('could not be written to the audit logs');
      expect(existsSync(join(dataDir, RESTORED))).toBe(true);
    },
  );
});

describe('restoredOf', () => {
  it('has what the manifest says of the backup', () => {
    const manifest = {
      ...{
        format: 1 as const,
        fanion: '0.3.0',
        taken: at,
        server: 's',
        secretKey: 'included' as const,
        by: 'the schedule',
      },
      ...{ workspaces: 1, telemetry: { rows: {} }, log: { segments: 0, bytes: 0 }, files: [] },
    };
    const from = `s3://b/${'p'.repeat(5_000)}`;
    expect(restoredOf({ at, by: 'ann' }, from, manifest)).toEqual({
      ...{ at, by: 'ann', taken: at, fanion: '0.3.0', takenBy: 'the schedule' },
      from: 'p'.repeat(4_096),
    });
  });
});
