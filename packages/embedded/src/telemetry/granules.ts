import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Rows of a granule, by the name of a table. */
export type GranuleRows = Readonly<Record<string, number>>;

/** What a table has that was created without a size of its own. */
const ENGINES_OWN = 8192;
const SIZE = new RegExp(`\\bindex_granularity = ${ENGINES_OWN}\\b`);

/**
 * Gives existing tables smaller granules, in all databases. Call before the engine starts: it refuses to alter the size, but takes the
 * one that it reads at its start for the parts that it writes from then on. Each part keeps the granules with which it was written, and
 * the table keeps its rows and the tokens of its inserts. A size that somebody has chosen stays as it is.
 *
 * A definition is replaced as a whole, so it can be interrupted at any point and run again.
 * @param engineDir the engine's own directory
 * @returns the number of tables that were changed
 */
export async function refineGranules(engineDir: string, rows: GranuleRows): Promise<number> {
  let changed = 0;
  const metadata = join(engineDir, 'metadata');
  for (const database of await namesIn(metadata))
    for (const [table, size] of Object.entries(rows))
      if (await refine(join(metadata, database), `${table}.sql`, size)) changed++;
  return changed;
}

async function refine(directory: string, name: string, size: number): Promise<boolean> {
  const path = join(directory, name);
  const before = await unlessMissing(readFile(path, 'utf8'));
  const after = before?.replace(/\nSETTINGS [^\n]*\s*$/, (settings) =>
    settings.replace(SIZE, `index_granularity = ${size}`),
  );
  if (after === undefined || after === before) return false;
  // The engine removes a file of this name when it starts.
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o640);
  try {
    await file.writeFile(after);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(directory);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return true;
}

async function namesIn(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return;
    throw error;
  }
}
