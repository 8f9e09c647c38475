import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrateTelemetry, migrations as telemetryMigrations } from '../../platform/clickhouse/index.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { migrations as controlMigrations, migrate } from '../../platform/postgres/migrate.ts';
import { openTelemetrySide } from '../../store-copy/telemetry-store.ts';
import {
  addSpans,
  type BackedUpStores,
  backUpRows,
  contentOf,
  dropTelemetry,
  fill,
  folderOf,
  freshTarget,
  sourceOf,
  startBackedUpStores,
  urlOf,
} from '../../testing/backed-up-stores.ts';
import { restore } from '../index.ts';
import { MANIFEST, type RowsManifest } from '../manifest.ts';
import type { BackupDone } from '../write.ts';

const spans = 60_000;
const restorer = { at: '2026-11-29T08:00:00.000Z', by: 'ann' };

describe('a backup of PostgreSQL and ClickHouse', () => {
  let stores: BackedUpStores;
  let source: { db: Database; databaseUrl: string; url: string };
  let target: { db: Database; databaseUrl: string };
  let content: Record<string, string>;
  let backup: BackupDone;

  beforeAll(async () => {
    stores = await startBackedUpStores();
    const { db, connection } = await stores.postgres.fresh();
    source = { db, databaseUrl: urlOf(connection), url: stores.url };
    await fill({ ...source, spans });
    content = await contentOf(source);
    backup = await backUpRows({ stores: source, directory: stores.backups });
  });
  afterAll(() => stores.close());
  beforeEach(async () => {
    target = await freshTarget(stores);
  });

  const restoreIt = (
    path: string,
    { secretKey, dataDir = folderOf('data') }: { secretKey?: Buffer; dataDir?: string } = {},
  ) =>
    restore(
      {
        ...{ backup: sourceOf(path), dataDir, restorer },
        stores: {
          ...{ databaseUrl: target.databaseUrl, clickhouseUrl: stores.url },
          ...{ clickhouseCluster: undefined, secretKey },
        },
      },
      { verified: () => {}, copied: () => {} },
    );
  /** The content of the target, but for the changes that a restore makes. */
  const restored = async () => {
    await sql`UPDATE recording_rules SET pending_to = NULL`.execute(target.db);
    await sql`DELETE FROM audit_entries WHERE action = 'restore.complete'`.execute(target.db);
    return contentOf({ db: target.db, url: stores.url });
  };
  /** A copy of the backup whose manifest says something else. */
  const changed = async (change: (manifest: RowsManifest) => void) => {
    const folder = join(folderOf('changed'), 'backup');
    await cp(backup.path, folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'));
    change(manifest);
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
    return folder;
  };

  it('brings back every row of every table, with JSON nulls and empty tables', async () => {
    const { manifest, notCompared } = await restoreIt(backup.path);
    expect(notCompared).toEqual([]);
    expect(manifest).toMatchObject({ format: 2, workspaces: 250, secretKey: 'FANION_SECRET_KEY' });
    expect(await restored()).toEqual(content);
    expect(content['control/flags']).toBe('0 0');
    const payloads = await sql<{ text: string }>`SELECT payload::text AS text FROM outbox ORDER BY id`.execute(
      target.db,
    );
    expect(payloads.rows).toEqual([{ text: 'null' }, { text: '{"a": [1.50, null]}' }]);
  });

  it('gives stores that a server can use, with views, and numbers that newer telemetry does not have', async () => {
    await restoreIt(backup.path);
    await migrate(target.db);
    expect(await migrateTelemetry({ url: stores.url, database: 'fanion' })).toEqual([]);
    await addSpans(stores.url, { from: 900_000, count: 10 });
    const side = openTelemetrySide(stores.url);
    const { rows } = await side.clickhouse.query(
      `SELECT toUInt32(uniqExact(trace_id)) FROM trace_index WHERE trace_id >= toFixedString('0000000000900000', 16)`,
    );
    await side.close();
    expect(rows).toEqual([[10]]);
    await sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'next', 'Next')`.execute(target.db);
    const next = await sql<{ number: number; epoch: number }>`
      SELECT number, nextval('job_epochs') AS epoch FROM workspaces WHERE slug = 'next'`.execute(target.db);
    expect(next.rows).toEqual([{ number: 1_251, epoch: 100_000_041 }]);
  });

  it('may be restored into a new data directory, with the key of the one that it was taken of', async () => {
    const key = join(folderOf('key'), 'secret.key');
    writeFileSync(key, 'a-key-of-a-data-directory');
    await restoreIt(backup.path);
    const withKey = await backUpRows({
      stores: { databaseUrl: target.databaseUrl, url: stores.url },
      directory: stores.backups,
      plan: { keyFiles: [key] },
    });
    const dataDir = join(folderOf('embedded'), 'data');
    const none = {
      databaseUrl: undefined,
      clickhouseUrl: undefined,
      clickhouseCluster: undefined,
      secretKey: undefined,
    };
    await restore(
      { backup: sourceOf(withKey.path), dataDir, stores: none, restorer },
      { verified: () => {}, copied: () => {} },
    );
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['control', 'telemetry', 'secret.key']));
    expect(readFileSync(join(dataDir, 'secret.key'), 'utf8')).toBe('a-key-of-a-data-directory');
  });

  it('of an older version gets its schema, which servers migrate', async () => {
    const older = await stores.postgres.fresh();
    onTestFinished(older.close);
    await sql`DROP SCHEMA public CASCADE`.execute(older.db);
    await sql`CREATE SCHEMA public`.execute(older.db);
    await migrate(older.db, undefined, controlMigrations.slice(0, -2));
    await sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'old', 'Old')`.execute(older.db);
    const telemetry = { url: stores.url, database: 'fanion' };
    const ids = await migrateTelemetry({ ...telemetry, migrations: telemetryMigrations.slice(0, -1) });
    await addSpans(stores.url, { from: 0, count: 100 });
    const databaseUrl = urlOf(older.connection);
    const old = await backUpRows({ stores: { databaseUrl, url: stores.url }, directory: stores.backups });

    await dropTelemetry(stores.url);
    await sql`DROP SCHEMA public CASCADE`.execute(target.db);
    await sql`CREATE SCHEMA public`.execute(target.db);
    await restoreIt(old.path);
    const applied = await sql<{ n: number }>`SELECT count(*)::int AS n FROM migrations`.execute(target.db);
    expect(applied.rows).toEqual([{ n: controlMigrations.length - 2 }]);
    await migrate(target.db);
    expect(await migrateTelemetry(telemetry)).toEqual(
      telemetryMigrations.map(({ id }) => id).filter((id) => !ids.includes(id)),
    );
    const found = await contentOf({ db: target.db, url: stores.url });
    expect(found['control/workspaces']).toMatch(/^1 /);
  });

  it('is not restored into empty tables of another version', async () => {
    const old = await changed(({ control }) => control.migrations.pop());
    await expect(restoreIt(old)).rejects.toThrow('the empty tables of the control plane are of another version');
  });

  it('lets recording rules look for the points of the step that they write next', async () => {
    await restoreIt(backup.path);
    const { rows } = await sql<{ name: string; noted: boolean }>`
      SELECT name, pending_to = watermark + interval '1 minute' AS noted FROM recording_rules ORDER BY name`.execute(
      target.db,
    );
    expect(rows).toEqual([
      { name: 'disabled', noted: null },
      { name: 'enabled', noted: true },
    ]);
  });

  it('is not restored into stores that have rows, as those of a server do', async () => {
    await sql`INSERT INTO workspaces (id, slug, name) VALUES (gen_random_uuid(), 'used', 'Used')`.execute(target.db);
    await expect(restoreIt(backup.path)).rejects.toThrow(
      'the target is not empty: the PostgreSQL database has rows in workspaces',
    );
    await sql`DELETE FROM workspaces`.execute(target.db);
    await migrateTelemetry({ url: stores.url, database: 'fanion' });
    await addSpans(stores.url, { from: 0, count: 1 });
    await expect(restoreIt(backup.path)).rejects.toThrow('the ClickHouse database fanion has');
  });

  it('is not restored for another secret key, or by an older version', async () => {
    const path = await changed((manifest) => {
      manifest.keyId = '00000000';
    });
    await expect(restoreIt(path, { secretKey: Buffer.from('x'.repeat(40)) })).rejects.toThrow(
      'than that of the backup (00000000)',
    );
    const newer = await changed((manifest) => {
      manifest.fanion = '9.1.0';
    });
    await expect(restoreIt(newer)).rejects.toThrow('was written by Fanion 9.1.0');
    const migrated = await changed((manifest) => manifest.telemetry.migrations.push(9_999));
    await expect(restoreIt(migrated)).rejects.toThrow('the schema migration 9999, which this release does not know');
    expect((await sql`SELECT 1 FROM workspaces`.execute(target.db)).rows).toEqual([]);
  });

  const lies: readonly [string, (manifest: RowsManifest) => void, string][] = [
    [
      'rows',
      ({ telemetry }) => {
        for (const table of telemetry.tables) if (table.name === 'spans') table.rows++;
      },
      `the table spans has ${spans} rows`,
    ],
    [
      'hashes',
      ({ control }) => {
        for (const table of control.tables) if (table.name === 'workspaces') table.hash = '5';
      },
      'the backup says 250, with another hash',
    ],
    ['columns', ({ telemetry }) => telemetry.tables[0]?.columns.push('`x`'), 'does not have the tables of its version'],
    ['tables', ({ control }) => control.tables.pop(), 'does not have the tables of its version'],
    ['files', ({ files }) => files.splice(0, 1), 'is not in the manifest'],
    [
      'checksums',
      ({ files }) => {
        for (const file of files.slice(0, 1)) file.sha256 = '0'.repeat(64);
      },
      'has a wrong checksum',
    ],
    [
      'paths',
      ({ files }) => {
        for (const file of files) file.path = `control/../${file.path}`;
      },
      'a path of a backup',
    ],
    [
      'sizes',
      ({ files }) => {
        for (const file of files) file.bytes = 2 ** 40;
      },
      'is damaged',
    ],
  ];
  it.each(lies)('whose manifest lies about %s is not restored', async (_, lie, message) => {
    await expect(restoreIt(await changed(lie))).rejects.toThrow(message);
    await expect(sql`SELECT 1 FROM workspaces`.execute(target.db)).resolves.toMatchObject({ rows: [] });
  });

  it('that was restored in part keeps servers away, until another call begins again and ends', async () => {
    const path = await changed(({ telemetry }) => {
      for (const table of telemetry.tables) if (table.name === 'spans') table.rows++;
    });
    await expect(restoreIt(path)).rejects.toThrow('the restore is not complete');
    await expect(migrate(target.db)).rejects.toThrow('a restore into this control plane is not complete');
    const telemetry = migrateTelemetry({ url: stores.url, database: 'fanion' });
    await expect(telemetry).rejects.toThrow('a restore into this telemetry store is not complete');
    await restoreIt(backup.path);
    await migrate(target.db);
    expect(await restored()).toEqual(content);
  });

  it('of embedded stores is not restored while the environment names others', async () => {
    const folder = folderOf('files');
    const head = { format: 1, fanion: '0.3.0', taken: new Date().toISOString(), server: 's', secretKey: 'included' };
    const rest = { workspaces: 1, telemetry: { rows: {} }, log: { segments: 0, bytes: 0 }, files: [] };
    writeFileSync(join(folder, MANIFEST), JSON.stringify({ ...head, ...rest }));
    await expect(restoreIt(folder)).rejects.toThrow('unset DATABASE_URL and CLICKHOUSE_URL');
    expect(existsSync(join(folder, 'control'))).toBe(false);
  });
});
