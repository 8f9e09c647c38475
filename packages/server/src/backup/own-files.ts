import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { keyFilesIn } from '../config/secret-key.ts';
import type { Manifest } from './manifest.ts';
import type { Source } from './write.ts';

/**
 * The server's own small files that a restored server needs: its secret key, unless that is in the environment, and its id, by which
 * it finds its own row among the servers. Not: rulesets, which it writes when it starts, mails, snapshots, locks and sockets.
 */
export function ownFiles(dataDir: string): { sources: Source[]; secretKey: Manifest['secretKey'] } {
  const keys = keyFilesIn(dataDir);
  const files = [...keys, join(dataDir, 'replica.id')].filter((file) => existsSync(file));
  return {
    sources: files.map((from) => ({ from, to: basename(from) })),
    secretKey: keys.includes(join(dataDir, 'secret.key')) ? 'included' : 'FANION_SECRET_KEY',
  };
}

/** What a data directory holds if a server has used it. */
export const OWN_PLACES = [
  ...['control', 'telemetry', 'wal', 'backups', 'rulesets', 'mail'],
  ...['secret.key', 'secret.key.previous', 'replica.id'],
];

/** In a data directory: a restore that is not in the audit logs yet. */
export const RESTORED = 'restored.json';

/** In a data directory: a restore that is not complete. */
export const RESTORING = 'restore.partial';
