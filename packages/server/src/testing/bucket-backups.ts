import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packStoppedDatabase } from '@fanion/embedded';
import { onTestFinished } from 'vitest';
import { type Bucket, placeOf, type S3Settings } from '../backup/place.ts';
import { restoreBackup } from '../backup/restore.ts';
import { backupName } from '../backup/rules.ts';
import type { S3Limits } from '../backup/s3/retries.ts';
import { s3Source } from '../backup/source-s3.ts';
import { s3Target } from '../backup/target-s3.ts';
import { verifyBackup } from '../backup/verify.ts';
import { type BackupPlan, newestBackup, type Progress, writeBackup } from '../backup/write.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const version = '0.1.0';
export const day = 86_400_000;
export const MIB = 1024 ** 2;
export const limits: S3Limits = { attempts: 3, firstWaitMs: 5, idleMs: 2_000, attemptMs: 20_000 };
export const large = 'telemetry/engine/store/large.bin';
export let work: string;
export let server: S3Server;

/** Before each test: an empty bucket, and files of a server to back up. */
export async function prepareBucket(): Promise<void> {
  work = await mkdtemp(join(tmpdir(), 'fanion-bucket-'));
  server = await startS3Server();
  onTestFinished(async () => {
    await server.vanish();
    rmSync(work, { recursive: true, force: true });
  });
  mkdirSync(join(work, 'engine/store/a%2Eb (c)'), { recursive: true });
  for (let n = 0; n < 60; n++) writeFileSync(join(work, `engine/store/a%2Eb (c)/${n}+&'.bin`), `rows ${n}`);
  writeFileSync(join(work, 'engine/store/empty.bin'), '');
  writeFileSync(join(work, 'engine/store/large.bin'), Buffer.alloc(20 * MIB + 3, 'telemetry '));
  writeFileSync(join(work, 'secret.key'), 'a key');
  mkdirSync(join(work, 'control/pgdata'), { recursive: true });
  writeFileSync(join(work, 'control/pgdata/PG_VERSION'), '18');
  await packStoppedDatabase(join(work, 'control'), join(work, 'control.tar'));
}

const settings = (change: Partial<S3Settings> = {}): S3Settings => ({
  ...{ ...server.account, sessionToken: 'a-token', endpointS3: server.endpoint, endpoint: undefined },
  ...change,
});

export function bucketOf(place: string, change: Partial<S3Settings> = {}): Bucket {
  const bucket = placeOf(place, settings(change));
  if (bucket.kind !== 's3') throw new Error(`${place} is not a bucket`);
  return bucket;
}

export const planOf = (at: number, more: Partial<BackupPlan> = {}): BackupPlan => ({
  name: backupName(at),
  sources: [
    { from: join(work, 'control.tar'), to: 'control.tar.gz', gzip: true },
    { from: join(work, 'engine'), to: 'telemetry/engine' },
    { from: join(work, 'secret.key'), to: 'secret.key' },
  ],
  head: {
    ...{ fanion: version, taken: new Date(at).toISOString(), server: 'server-1', secretKey: 'included', workspaces: 1 },
    ...{ telemetry: { rows: { 'fanion.spans': 7 } }, log: { segments: 0, bytes: 0 } },
  },
  ...more,
});
export const byServer = (id: string) => ({ head: { ...planOf(0).head, server: id } });

interface Writing {
  readonly place?: string;
  readonly settings?: Partial<S3Settings>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export async function write(plan: BackupPlan, given: Writing = {}) {
  const { place = 's3://backups/deep/prefix', onProgress = () => {}, signal = new AbortController().signal } = given;
  const target = s3Target(bucketOf(place, given.settings), { signal, limits });
  return writeBackup(target, plan, { onProgress, signal }).finally(() => target.close());
}

const source = (path: string) => {
  const opened = s3Source(bucketOf(path), limits);
  onTestFinished(() => opened.close());
  return opened;
};
export const verify = (path: string) => verifyBackup(source(path), version, () => {});
export const restore = (path: string, dataDir = join(work, 'data')) =>
  restoreBackup(
    { backup: source(path), dataDir, restorer: { at: '2026-11-29T08:00:00.000Z', by: 'ann' } },
    { verified: () => {}, copied: () => {} },
  );
export const newest = () =>
  newestBackup(
    s3Target(bucketOf('s3://backups/deep/prefix'), { signal: new AbortController().signal, limits }),
    'server-1',
  );
/** The names of folders below the prefix. */
export const names = () => [...new Set([...server.objects.keys()].map((key) => key.split('/')[2]))].sort();
export const keyOf = (at: number, path: string) => `deep/prefix/${backupName(at)}/${path}`;
