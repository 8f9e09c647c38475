import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of a part's directory: `partition_minBlock_maxBlock_level`, plus the version after a mutation. */
const PART = /^(.+)_(\d+)_(\d+)_\d+(?:_\d+)?$/;
const LOG = /^deduplication_log_(\d+)\.txt$/;
const ADDED = '1';
const DROPPED = '2';

interface Part {
  readonly partition: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Makes the engine forget the blocks of which it has no rows. Call before it starts. For an insert, the engine first
 * writes the block to the table's deduplication log and then renames the part. If it is killed in between, it would
 * treat the repeated block as a duplicate, and the rows would never be stored.
 * @param engineDir the engine's own directory
 * @returns the number of forgotten blocks
 */
export async function forgetUnfinishedInserts(engineDir: string): Promise<number> {
  let forgotten = 0;
  for (const prefix of await namesIn(join(engineDir, 'store')))
    for (const table of await namesIn(join(engineDir, 'store', prefix)))
      forgotten += await forgetInTable(join(engineDir, 'store', prefix, table));
  return forgotten;
}

async function forgetInTable(table: string): Promise<number> {
  const directory = join(table, 'deduplication_logs');
  const logs = (await namesIn(directory)).filter((name) => LOG.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  const newest = logs.at(-1);
  if (newest === undefined) return 0;
  const parts = (await namesIn(table)).flatMap((name) => parsePart(name) ?? []);
  const unfinished = [...(await readBlocks(logs.map((name) => join(directory, name))))].filter(([, name]) => {
    const part = parsePart(name);
    return part !== undefined && !parts.some((other) => covers(other, part));
  });
  const lines = unfinished.map(([block, part]) => `${DROPPED}\t${part}\t${block}\n`);
  if (lines.length > 0) await appendFile(join(directory, newest), lines.join(''));
  return lines.length;
}

/** Blocks in the logs, oldest first, with the names of their parts. */
async function readBlocks(logs: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const log of logs)
    for (const line of (await readFile(log, 'utf8')).split('\n')) {
      const [operation, part, block] = line.split('\t');
      if (part === undefined || block === undefined) continue;
      if (operation === ADDED) blocks.set(block, part);
      else blocks.delete(block);
    }
  return blocks;
}

function parsePart(name: string): Part | undefined {
  const [, partition, first, last] = PART.exec(name) ?? [];
  return partition === undefined ? undefined : { partition, first: Number(first), last: Number(last) };
}

/** Whether a part is another one, or was merged from it. */
function covers(part: Part, other: Part): boolean {
  return part.partition === other.partition && part.first <= other.first && other.last <= part.last;
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
