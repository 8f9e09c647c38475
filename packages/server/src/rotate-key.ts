import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory, startControlStore } from '@fanion/embedded';
import { givenVariables } from './config/secret-files.ts';
import { newSecretKey, secretKeyFiles } from './config/secret-key.ts';
import { ConfigError, readConfig } from './config.ts';
import { encryptAgain } from './features/alerting/channels/index.ts';
import { sealPayloadKeysAgain } from './features/identity/tokens/index.ts';
import { createEncryption } from './platform/encryption.ts';
import { createLog } from './platform/log.ts';
import { connectDatabase } from './platform/postgres/database.ts';
import { migrate } from './platform/postgres/migrate.ts';

/**
 * Encrypts everything that is stored encrypted with the current secret key, so that the previous one can be forgotten.
 * - With `FANION_SECRET_KEY`: the key before it is `FANION_SECRET_KEY_PREVIOUS`. Servers that know both may run.
 * - Without: makes a new key in the data directory. A server that uses the directory must be stopped. The previous key
 *   stays beside the new one until all is done, so that the command can be interrupted and run again.
 */
export async function rotateKey(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly changed: number }> {
  const { dataDir, databaseUrl } = readConfig(env);
  const { FANION_SECRET_KEY: key, FANION_SECRET_KEY_PREVIOUS: previousKey } = givenVariables(env);
  const ownKey = key === undefined;
  if (!ownKey && previousKey === undefined)
    throw new ConfigError('FANION_SECRET_KEY_PREVIOUS: missing: set it to the key that FANION_SECRET_KEY replaces');
  const lock = databaseUrl === undefined ? lockDataDirectory(dataDir) : undefined;
  try {
    if (ownKey) replaceKeyFile(dataDir);
    const { secretKey, previousSecretKey } = readConfig(env);
    const encryption = createEncryption(secretKey, previousSecretKey);
    const changed = await withDatabase(
      dataDir,
      databaseUrl,
      async (db) => (await encryptAgain(db, encryption)) + (await sealPayloadKeysAgain(db, encryption)),
    );
    if (ownKey) rmSync(secretKeyFiles(dataDir).previous, { force: true });
    return { changed };
  } finally {
    lock?.release();
  }
}

/** A previous key that is still there is of a run that was interrupted, which made the new key already. */
function replaceKeyFile(dataDir: string): void {
  const { current, previous } = secretKeyFiles(dataDir);
  if (existsSync(previous)) return;
  const next = `${current}.next`;
  writeFileSync(next, newSecretKey(), { mode: 0o600 });
  renameSync(current, previous);
  renameSync(next, current);
}

async function withDatabase<T>(
  dataDir: string,
  databaseUrl: string | undefined,
  work: (db: ReturnType<typeof connectDatabase>['db']) => Promise<T>,
): Promise<T> {
  const log = createLog('error');
  const embedded =
    databaseUrl === undefined
      ? await startControlStore({
          dir: join(dataDir, 'control'),
          backupDir: join(dataDir, 'backups'),
          snapshotEveryMs: 600_000,
          log,
        })
      : undefined;
  const target = embedded?.connection ?? { url: databaseUrl ?? '' };
  const database = connectDatabase(target, { maxConnections: 1, timeoutMs: 30_000, onError: () => {} });
  try {
    // The embedded store may be of an older release; others migrate with their servers.
    if (embedded !== undefined) await migrate(database.db);
    return await work(database.db);
  } finally {
    await database.close();
    await embedded?.stop();
  }
}
