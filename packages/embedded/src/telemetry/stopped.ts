import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf } from './entries.ts';
import { parsePart, replaces } from './parts.ts';

/** What a stopped telemetry store keeps. */
export interface StoppedTelemetry {
  /** Files and folders, below the store's directory. */
  readonly paths: readonly string[];
  /** Rows by table, as `database.table`. */
  readonly rows: Readonly<Record<string, number>>;
}

const UUID = /\bUUID '([0-9a-f-]{36})'/;

/**
 * Finds what has to be copied of a store that nobody has open: definitions, parts, and the blocks that each table remembers for
 * deduplication; not what a killed engine had not finished.
 */
export async function stoppedTables(storeDir: string): Promise<StoppedTelemetry> {
  const engine = join(storeDir, 'engine');
  const paths: string[] = [];
  const rows: Record<string, number> = {};
  const names = new Map<string, string>();
  for (const file of await filesOf(join(engine, 'metadata'))) {
    paths.push(`engine/metadata/${file}`);
    const uuid = UUID.exec(await readFile(join(engine, 'metadata', file), 'utf8'))?.[1];
    if (uuid === undefined) continue;
    const folder = join(engine, 'store', uuid.slice(0, 3), uuid);
    for (const table of await filesOf(folder)) {
      const id = UUID.exec(await readFile(join(folder, table), 'utf8'))?.[1];
      if (id !== undefined) names.set(id, `${nameOf(file)}.${nameOf(table)}`);
    }
  }
  for (const prefix of await foldersOf(join(engine, 'store')))
    for (const uuid of await foldersOf(join(engine, 'store', prefix))) {
      const folder = join('engine', 'store', prefix, uuid);
      const parts = (await foldersOf(join(storeDir, folder))).filter((name) => parsePart(name) !== undefined);
      const files = await filesOf(join(storeDir, folder));
      const logs = await filesOf(join(storeDir, folder, 'deduplication_logs'));
      for (const name of [...files, ...logs.map((log) => join('deduplication_logs', log)), ...parts])
        paths.push(join(folder, name));
      const table = names.get(uuid);
      if (table !== undefined && logs.length + parts.length > 0)
        rows[table] = await rowsOf(join(storeDir, folder), parts);
    }
  return { paths, rows };
}

/** Rows of the parts that the engine reads. Others stay until it removes them. */
async function rowsOf(table: string, names: readonly string[]): Promise<number> {
  const parts = names.flatMap((name) => {
    const part = parsePart(name);
    return part === undefined ? [] : [{ name, part }];
  });
  const read = parts.filter(({ part }) => !parts.some((other) => replaces(other.part, part)));
  const counts = await Promise.all(read.map(({ name }) => readFile(join(table, name, 'count.txt'), 'utf8')));
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** `a%2Db.sql` → `a-b`, as the engine escapes names. */
function nameOf(file: string): string {
  return decodeURIComponent(file.replace(/\.sql$/, ''));
}

async function filesOf(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function foldersOf(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
