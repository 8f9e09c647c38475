import { z } from 'zod';
import type { Backups } from '../backup/backups.ts';
import { placeOf } from '../backup/place.ts';
import { backupBy } from '../backup/rules.ts';
import type { Config } from '../config.ts';
import type { Ingest } from '../features/telemetry/ingest/index.ts';
import { moveCommands } from '../move/switch.ts';
import type { Log } from '../platform/log.ts';
import { openOperatorSocket } from '../platform/operator/index.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Stores } from '../stores.ts';
import { version } from '../version.ts';
import type { Stops } from './stops.ts';

const BackupArguments = z.object({
  directory: z.string().regex(/^(\/|s3:\/\/)/i, 'an absolute path, or s3://bucket/prefix'),
  /** Who runs the command; one of an earlier release does not say it. */
  by: z.string().max(200).default('an unknown user'),
});

/** The operator's socket, for `fanion backup` and `fanion move`. */
export async function openOperator(
  {
    stores,
    db,
    backups,
    ingest,
  }: { readonly stores: Stores; readonly db: Database; readonly backups: Backups; readonly ingest: Ingest },
  { config, log, leave }: { readonly config: Config; readonly log: Log; readonly leave: () => Promise<void> },
  stops: Stops,
): Promise<void> {
  const socket = await openOperatorSocket(config.dataDir, {
    async backup(given, { progress, signal }) {
      const { directory, by } = BackupArguments.parse(given);
      const place = placeOf(directory, config.backups.s3);
      return backups.run({ place, by: backupBy(by), signal, onProgress: progress });
    },
    ...moveCommands({ ingest, embedded: stores.embedded, db, dataDir: config.dataDir, version, log, leave }),
  });
  stops.add(() => socket.close());
}
