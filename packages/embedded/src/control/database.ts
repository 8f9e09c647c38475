import { PGlite } from '@electric-sql/pglite';
import type { Backend } from './listener.ts';

/**
 * PGlite's own default of 160 MB for the page cache more than doubles the memory at rest, for a database
 * that is smaller than that and whose files the kernel caches anyway.
 */
const SERVER_SETTINGS = ['shared_buffers=24MB', 'wal_buffers=1MB', 'min_wal_size=32MB', 'max_wal_size=128MB'];

export interface Database extends Backend {
  /** Writes everything from memory to the files, and returns the position of the log. */
  checkpoint(): Promise<string>;
  /** The position of the log, which moves with every change. */
  position(): Promise<string>;
  close(): Promise<void>;
}

/** Opens the database in a folder, and initializes it if missing (which takes seconds). */
export async function openDatabase(folder: string): Promise<Database> {
  const settings = SERVER_SETTINGS.flatMap((setting) => ['-c', setting]);
  const pglite = await PGlite.create({
    dataDir: folder,
    startParams: [...PGlite.defaultStartParams, ...settings],
  });
  const position = async () => {
    const { rows } = await pglite.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
    return rows[0]?.lsn ?? '';
  };
  return {
    position,
    async checkpoint() {
      await pglite.exec('CHECKPOINT');
      return position();
    },
    execute: (messages, onData) => pglite.execProtocolRawStream(messages, { onRawData: onData }),
    isInTransaction: () => pglite.isInTransaction(),
    close: () => pglite.close(),
  };
}
