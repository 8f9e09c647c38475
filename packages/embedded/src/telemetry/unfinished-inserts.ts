import { appendFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { covers, parsePart } from './parts.ts';

/** One line of a log: operation, part, block. What is left of a record that a kill cut off may come before it. */
const RECORD = /([12])\t([^\t]+)\t([^\t]+)$/;
const LOG = /^deduplication_log_(\d+)\.txt$/;
const ADDED = '1';
const DROPPED = '2';

/** An entry of a deduplication log. */
interface LogRecord {
  readonly operation: string;
  readonly part: string;
  readonly block: string;
}

/**
 * Mends what a kill left of unfinished inserts. Call before the engine starts. For an insert, the engine first writes the
 * block to the table's deduplication log and then renames the part. If it is killed in between, it would treat the
 * repeated block as a duplicate, and the rows would never be stored: blocks without rows are forgotten. If it is killed
 * while it writes the entry, it would read neither that entry nor those written after it, and store their blocks again:
 * entries that were cut off are removed.
 * @param engineDir the engine's own directory
 * @returns the number of forgotten blocks
 */
export async function mendUnfinishedInserts(engineDir: string): Promise<number> {
  let forgotten = 0;
  for (const prefix of await namesIn(join(engineDir, 'store')))
    for (const table of await namesIn(join(engineDir, 'store', prefix)))
      forgotten += await mendTable(join(engineDir, 'store', prefix, table), join(engineDir, 'deduplication_log.new'));
  return forgotten;
}

/** @param scratch a path that only this function uses */
async function mendTable(table: string, scratch: string): Promise<number> {
  const directory = join(table, 'deduplication_logs');
  const logs = (await namesIn(directory)).filter((name) => LOG.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  const newest = logs.at(-1);
  if (newest === undefined) return 0;
  const blocks = new Map<string, string>();
  for (const name of logs)
    for (const { operation, part, block } of await mendLog(join(directory, name), scratch)) {
      if (operation === ADDED) blocks.set(block, part);
      else blocks.delete(block);
    }
  const parts = (await namesIn(table)).flatMap((name) => parsePart(name) ?? []);
  const unfinished = [...blocks].filter(([, name]) => {
    const part = parsePart(name);
    return part !== undefined && !parts.some((other) => covers(other, part));
  });
  const lines = unfinished.map(([block, part]) => lineOf({ operation: DROPPED, part, block }));
  if (lines.length > 0) await appendFile(join(directory, newest), lines.join(''));
  return lines.length;
}

/** The records of a log, oldest first, which it then consists of. */
async function mendLog(path: string, scratch: string): Promise<LogRecord[]> {
  const text = await readFile(path, 'utf8');
  // After the last line break is nothing, or a record that was cut off.
  const records = text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [, operation, part, block] = RECORD.exec(line) ?? [];
      return operation && part && block ? [{ operation, part, block }] : [];
    });
  const mended = records.map(lineOf).join('');
  if (mended !== text) {
    await writeFile(scratch, mended, { flush: true });
    await rename(scratch, path);
  }
  return records;
}

function lineOf({ operation, part, block }: LogRecord): string {
  return `${operation}\t${part}\t${block}\n`;
}

function numberOf(log: string): number {
  return Number(LOG.exec(log)?.[1]);
}

/** Empty if the directory does not exist. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
