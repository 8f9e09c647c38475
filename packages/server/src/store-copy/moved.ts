import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Moved = z.object({
  /** Of the move. */
  id: z.string(),
  at: z.iso.datetime(),
  /** The embedded stores that were moved away; their files stay. */
  stores: z.array(z.enum(['control', 'telemetry'])),
});

/** What a data directory remembers of a complete move to external stores. */
export type Moved = z.infer<typeof Moved>;
export type StoreName = Moved['stores'][number];

/** The variable that replaces each embedded store. */
export const variableOf: Readonly<Record<StoreName, string>> = {
  control: 'DATABASE_URL',
  telemetry: 'CLICKHOUSE_URL',
};

export function movedFile(dataDir: string): string {
  return join(dataDir, 'moved.json');
}

/** @throws Error if the file is not one that a move wrote */
export function readMoved(dataDir: string): Moved | undefined {
  const file = movedFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return Moved.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file} is damaged; delete it if the data of this directory was not moved`, { cause: error });
  }
}

/** The moment of the switch. Blocks, so that nothing happens between the decision and the file. */
export function writeMoved(dataDir: string, moved: Moved): void {
  const draft = `${movedFile(dataDir)}.partial`;
  const fd = openSync(draft, 'w', 0o600);
  writeSync(fd, `${JSON.stringify(moved)}\n`);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(draft, movedFile(dataDir));
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Rejects a start on embedded stores whose data is elsewhere, or people would write to both.
 * @param embedded the stores that would be started from this directory
 */
export function refuseMovedStores(dataDir: string, embedded: readonly StoreName[]): void {
  const moved = readMoved(dataDir);
  const away = embedded.filter((store) => moved?.stores.includes(store));
  if (moved === undefined || away.length === 0) return;
  throw new Error(
    `The data in ${dataDir} was moved at ${moved.at}: set ${away.map((store) => variableOf[store]).join(' and ')}. ` +
      `To return to the state of that moment, without what was stored since, delete ${movedFile(dataDir)}; ` +
      'to move everything back, run fanion move --to-embedded.',
  );
}
