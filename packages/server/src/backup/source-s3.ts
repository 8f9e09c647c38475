import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupFile, MANIFEST } from './manifest.ts';
import { type Bucket, labelOf } from './place.ts';
import { createS3Client, PARALLEL, type S3Client } from './s3/client.ts';
import { S3Failure } from './s3/failure.ts';
import { createS3Objects } from './s3/objects.ts';
import { inParallel } from './s3/parallel.ts';
import { S3_LIMITS, type S3Limits, withRetries } from './s3/retries.ts';
import { type BackupSource, OWNER } from './target.ts';
import { s3Target } from './target-s3.ts';

/** A backup in a bucket. Its objects are downloaded once each, some at the same time. */
export function s3Source(bucket: Bucket, limits: S3Limits = S3_LIMITS): BackupSource {
  const { signal } = new AbortController(); // a command that is ended takes this with it
  const client = createS3Client(bucket, limits);
  const objects = createS3Objects(client, signal);
  const root = bucket.prefix === '' ? '' : `${bucket.prefix}/`;
  return {
    label: labelOf(bucket),
    isLocal: false,
    readManifest: () => objects.getText(`${root}${MANIFEST}`),
    async listFiles() {
      const found = (await objects.list(root)).map(({ key, bytes }) => ({ path: key.slice(root.length), bytes }));
      // Consoles make objects for folders.
      return found.filter(({ path }) => path !== MANIFEST && path !== OWNER && path !== '' && !path.endsWith('/'));
    },
    async readFiles(files, to, onBytes) {
      const hashes = new Map<string, string>();
      await inParallel(files, PARALLEL, async (file) => {
        const target = to === undefined ? undefined : join(to, file.path);
        hashes.set(file.path, await downloadHashed(client, { file, key: `${root}${file.path}`, target }, onBytes));
      });
      return hashes;
    },
    async readBytes(file) {
      const chunks: Buffer[] = [];
      await download(client, { file, key: `${root}${file.path}` }, (chunk) => chunks.push(chunk));
      return Buffer.concat(chunks);
    },
    async listOthers() {
      const target = s3Target(bucket, { signal, limits });
      return target.listComplete().finally(() => target.close());
    },
    close: () => client.close(),
  };
}

/** Continues where a connection ended. @param onChunk gets all bytes, in order */
async function download(
  client: S3Client,
  { file, key }: { readonly file: BackupFile; readonly key: string },
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const { signal } = new AbortController();
  let [done, etag]: [number, string | undefined] = [0, undefined];
  const readOn = async () => {
    const rest = done === 0 ? {} : { range: `bytes=${done}-`, ...(etag === undefined ? {} : { 'if-match': etag }) };
    const { headers, status, body } = await client.open({ method: 'GET', key, headers: rest }, signal);
    if (done > 0 && status !== 206) throw changed(key);
    etag = headers.etag;
    for await (const chunk of body) {
      if (done + chunk.length > file.bytes) throw changed(key);
      onChunk(chunk);
      done += chunk.length;
    }
    if (done < file.bytes) throw new S3Failure(`${key} ended early`, { code: '', isTemporary: true });
  };
  await withRetries(readOn, { limits: client.limits, signal, progress: () => done });
}

/** @returns the SHA-256 of the bytes */
async function downloadHashed(
  client: S3Client,
  { target, ...from }: { readonly file: BackupFile; readonly key: string; readonly target: string | undefined },
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  const fd = target === undefined ? undefined : openSync(target, 'wx', 0o600);
  try {
    await download(client, from, (chunk) => {
      hash.update(chunk);
      for (let at = 0; fd !== undefined && at < chunk.length; ) at += writeSync(fd, chunk, at);
      onBytes(chunk.length);
    });
    return hash.digest('hex');
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function changed(key: string): S3Failure {
  return new S3Failure(`${key} has changed while it was read`, { code: '', isTemporary: false });
}
