import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { MANIFEST, serverOf } from './manifest.ts';
import { type Bucket, labelOf } from './place.ts';
import { timeOfName } from './rules.ts';
import { createS3Client, PARALLEL } from './s3/client.ts';
import { createS3Objects, type S3Objects } from './s3/objects.ts';
import { inParallel } from './s3/parallel.ts';
import { S3_LIMITS, type S3Limits } from './s3/retries.ts';
import { createUploader } from './s3/uploader.ts';
import { type BackupTarget, OWNER, ownerText } from './target.ts';

/** For removing what a failed backup left; the next backup continues it. */
const DISCARD_MS = 20_000;
/** Metadata of a manifest, so that nobody reads all of it for this. */
const SERVER = 'fanion-server';

/**
 * Backups in a bucket, as objects below `prefix/NAME/`. Nothing can be renamed there, so a backup exists when it has a manifest, which is
 * written last. `unfinished.json` is the first and last object of one that is written or removed.
 */
export function s3Target(
  bucket: Bucket,
  { signal, limits = S3_LIMITS }: { readonly signal: AbortSignal; readonly limits?: S3Limits },
): BackupTarget {
  const client = createS3Client(bucket, limits);
  const objects = createS3Objects(client, signal);
  const root = bucket.prefix === '' ? '' : `${bucket.prefix}/`;
  const label = labelOf(bucket);
  const keyOf = (name: string, path: string) => `${root}${name}/${path}`;

  async function listNames(): Promise<string[]> {
    const names = (await objects.listFolders(root)).map((folder) => basename(folder));
    return names.filter((name) => timeOfName(name) !== undefined).sort();
  }

  async function removeUnfinished(name: string, server: string): Promise<void> {
    if ((await objects.getText(keyOf(name, OWNER))) !== ownerText(server)) return;
    const isComplete = (await objects.head(keyOf(name, MANIFEST))) !== undefined;
    // It was killed when it was complete, before the marker was removed.
    if (isComplete) await objects.remove([keyOf(name, OWNER)]);
    else await removeAll(objects, keyOf(name, ''));
  }

  return {
    label,
    pathOf: (name) => `${label}/${name}`,
    async begin({ name, server }) {
      const names = await listNames();
      if (names.includes(name)) throw new Error(`${label}/${name} exists already`);
      await inParallel(names, PARALLEL, (one) => removeUnfinished(one, server));
      await objects.put(keyOf(name, OWNER), Buffer.from(ownerText(server)), {});
      return unfinished(objects, { signal, server, keyOf: (path) => keyOf(name, path) });
    },
    async listComplete() {
      const complete = new Set<string>();
      await inParallel(await listNames(), PARALLEL, async (name) => {
        if ((await objects.head(keyOf(name, MANIFEST))) !== undefined) complete.add(name);
      });
      return [...complete].sort();
    },
    async ownerOf(name) {
      const named = (await objects.head(keyOf(name, MANIFEST)))?.[`x-amz-meta-${SERVER}`];
      // Tools that copy objects may leave their metadata behind.
      return typeof named === 'string' ? named : serverOf((await objects.getText(keyOf(name, MANIFEST))) ?? '{}');
    },
    async remove(name) {
      const server = await this.ownerOf(name);
      await objects.put(keyOf(name, OWNER), Buffer.from(ownerText(server ?? '')), {});
      await removeAll(objects, keyOf(name, ''));
    },
    discard: (name) => removeAll(createS3Objects(client, AbortSignal.timeout(DISCARD_MS)), keyOf(name, '')),
    close: () => client.close(),
  };
}

/** A backup without its manifest. */
function unfinished(
  objects: S3Objects,
  { signal, server, keyOf }: { signal: AbortSignal; server: string; keyOf: (path: string) => string },
): Awaited<ReturnType<BackupTarget['begin']>> {
  return {
    putFiles: createUploader(objects, signal, keyOf),
    async putBytes(path, bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await objects.put(keyOf(path), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { sha256 });
      return { path, bytes: bytes.length, sha256 };
    },
    dropFiles: (paths) => objects.remove(paths.map(keyOf)),
    async commit(manifest) {
      await objects.put(keyOf(MANIFEST), Buffer.from(manifest), { metadata: { [SERVER]: server } });
      await objects.remove([keyOf(OWNER)]).catch(() => {
        // It is complete; the next backup removes the marker.
      });
    },
  };
}

/** First the manifest, so that the rest is no backup; last the marker, so that the next backup finds the rest. */
async function removeAll(objects: S3Objects, prefix: string): Promise<void> {
  await objects.remove([`${prefix}${MANIFEST}`]);
  await objects.abortUploads(prefix);
  const keys = (await objects.list(prefix)).map(({ key }) => key).filter((key) => key !== `${prefix}${OWNER}`);
  await objects.remove(keys);
  await objects.remove([`${prefix}${OWNER}`]);
}
