import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noteNextSteps } from '../../features/slos/recording-rules/index.ts';
import { migrations as telemetryMigrations } from '../../platform/clickhouse/index.ts';
import type { MoveMark } from '../../platform/move-mark.ts';
import type { DatabaseConnection } from '../../platform/postgres/database.ts';
import { migrations as controlMigrations } from '../../platform/postgres/migrate.ts';
import { markControl } from '../../platform/postgres/move-mark.ts';
import {
  appliedControl,
  controlFingerprint,
  emptyControlTables,
  insertControlRows,
  listControlTables,
  setSequences,
  useComparableTexts,
} from '../../store-copy/control-store.ts';
import { fingerprint } from '../../store-copy/fingerprint-store.ts';
import { probeStores } from '../../store-copy/probe.ts';
import { openMixedSide, refuseUnstoredLog, type StoreUrls } from '../../store-copy/sides.ts';
import { checkTarget, finishTarget, prepareTarget, readMarks, type Schema } from '../../store-copy/target.ts';
import { appliedTelemetry, emptyTables, tablesId } from '../../store-copy/telemetry-content-store.ts';
import { insertAsRead, listTelemetryTables, type TelemetrySide, tokenOf } from '../../store-copy/telemetry-store.ts';
import { version } from '../../version.ts';
import { type RowsFile, type RowsManifest, tableOfPath } from '../manifest.ts';
import { type Restorer, recordRestored, restoredOf } from '../restored.ts';
import { inParallel } from '../s3/parallel.ts';
import type { BackupSource } from '../target.ts';
import { bytesOf, checkFiles, type OnBytes, verifyBackup } from '../verify.ts';
import { idOfBackup } from './backup-id.ts';
import { notCompared, refuseDifferent, refuseOtherTables } from './restore-rules.ts';
import { unpack } from './row-files.ts';
import { migrationsOf, skippedTo } from './rules.ts';

/** Each holds a file in memory, packed and unpacked. */
const FILES_AT_ONCE = 4;

export interface RowsRestore {
  readonly backup: BackupSource;
  readonly manifest: RowsManifest;
  /** Gets the stores that have no address, and the secret key if that is in the backup. */
  readonly dataDir: string;
  readonly urls: StoreUrls;
  /** The id of the secret key of the restored servers; undefined: it is not known. */
  readonly keyId: string | undefined;
  readonly restorer: Restorer;
}

/**
 * Restores rows into empty stores. Until the end, a mark in both keeps servers away; a call after a kill empties them and begins again. Once
 * all is compared, the mark of the control plane says so, and a call after a kill only removes the marks.
 * @returns the tables of telemetry that were not compared in full, since the backup has no hash of all their values
 * @throws Error if a store is not empty, or the backup is damaged or does not fit
 */
export async function restoreRows(
  restore: RowsRestore,
  on: { readonly verified: OnBytes; readonly copied: OnBytes },
): Promise<string[]> {
  const { backup, manifest, dataDir, urls } = restore;
  const schema: Schema = {
    control: migrationsOf(controlMigrations, manifest.control.migrations),
    telemetry: migrationsOf(telemetryMigrations, manifest.telemetry.migrations),
  };
  refuseOtherKey(restore);
  await probeStores(urls);
  if (backup.isLocal) await verifyBackup(backup, version, on.verified);
  else await checkFiles(backup, version);
  if (urls.clickhouse === undefined) refuseUnstoredLog(dataDir, 'move its segments away');
  if (urls.database === undefined || urls.clickhouse === undefined)
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const side = await openMixedSide(dataDir, urls);
  try {
    const { control, telemetry } = side;
    if (control === undefined || telemetry === undefined) throw new Error('a restore needs both stores');
    const marks = await readMarks(side);
    if (marks.control?.state === 'restored') await refuseOtherRestore(manifest, marks.control, telemetry);
    else {
      await checkTarget(side, marks, ({ state }) => state === 'restoring');
      await restoreKey(restore);
      await prepareTarget(side, { id: idOfBackup(manifest), state: 'restoring' }, schema);
      await refuseOtherSchema(manifest, control, telemetry);
      const reading = filesReader(restore, on.copied);
      await restoreTelemetry(manifest, telemetry, reading);
      await restoreControl(control, restore, reading);
      await markControl(control.db, { id: await restoredId(manifest, telemetry), state: 'restored' });
    }
    await finishTarget(side, schema);
    return notCompared(manifest.telemetry.tables, await listTelemetryTables(telemetry));
  } finally {
    await side.close();
  }
}

/** Of a complete restore: the backup, and the tables that it is in. Those of telemetry may have no mark any more. */
async function restoredId(manifest: RowsManifest, telemetry: TelemetrySide): Promise<string> {
  return `${idOfBackup(manifest)} ${await tablesId(telemetry)}`;
}

async function refuseOtherRestore(manifest: RowsManifest, { id }: MoveMark, telemetry: TelemetrySide): Promise<void> {
  const [backup, tables] = id.split(' ');
  if (backup !== idOfBackup(manifest))
    throw new Error(
      `the target is not empty: the restore of another backup (${backup}) into it lacks only its last step. Restore that one again, or empty both stores`,
    );
  if (tables !== (await tablesId(telemetry)))
    throw new Error(
      'the backup was restored into this control plane with another telemetry store: name that one, or empty both stores',
    );
}

function refuseOtherKey({ manifest, keyId }: RowsRestore): void {
  if (manifest.secretKey === 'included' || manifest.keyId === null || keyId === undefined || keyId === manifest.keyId)
    return;
  throw new Error(
    `FANION_SECRET_KEY is another key (${keyId}) than that of the backup (${manifest.keyId}), which encrypted its secrets: set it to the key that the servers had`,
  );
}

/** Writes the key files of a backup that has them. A file that is there already must be the same. */
async function restoreKey({ backup, manifest, dataDir }: RowsRestore): Promise<void> {
  for (const file of manifest.files.filter(({ path }) => tableOfPath(path) === undefined)) {
    const target = join(dataDir, file.path);
    const bytes = await readChecked(backup, file);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(target)) await writeFile(target, bytes, { mode: 0o600, flag: 'wx' });
    else if (!bytes.equals(await readFile(target)))
      throw new Error(`${target} is another key than that of the backup: move it away first`);
  }
}

/** A target that had a schema before, which is not the one of the backup. */
async function refuseOtherSchema(
  manifest: RowsManifest,
  control: DatabaseConnection,
  telemetry: TelemetrySide,
): Promise<void> {
  for (const [store, wanted, found] of [
    ['control plane', manifest.control.migrations, await appliedControl(control.db)],
    ['telemetry store', manifest.telemetry.migrations, await appliedTelemetry(telemetry)],
  ] as const)
    if (wanted.toSorted().join() !== found.toSorted().join())
      throw new Error(
        `the empty tables of the ${store} are of another version than the backup: drop them, and run fanion restore again`,
      );
}

/** Reads files in order, and checks each. */
interface Reading {
  of(store: 'control' | 'telemetry', table: string): RowsFile[];
  read(file: RowsFile): Promise<Buffer>;
}

function filesReader({ backup, manifest }: RowsRestore, onBytes: OnBytes): Reading {
  const total = bytesOf(manifest);
  let done = 0;
  return {
    of: (store, table) =>
      manifest.files.filter(({ path }) => {
        const found = tableOfPath(path);
        return found?.store === store && found.table === table;
      }),
    async read(file) {
      const content = await unpack(await readChecked(backup, file));
      done += file.bytes;
      onBytes(done, total);
      return content;
    },
  };
}

async function readChecked(backup: BackupSource, file: RowsFile): Promise<Buffer> {
  const bytes = await backup.readBytes(file);
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
    throw new Error(`${backup.label} is damaged, and the restore is not complete: ${file.path} has a wrong checksum`);
  return bytes;
}

async function restoreTelemetry(manifest: RowsManifest, side: TelemetrySide, reading: Reading): Promise<void> {
  const id = randomUUID();
  const tables = await listTelemetryTables(side);
  refuseOtherTables(manifest.telemetry.tables, tables);
  await emptyTables(side, tables);
  const { signal } = new AbortController(); // a command that is ended takes this with it
  let number = 0;
  for (const table of tables) {
    await inParallel(reading.of('telemetry', table.name), FILES_AT_ONCE, async (file) => {
      const token = tokenOf(id, number++);
      await insertAsRead(side, table, await reading.read(file), { token, signal });
    });
    const copied = manifest.telemetry.tables.find(({ name }) => name === table.name);
    if (copied !== undefined) refuseDifferent(copied, await fingerprint(side, table));
  }
}

async function restoreControl({ db }: DatabaseConnection, restore: RowsRestore, reading: Reading): Promise<void> {
  const { backup, manifest, restorer } = restore;
  const { control } = manifest;
  await db.transaction().execute(async (trx) => {
    await useComparableTexts(trx);
    const tables = await listControlTables(trx);
    const named = tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }));
    refuseOtherTables(control.tables, named);
    await emptyControlTables(trx, tables);
    for (const table of tables) {
      for (const file of reading.of('control', table.name))
        await insertControlRows(trx, table, linesOf(await reading.read(file)));
      const copied = control.tables.find(({ name }) => name === table.name);
      if (copied !== undefined) refuseDifferent(copied, await controlFingerprint(trx, table));
    }
    await setSequences(
      trx,
      control.sequences.map((sequence) => ({ ...sequence, last: skippedTo(sequence) })),
    );
    // Releases before recording rules have nothing to note.
    if (tables.some(({ name }) => name === 'recording_rules')) await noteNextSteps(trx);
    await recordRestored(trx, restoredOf(restorer, backup.label, manifest));
  });
}

function linesOf(content: Buffer): string[] {
  return content.toString('utf8').split('\n').slice(0, -1);
}
