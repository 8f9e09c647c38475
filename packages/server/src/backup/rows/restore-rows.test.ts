import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClickHouse, markTelemetry } from '../../platform/clickhouse/index.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { migrate } from '../../platform/postgres/migrate.ts';
import { listTelemetryTables, openTelemetrySide } from '../../store-copy/telemetry-store.ts';
import {
  addCombined,
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

const restorer = { at: '2026-11-29T08:00:00.000Z', by: 'ann as fanion' };
/** One of each kind: aggregating, summing and replacing. */
const kinds = ['trace_index', 'flag_evaluations', 'slo_minutes'];
const combined = [...kinds, 'exposures', 'ingest_refusals', 'field_usage'];

describe('a restore of rows', () => {
  let stores: BackedUpStores;
  let target: { db: Database; databaseUrl: string };
  let content: Record<string, string>;
  let backup: string;

  beforeAll(async () => {
    stores = await startBackedUpStores();
    const { db, connection } = await stores.postgres.fresh();
    const source = { db, databaseUrl: urlOf(connection), url: stores.url };
    await fill({ ...source, spans: 5_000 });
    for (let n = 0; n < 3; n++) {
      // The same traces, minutes and fields again: merges combine their rows.
      await addSpans(stores.url, { from: 0, count: 3_000 });
      await addCombined(stores.url);
    }
    content = await contentOf(source);
    backup = (await backUpRows({ stores: source, directory: stores.backups })).path;
  });
  afterAll(() => stores.close());
  beforeEach(async () => {
    target = await freshTarget(stores);
  });

  /** @returns the bytes that were copied, and the tables that were not compared in full */
  const restoreIt = async (path: string) => {
    let copied = 0;
    const { notCompared } = await restore(
      {
        ...{ backup: sourceOf(path), dataDir: folderOf('data'), restorer },
        stores: {
          ...{ databaseUrl: target.databaseUrl, clickhouseUrl: stores.url },
          ...{ clickhouseCluster: undefined, secretKey: undefined },
        },
      },
      {
        verified: () => {},
        copied: (bytes) => {
          copied = bytes;
        },
      },
    );
    return { copied, notCompared };
  };
  const restored = async () => {
    await sql`UPDATE recording_rules SET pending_to = NULL`.execute(target.db);
    await sql`DELETE FROM audit_entries WHERE action = 'restore.complete'`.execute(target.db);
    return contentOf({ db: target.db, url: stores.url });
  };
  /** A copy of the backup with another content. */
  const changed = async (change: (manifest: RowsManifest, folder: string) => void) => {
    const folder = join(folderOf('changed'), 'backup');
    await cp(backup, folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'));
    change(manifest, folder);
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
    return folder;
  };
  const telemetryTable = ({ telemetry }: RowsManifest, name: string) => {
    const found = telemetry.tables.find((table) => table.name === name);
    if (found === undefined) throw new Error(`no table ${name}`);
    return found;
  };
  const fileOf = ({ files }: RowsManifest, table: string) => {
    const found = files.find(({ path }) => path.startsWith(`telemetry/${table}/`));
    if (found === undefined) throw new Error(`no file of ${table}`);
    return found;
  };

  it('compares all tables that merges combine, and gives them back to merges', async () => {
    expect(await restoreIt(backup)).toMatchObject({ notCompared: [] });
    expect(await restored()).toEqual(content);
    const side = openTelemetrySide(stores.url);
    await side.clickhouse.command('OPTIMIZE TABLE trace_index FINAL');
    const { rows } = await side.clickhouse.query(
      'SELECT toUInt32(count()), toUInt32(uniqExact(trace_id)), toUInt32(sum(spans)) FROM trace_index',
    );
    await side.close();
    expect(rows).toEqual([[5_000, 5_000, 14_000]]);
  });

  it('writes who restored what to the audit log of each workspace', async () => {
    await restoreIt(backup);
    const { taken } = JSON.parse(readFileSync(join(backup, MANIFEST), 'utf8'));
    const { rows } = await sql`
      SELECT at, actor_name, resource_id, resource_name, after, count(DISTINCT workspace_id)::int AS workspaces
      FROM audit_entries WHERE action = 'restore.complete' GROUP BY 1, 2, 3, 4, 5`.execute(target.db);
    expect(rows).toEqual([
      {
        ...{ at: new Date(restorer.at), actor_name: 'fanion restore, run by ann as fanion' },
        ...{ resource_id: basename(backup), resource_name: backup, workspaces: 250 },
        after: { taken, fanion: '0.3.0', taken_by: 'a test' },
      },
    ]);
  });

  it('can compare every column of every table', async () => {
    await restoreIt(backup);
    const side = openTelemetrySide(stores.url);
    const tables = await listTelemetryTables(side);
    await side.close();
    for (const { columns, values, states } of tables)
      expect(values.length + (states?.length ?? 0)).toBe(columns.length);
    expect(tables.filter(({ combines }) => combines).map(({ name }) => name)).toEqual(expect.arrayContaining(combined));
  });

  it.each(kinds)('rejects a backup that lacks rows of %s', async (table) => {
    const short = await changed((manifest, folder) => {
      const { path } = fileOf(manifest, table);
      rmSync(join(folder, path));
      manifest.files = manifest.files.filter((file) => file.path !== path);
    });
    await expect(restoreIt(short)).rejects.toThrow(new RegExp(`the table ${table} has .* the restore is not complete`));
    await expect(migrate(target.db)).rejects.toThrow('a restore into this control plane is not complete');
  });

  it.each(kinds)('rejects a backup that has rows of %s twice', async (table) => {
    const twice = await changed((manifest, folder) => {
      const file = fileOf(manifest, table);
      const path = file.path.replace(/\d{6}/, '000999');
      copyFileSync(join(folder, file.path), join(folder, path));
      manifest.files.push({ ...file, path });
    });
    await expect(restoreIt(twice)).rejects.toThrow(new RegExp(`the table ${table} has .* the restore is not complete`));
  });

  it.each([
    ['exposures', 'hash'],
    ['field_usage', 'states'],
    ['service_edges', 'states'],
  ] as const)('rejects a backup whose rows of %s have another %s', async (table, sum) => {
    const other = await changed((manifest) => {
      const found = telemetryTable(manifest, table);
      found[sum] = String(BigInt(found[sum] ?? 0) + 1n);
    });
    await expect(restoreIt(other)).rejects.toThrow(`the table ${table} has`);
  });

  it('names the tables that it could not compare in full, since an earlier release wrote the backup', async () => {
    const older = await changed((manifest) => {
      for (const table of manifest.telemetry.tables) {
        delete table.states;
        if (combined.includes(table.name)) table.hash = null;
      }
    });
    const { notCompared } = await restoreIt(older);
    expect(notCompared).toEqual([...combined, 'service_edges'].sort());
    expect(await restored()).toEqual(content);
  });

  it('rejects another number of rows in a table whose values the backup has no hash of', async () => {
    const older = await changed((manifest) => {
      const table = telemetryTable(manifest, 'exposures');
      table.hash = null;
      table.rows++;
    });
    await expect(restoreIt(older)).rejects.toThrow('the table exposures has');
  });

  describe('whose last step fails', () => {
    /** PostgreSQL refuses to drop tables, such as the mark. */
    const failLastStep = async () => {
      await sql`CREATE FUNCTION keep_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no tables are dropped'; END $$`.execute(
        target.db,
      );
      await sql`CREATE EVENT TRIGGER keep_tables ON sql_drop EXECUTE FUNCTION keep_tables()`.execute(target.db);
      await expect(restoreIt(backup)).rejects.toThrow('no tables are dropped');
      await sql`DROP EVENT TRIGGER keep_tables`.execute(target.db);
      await sql`DROP FUNCTION keep_tables`.execute(target.db);
    };
    const withTelemetry = async (work: (store: ReturnType<typeof createClickHouse>) => Promise<void>) => {
      const store = createClickHouse({ url: stores.url, database: 'fanion' });
      await work(store);
      await store.close();
    };

    it('keeps servers away, and is finished by a second call, which copies nothing', async () => {
      await failLastStep();
      await expect(migrate(target.db)).rejects.toThrow('run fanion restore of the same backup again');
      expect(await restoreIt(backup)).toEqual({ copied: 0, notCompared: [] });
      await migrate(target.db);
      expect(await restored()).toEqual(content);
    });

    it('is finished by a second call when the telemetry store has its mark, too', async () => {
      await failLastStep();
      await withTelemetry((store) => markTelemetry(store, { id: 'x', state: 'restoring' }));
      expect(await restoreIt(backup)).toMatchObject({ copied: 0 });
      await addSpans(stores.url, { from: 900_000, count: 10 });
      await expect(restoreIt(backup)).rejects.toThrow('the target is not empty');
    });

    it('is not finished with another backup or another telemetry store', async () => {
      await failLastStep();
      const other = await changed((manifest) => {
        manifest.taken = '2026-01-01T00:00:00.000Z';
      });
      await expect(restoreIt(other)).rejects.toThrow('the restore of another backup (');
      await dropTelemetry(stores.url);
      await expect(restoreIt(backup)).rejects.toThrow('with another telemetry store');
    });
  });
});
