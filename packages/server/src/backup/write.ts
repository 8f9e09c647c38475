import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../platform/message-of.ts';
import { listFiles } from './files.ts';
import { FILES_FORMAT, type Manifest, type ManifestHead, type ManifestSummary, summaryOf } from './manifest.ts';
import { outdated, timeOfName } from './rules.ts';
import type { BackupTarget, SourceFile, UnfinishedBackup } from './target.ts';

/** A file or a folder that goes into a backup. */
export interface Source {
  readonly from: string;
  /** In the backup. */
  readonly to: string;
  /** Compress it; only a file. */
  readonly gzip?: boolean;
}

export interface BackupPlan {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly head: ManifestHead;
  /** Older backups of this server beyond so many are removed at the end; undefined: none are. */
  readonly keep?: number | undefined;
}

/** What is told while it is written. */
export interface Progress {
  /** Of rows, `done` and `total` count rows of telemetry; of files, bytes. */
  readonly phase: 'pausing' | 'copying' | 'copying accounts and flags' | 'copying rows';
  readonly done: number;
  readonly total: number;
}

export interface BackupDone extends ManifestSummary {
  readonly path: string;
  /** Backups that were removed because newer ones are complete. */
  readonly removed: readonly string[];
}

/** Writes a backup of files. @param signal whose reason is thrown when it is aborted */
export async function writeBackup(
  target: BackupTarget,
  plan: BackupPlan,
  { onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<BackupDone> {
  const { name, head, keep } = plan;
  return completeBackup(target, { name, keep, server: head.server, signal }, async (unfinished) => {
    const found = plan.sources.flatMap(filesOf);
    const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    let done = 0;
    const files = await unfinished.putFiles(found, (bytes) => {
      signal.throwIfAborted();
      done += bytes;
      onProgress({ phase: 'copying', done, total });
    });
    return { ...head, format: FILES_FORMAT, files };
  });
}

export interface Completion extends Pick<BackupPlan, 'name' | 'keep'> {
  /** The id of the server whose older backups are removed. */
  readonly server: string;
  readonly signal: AbortSignal;
}

/**
 * Writes a backup, and its manifest last; nothing is left of a failure.
 * @param fill writes everything else
 * @throws the signal's reason when it is aborted
 */
export async function completeBackup(
  target: BackupTarget,
  { name, server, keep, signal }: Completion,
  fill: (unfinished: UnfinishedBackup) => Promise<Manifest>,
): Promise<BackupDone> {
  let isUnfinished = false;
  try {
    const unfinished = await target.begin({ name, server });
    isUnfinished = true;
    const manifest = await fill(unfinished);
    signal.throwIfAborted();
    await unfinished.commit(JSON.stringify(manifest, undefined, 1));
    isUnfinished = false;
    const removed = keep === undefined ? [] : await removeOutdated(target, server, keep);
    return { path: target.pathOf(name), ...summaryOf(manifest), removed };
  } catch (error) {
    if (isUnfinished)
      await target.discard(name).catch(() => {
        // The place has vanished or cannot be written, which the error says.
      });
    signal.throwIfAborted();
    if (error instanceof NotReadable) throw error;
    throw new Error(`the backup could not be written to ${target.label}: ${messageOf(error)}`);
  }
}

/** The stores are the reason of a failure, not the place of the backup. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

/** The newest complete backup of a server in a place, by its name; undefined: there is none. Other servers may use the same place. */
export async function newestBackup(
  target: Pick<BackupTarget, 'listComplete' | 'ownerOf'>,
  server: string,
): Promise<number | undefined> {
  for (const name of (await target.listComplete()).toReversed())
    if (timeOfName(name) !== undefined && (await target.ownerOf(name)) === server) return timeOfName(name);
  return undefined;
}

function filesOf({ from, to, gzip = false }: Source): SourceFile[] {
  const found = statSync(from);
  if (!found.isDirectory()) return [{ from, path: to, bytes: found.size, gzip }];
  return listFiles(from).map(({ path, bytes }) => ({ from: join(from, path), path: `${to}/${path}`, bytes, gzip }));
}

/** Other servers may use the same place. */
async function removeOutdated(target: BackupTarget, server: string, keep: number): Promise<string[]> {
  const own: string[] = [];
  for (const name of await target.listComplete()) if ((await target.ownerOf(name)) === server) own.push(name);
  const removed = outdated(own, keep);
  for (const name of removed) await target.remove(name);
  return removed;
}
