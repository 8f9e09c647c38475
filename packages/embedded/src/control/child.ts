import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { claimStoreDirectory } from '../store-directory.ts';
import { runChild } from '../supervisor/child.ts';

export interface ControlChildConfig {
  dir: string;
  socketDir: string;
}

const CONNECTIONS = 100;

runChild<ControlChildConfig, Record<string, never>>(async (config, parent) => {
  const lock = await claimStoreDirectory(config.dir, parent);
  await mkdir(config.socketDir, { recursive: true, mode: 0o700 });
  await chmod(config.socketDir, 0o700);
  const socketPath = join(config.socketDir, '.s.PGSQL.5432');
  await rm(socketPath, { force: true });
  const database = await PGlite.create({ dataDir: join(config.dir, 'pgdata') });
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: CONNECTIONS });
  await server.start();
  return {
    ready: {},
    check: async () => {},
    close: async () => {
      await server.stop();
      await database.close();
      lock.release();
    },
  };
});
