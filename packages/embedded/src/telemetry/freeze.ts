import { copyFile, link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { entriesOf, unlessMissing } from './entries.ts';
import { quoteIdentifier, quoteString } from './quoting.ts';

/** A copy of all tables as they were at one moment, in the layout of the store's directory. */
export interface FrozenTelemetry {
  /** On the store's file system: files of rows share their space with the tables. */
  readonly dir: string;
  /** Rows by table, as `database.table`. */
  readonly rows: Readonly<Record<string, number>>;
}

interface Table {
  readonly name: string;
  readonly uuid: string;
  readonly statement: string;
}

/** Views, and others that keep no rows. */
const WITHOUT_ROWS = ['View', 'MaterializedView', 'Null', 'Dictionary'];
const TABLES_AT_ONCE = 4;
/** Of a part; FREEZE leaves it out, because it expects the part in another table. */
const METADATA_VERSION = 'metadata_version.txt';
const COUNT = 'count.txt';

/**
 * Freezes all tables by hard links, while the gate holds back writes; merges may go on. `ALTER TABLE … FREEZE` links the parts,
 * which it keeps from being removed meanwhile. What it leaves out is copied first: definitions, the blocks that each table
 * remembers for deduplication, and mutations. (A part that already has one of these mutations does not get it again.)
 * @param storeDir the store's directory
 * @throws Error for a table of an engine that cannot be frozen
 */
export async function freezeTables(engine: Engine, storeDir: string, name: string): Promise<void> {
  const { engineDir, target } = placesOf(storeDir, name);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const { databases, tables } = await listTables(engine);
  await copyFiles(join(engineDir, 'metadata'), join(target, 'metadata'));
  for (const uuid of databases) await copyFiles(join(engineDir, folderOf(uuid)), join(target, folderOf(uuid)));
  await inParallel(tables, async ({ uuid, statement }) => {
    const [from, to] = [join(engineDir, folderOf(uuid)), join(target, folderOf(uuid))];
    await copyFiles(from, to);
    await copyFiles(join(from, 'deduplication_logs'), join(to, 'deduplication_logs'));
    const sql = `${statement} FREEZE WITH NAME ${quoteString(name)}`;
    await engine.query({ id: `freeze-${uuid}`, format: 'Null', sql });
  });
}

/** Brings what was frozen into the layout of the store's directory, when writes go on again: this takes longer than the freeze. */
export async function gatherFrozen(engine: Engine, storeDir: string, name: string): Promise<FrozenTelemetry> {
  const { engineDir, dir, target, shadow } = placesOf(storeDir, name);
  const { tables } = await listTables(engine);
  const rows: Record<string, number> = {};
  await inParallel(tables, async ({ name: table, uuid }) => {
    const folder = folderOf(uuid);
    rows[table] = await moveParts(join(shadow, folder), join(engineDir, folder), join(target, folder));
  });
  await rm(shadow, { recursive: true, force: true });
  return { dir, rows };
}

function placesOf(storeDir: string, name: string) {
  const engineDir = join(storeDir, 'engine');
  const dir = join(frozenDirectory(storeDir), name);
  return { engineDir, dir, target: join(dir, 'engine'), shadow: join(engineDir, 'shadow', name) };
}

/** After a failure it begins no more tables, and throws when those that run have ended: nothing is frozen after that. */
async function inParallel(tables: readonly Table[], action: (table: Table) => Promise<void>): Promise<void> {
  const waiting = [...tables];
  const failures: unknown[] = [];
  const work = async () => {
    while (failures.length === 0) {
      const table = waiting.shift();
      if (table === undefined) return;
      await action(table).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: TABLES_AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}

/** Removes what was frozen: all, or under one name. */
export async function removeFrozen(storeDir: string, name = ''): Promise<void> {
  await rm(join(storeDir, 'engine', 'shadow', name), { recursive: true, force: true });
  await rm(join(frozenDirectory(storeDir), name), { recursive: true, force: true });
}

function frozenDirectory(storeDir: string): string {
  return join(storeDir, 'frozen');
}

async function listTables(engine: Engine): Promise<{ databases: string[]; tables: Table[] }> {
  const own = `NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')`;
  const databases = await select(engine, `SELECT toString(uuid) FROM system.databases WHERE name ${own}`);
  const found = await select(
    engine,
    `SELECT database, name, engine, toString(uuid) FROM system.tables WHERE database ${own} AND NOT is_temporary`,
  );
  const tables = found.flatMap(([database = '', name = '', kind = '', uuid = '']) => {
    if (WITHOUT_ROWS.includes(kind)) return [];
    if (!kind.endsWith('MergeTree'))
      throw new Error(`the table ${database}.${name} of the engine ${kind} cannot be frozen`);
    const statement = `ALTER TABLE ${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
    return [{ name: `${database}.${name}`, uuid, statement }];
  });
  return { databases: databases.flatMap(([uuid]) => (uuid === undefined || NIL.test(uuid) ? [] : [uuid])), tables };
}

/** Of databases that have no files of their own. */
const NIL = /^[0-]+$/;

async function select(engine: Engine, sql: string): Promise<string[][]> {
  const { bytes } = await engine.query({ id: 'frozen-tables', format: 'JSONCompactEachRow', sql });
  const lines = Buffer.from(bytes).toString().split('\n');
  return lines.filter((line) => line !== '').map((line): string[] => JSON.parse(line));
}

function folderOf(uuid: string): string {
  return join('store', uuid.slice(0, 3), uuid);
}

/** Copies the plain files of a folder, which are small; nothing if there is no such folder. */
async function copyFiles(from: string, to: string): Promise<void> {
  const files = (await entriesOf(from)).filter((entry) => entry.isFile());
  await mkdir(to, { recursive: true, mode: 0o700 });
  // Missing where the engine has removed a mutation that is done since then.
  for (const { name } of files) await copyFile(join(from, name), join(to, name)).catch(unlessMissing);
}

/** @returns the rows of the parts */
async function moveParts(frozen: string, table: string, to: string): Promise<number> {
  let rows = 0;
  for (const { name } of await entriesOf(frozen)) {
    const part = join(to, name);
    await rename(join(frozen, name), part);
    // Missing where a merge has replaced the part since then; its rows are the same.
    await link(join(table, name, METADATA_VERSION), join(part, METADATA_VERSION)).catch(unlessMissing);
    rows += Number(await readFile(join(part, COUNT), 'utf8'));
  }
  return rows;
}
