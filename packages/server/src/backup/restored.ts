import { existsSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { recordInAllWorkspaces } from '../features/identity/audit/index.ts';
import type { Log } from '../platform/log.ts';
import type { Database, Executor } from '../platform/postgres/database.ts';
import { syncPath } from './files.ts';
import { type Manifest, MOST_BY } from './manifest.ts';
import { RESTORED } from './own-files.ts';

const LONGEST_PLACE = 4_096;

/** A restore, as the audit log of each workspace has it. */
const Restored = z.object({
  at: z.iso.datetime(),
  /** The operating system's user who ran the command. */
  by: z.string().max(MOST_BY),
  /** The backup or the snapshot: a path, or a bucket with its prefix. */
  from: z.string().max(LONGEST_PLACE),
  /** When it was taken, with which version, and by whom; null: it does not say. */
  taken: z.iso.datetime().nullable(),
  fanion: z.string().nullable(),
  takenBy: z.string().nullable(),
});
export type Restored = z.infer<typeof Restored>;

/** Who restores, and when. */
export type Restorer = Pick<Restored, 'at' | 'by'>;

/** @param manifest undefined: of a snapshot, which has none */
export function restoredOf({ at, by }: Restorer, from: string, manifest?: Manifest): Restored {
  const { taken = null, fanion = null, by: takenBy = null } = manifest ?? {};
  return { at, by, from: from.slice(-LONGEST_PLACE), taken, fanion, takenBy };
}

/** Writes an entry to the audit log of each workspace: a restore changes the data of all. */
export async function recordRestored(db: Executor, { at, by, from, taken, fanion, takenBy }: Restored): Promise<void> {
  const actor = { type: 'system', id: null, name: `fanion restore, run by ${by}` } as const;
  const fact = {
    action: 'restore.complete',
    resource: { type: 'backup', id: basename(from), name: from },
    after: { taken, fanion, taken_by: takenBy },
  };
  await recordInAllWorkspaces(db, { actor, ip: null, requestId: null }, fact, new Date(at));
}

/** Leaves the entry in a data directory, whose control plane does not run: its next server writes it. */
export async function leaveRestored(dataDir: string, restored: Restored): Promise<void> {
  const path = join(dataDir, RESTORED);
  await writeFile(path, `${JSON.stringify(restored)}\n`, { mode: 0o600 });
  syncPath(path);
}

/** Writes the entry that a restore has left. A server that is killed meanwhile writes it at its next start. */
export async function recordLeftRestored(dataDir: string, { db, log }: { readonly db: Database; readonly log: Log }) {
  const path = join(dataDir, RESTORED);
  if (!existsSync(path)) return;
  try {
    const restored = Restored.parse(JSON.parse(readFileSync(path, 'utf8')));
    await db.transaction().execute((trx) => recordRestored(trx, restored));
    rmSync(path);
    log.info({ event: 'restore.complete', ...restored }, 'this server was restored');
  } catch (error) {
    log.error({ err: error, path }, 'a restore could not be written to the audit logs; the next start tries again');
  }
}
