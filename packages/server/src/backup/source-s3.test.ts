import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  bucketOf,
  day,
  keyOf,
  large,
  limits,
  MIB,
  planOf,
  prepareBucket,
  restore,
  server,
  verify,
  work,
  write,
} from '../testing/bucket-backups.ts';
import { MANIFEST } from './manifest.ts';
import { backupName } from './rules.ts';
import { s3Source } from './source-s3.ts';
import { s3Target } from './target-s3.ts';

beforeEach(prepareBucket);

describe('a backup in a bucket is refused, and the data directory is not created, for', () => {
  /** Rewrites what the manifest says about the large file. */
  const lie = (about: { readonly bytes: number } | { readonly sha256: string } | { readonly path: string }) => {
    const manifest = JSON.parse(server.objects.get(keyOf(day, MANIFEST))?.body.toString() ?? '');
    Object.assign(
      manifest.files.find(({ path }: { path: string }) => path === large),
      about,
    );
    put(MANIFEST, JSON.stringify(manifest));
  };
  const put = (path: string, text: string) =>
    server.objects.set(keyOf(day, path), { body: Buffer.from(text), metadata: {} });
  const damages: [string, () => void, string][] = [
    ['a changed object', () => put('secret.key', 'a kez'), 'secret.key has a wrong checksum'],
    ['a changed size', () => put('secret.key', 'a key.'), 'secret.key has 6 bytes instead of 5'],
    ['a missing object', () => server.objects.delete(keyOf(day, 'secret.key')), 'secret.key is missing'],
    ['another object', () => put('wal/1.wal', ''), 'wal/1.wal is not in the manifest'],
    ['a manifest that is cut off', () => put(MANIFEST, '{"format": 1'), 'is damaged'],
    ['a manifest with a wrong size', () => lie({ bytes: 5 }), `${large} has 20971523 bytes instead of 5`],
    ['a manifest with a wrong checksum', () => lie({ sha256: '0'.repeat(64) }), `${large} has a wrong checksum`],
    ['a manifest with a path out of the directory', () => lie({ path: 'wal/../../x' }), 'a path of a backup'],
    [
      'an object that vanishes after the listing',
      () => {
        server.fault = ({ method, key }) =>
          method === 'GET' && key.endsWith('large.bin') ? { status: 404, code: 'NoSuchKey' } : undefined;
      },
      'large.bin does not exist',
    ],
    [
      'a server that vanishes in the middle',
      () => {
        server.fault = ({ method, key }) => (method === 'GET' && key.endsWith('.bin') ? { cutAfter: 0 } : undefined);
      },
      'cannot be reached',
    ],
  ];
  it.each(damages)('%s', async (_, damage, message) => {
    const { path } = await write(planOf(day));
    damage();
    await expect(verify(path)).rejects.toThrow(message);
    await expect(restore(path)).rejects.toThrow(message);
    expect(readdirSync(work)).not.toContain('data');
  });
});

describe('a restore from a bucket', () => {
  it('continues downloads where their connections end', async () => {
    const { path } = await write(planOf(day));
    let cuts = 0;
    server.fault = ({ key }) => (key.endsWith('large.bin') && cuts++ < 5 ? { cutAfter: 3 * MIB } : undefined);
    await restore(path);
    expect(cuts).toBeGreaterThan(5);
    execFileSync('diff', ['-r', join(work, 'engine'), join(work, 'data/telemetry/engine')]);
  });

  it('fails when an object changes between two connections', async () => {
    const { path } = await write(planOf(day));
    let reads = 0;
    server.fault = ({ method, key }) => {
      if (method !== 'GET' || !key.endsWith('large.bin')) return undefined;
      if (reads++ === 0) return { cutAfter: 3 * MIB };
      const object = server.objects.get(key);
      if (object !== undefined) object.body = Buffer.alloc(20 * MIB + 3, 'another');
      return undefined;
    };
    await expect(restore(path)).rejects.toThrow('large.bin has changed while it was read');
  });

  it('refuses a used directory before it reads anything', async () => {
    const { path } = await write(planOf(day));
    mkdirSync(join(work, 'data/telemetry'), { recursive: true });
    server.fault = () => ({ status: 500, code: 'Unexpected' });
    await expect(restore(path)).rejects.toThrow('already holds telemetry');
    expect(readdirSync(join(work, 'data'))).toEqual(['telemetry']);
  });
});

describe('files of rows in a bucket', () => {
  const file = { path: 'telemetry/spans/000001.native.gz', bytes: 3, sha256: '0'.repeat(64) };
  const begin = async () => {
    const target = s3Target(bucketOf('s3://backups/deep/prefix'), { signal: new AbortController().signal, limits });
    onTestFinished(() => target.close());
    return target.begin({ name: backupName(day), server: 'stores' });
  };
  const source = () => {
    const opened = s3Source(bucketOf(`s3://backups/deep/prefix/${backupName(day)}`), limits);
    onTestFinished(() => opened.close());
    return opened;
  };

  it('are written out of memory, dropped, and read as a whole, even if a connection ends early', async () => {
    const unfinished = await begin();
    const written = await unfinished.putBytes(file.path, Buffer.from('abc'));
    expect(written).toMatchObject({ path: file.path, bytes: 3 });
    let cuts = 1;
    server.fault = ({ method }) => (method === 'GET' && cuts-- > 0 ? { cutAfter: 1 } : undefined);
    expect((await source().readBytes(written)).toString()).toBe('abc');
    await unfinished.dropFiles([file.path]);
    expect(server.objects.has(keyOf(day, file.path))).toBe(false);
  });

  it('are refused if they are larger than the manifest says', async () => {
    await (await begin()).putBytes(file.path, Buffer.from('abcd'));
    await expect(source().readBytes(file)).rejects.toThrow('has changed while it was read');
  });
});
