import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packStoppedDatabase } from '@fanion/embedded';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';
import { MANIFEST } from './manifest.ts';
import { type Bucket, placeOf, type S3Settings } from './place.ts';
import { restoreBackup } from './restore.ts';
import { backupName } from './rules.ts';
import type { S3Limits } from './s3/retries.ts';
import { s3Source } from './source-s3.ts';
import { s3Target } from './target-s3.ts';
import { verifyBackup } from './verify.ts';
import { type BackupPlan, newestBackup, type Progress, writeBackup } from './write.ts';

const version = '0.1.0';
const day = 86_400_000;
const MIB = 1024 ** 2;
const limits: S3Limits = { attempts: 3, firstWaitMs: 5, idleMs: 2_000, attemptMs: 20_000 };
const large = 'telemetry/engine/store/large.bin';
let work: string;
let server: S3Server;

beforeEach(async () => {
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
});

const settings = (change: Partial<S3Settings> = {}): S3Settings => ({
  ...{ ...server.account, sessionToken: 'a-token', endpointS3: server.endpoint, endpoint: undefined },
  ...change,
});

function bucketOf(place: string, change: Partial<S3Settings> = {}): Bucket {
  const bucket = placeOf(place, settings(change));
  if (bucket.kind !== 's3') throw new Error(`${place} is not a bucket`);
  return bucket;
}

const planOf = (at: number, more: Partial<BackupPlan> = {}): BackupPlan => ({
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
const byServer = (id: string) => ({ head: { ...planOf(0).head, server: id } });

interface Writing {
  readonly place?: string;
  readonly settings?: Partial<S3Settings>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

async function write(plan: BackupPlan, given: Writing = {}) {
  const { place = 's3://backups/deep/prefix', onProgress = () => {}, signal = new AbortController().signal } = given;
  const target = s3Target(bucketOf(place, given.settings), { signal, limits });
  return writeBackup(target, plan, { onProgress, signal }).finally(() => target.close());
}

const source = (path: string) => {
  const opened = s3Source(bucketOf(path), limits);
  onTestFinished(() => opened.close());
  return opened;
};
const verify = (path: string) => verifyBackup(source(path), version, () => {});
const restore = (path: string, dataDir = join(work, 'data')) =>
  restoreBackup({ backup: source(path), dataDir }, { verified: () => {}, copied: () => {} });
const newest = () =>
  newestBackup(s3Target(bucketOf('s3://backups/deep/prefix'), { signal: new AbortController().signal, limits }));
/** The names of folders below the prefix. */
const names = () => [...new Set([...server.objects.keys()].map((key) => key.split('/')[2]))].sort();
const keyOf = (at: number, path: string) => `deep/prefix/${backupName(at)}/${path}`;

describe('a backup in a bucket', () => {
  it('is restored as it was, each object downloaded once', async () => {
    const { path, files, rows } = await write(planOf(day));
    expect([path, files, rows]).toEqual([`s3://backups/deep/prefix/${backupName(day)}`, 64, 7]);
    expect([...server.objects.keys()]).not.toContain(keyOf(day, 'unfinished.json'));
    const read: string[] = [];
    server.fault = ({ method, key }) => void (method === 'GET' && key !== '' && read.push(key));
    await restore(path);
    expect(new Set(read).size).toBe(read.length);
    expect(readdirSync(join(work, 'data')).sort()).toEqual(['control', 'secret.key', 'telemetry']);
    execFileSync('diff', ['-r', join(work, 'engine'), join(work, 'data/telemetry/engine')]);
    expect(readFileSync(join(work, 'data/control/pgdata/PG_VERSION'), 'utf8')).toBe('18');
    expect(statSync(join(work, 'data/secret.key')).mode & 0o777).toBe(0o600);
    await expect(verify(path)).resolves.toMatchObject({ workspaces: 1 });
  });

  it('may be in the bucket itself, without a prefix', async () => {
    const { path } = await write(planOf(day), { place: 's3://backups/' });
    expect(path).toBe(`s3://backups/${backupName(day)}`);
    await expect(verify(path)).resolves.toMatchObject({ workspaces: 1 });
  });

  it('replaces older ones of this server beyond the newest, once it is complete', async () => {
    await write(planOf(day));
    await write(planOf(2 * day, byServer('server-2')));
    await write(planOf(3 * day));
    // As by a tool that copies objects without their metadata.
    const copied = server.objects.get(keyOf(day, MANIFEST));
    server.objects.set(keyOf(day, MANIFEST), { body: copied?.body ?? Buffer.alloc(0), metadata: {} });
    const { removed } = await write(planOf(4 * day, { keep: 2 }));
    expect(removed).toEqual([backupName(day)]);
    expect(names()).toEqual([2, 3, 4].map((n) => backupName(n * day)));
    expect(await newest()).toBe(4 * day);
  });

  it('is named where somebody names what is above it', async () => {
    await write(planOf(day));
    await expect(verify('s3://backups/deep/prefix')).rejects.toThrow(
      `has no manifest.json, which is written last. The newest one below it is ${backupName(day)}`,
    );
  });
});

describe('what a killed server left in a bucket', () => {
  it('is no backup, and is removed by its next one, unfinished uploads too', async () => {
    let isKilled = false;
    server.fault = ({ query }) => {
      isKilled ||= query.get('partNumber') === '3';
      return isKilled ? { cutAfter: 0 } : undefined;
    };
    await expect(write(planOf(day))).rejects.toThrow('cannot be reached');
    expect(server.uploads.size).toBe(1);
    expect(server.objects.has(keyOf(day, 'unfinished.json'))).toBe(true);
    server.fault = () => undefined;
    expect(await newest()).toBeUndefined();
    await expect(restore(`s3://backups/deep/prefix/${backupName(day)}`)).rejects.toThrow('is not a complete backup');
    await write(planOf(2 * day));
    expect([names(), server.uploads.size]).toEqual([[backupName(2 * day)], 0]);
  });

  it('stays when it is of another server', async () => {
    server.fault = ({ query, key }) =>
      query.has('delete') || key.endsWith('secret.key') ? { status: 403, code: 'AccessDenied' } : undefined;
    await expect(write(planOf(day, byServer('server-2')))).rejects.toThrow('does not permit PUT');
    server.fault = () => undefined;
    await write(planOf(2 * day));
    expect(names()).toEqual([backupName(day), backupName(2 * day)]);
  });

  it('in the middle of a removal is removed, and is no backup meanwhile', async () => {
    await write(planOf(day));
    server.fault = ({ query }) =>
      query.has('uploads') && query.has('prefix') ? { status: 403, code: 'AccessDenied' } : undefined;
    await expect(write(planOf(2 * day, { keep: 1 }))).rejects.toThrow('does not permit GET');
    server.fault = () => undefined;
    expect(await newest()).toBe(2 * day);
    await write(planOf(3 * day));
    expect(names()).not.toContain(backupName(day));
  });

  it('when its backup was complete is only the marker', async () => {
    server.fault = ({ query }) => (query.has('delete') ? { status: 403, code: 'AccessDenied' } : undefined);
    await write(planOf(day));
    expect(server.objects.has(keyOf(day, 'unfinished.json'))).toBe(true);
    server.fault = () => undefined;
    const { path } = await write(planOf(2 * day));
    expect([...server.objects.keys()].filter((key) => key.endsWith('unfinished.json'))).toEqual([]);
    await verify(path.replace(backupName(2 * day), backupName(day)));
  });
});

describe('a backup goes on', () => {
  it('when every request is at first refused as too many, or loses its connection', async () => {
    const tried = new Set<string>();
    server.fault = ({ method, key, query }) => {
      const call = `${method} ${key} ${query}`;
      if (tried.has(call)) return undefined;
      tried.add(call);
      return tried.size % 2 === 0 ? { status: 503, code: 'SlowDown' } : { cutAfter: 0 };
    };
    const { path } = await write(planOf(day));
    await verify(path);
  });

  it('when the answer to a completed upload is lost', async () => {
    let isLost = false;
    server.fault = ({ method, query }) => {
      if (method !== 'POST' || !query.has('uploadId') || isLost) return undefined;
      isLost = true;
      return { cutAfter: 0 };
    };
    const { path } = await write(planOf(day));
    expect(isLost).toBe(true);
    await verify(path);
  });

  it('with eight requests at the same time and no more', async () => {
    let [now, most, small] = [0, 0, 0];
    const held: (() => void)[] = [];
    server.fault = async ({ key }) => {
      most = Math.max(most, ++now);
      if (key.includes('/a%2Eb')) {
        small++;
        const isLast = small === 60;
        const released = new Promise<void>((resolve) => held.push(resolve));
        if (held.length === 8 || isLast) for (const release of held.splice(0)) release();
        await released;
      }
      now--;
      return undefined;
    };
    await write(planOf(day));
    expect(most).toBe(8);
  });
});

describe('a backup that cannot be written leaves nothing', () => {
  it('when it is ended in the middle', async () => {
    const ended = new AbortController();
    const onProgress = ({ done }: Progress) => done > 10 * MIB && ended.abort(new Error('the command was ended'));
    await expect(write(planOf(day), { onProgress, signal: ended.signal })).rejects.toThrow(/^the command was ended$/);
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
    expect(readdirSync(work)).not.toContain('control.tar.gz');
  });

  it('when the bucket becomes forbidden in the middle', async () => {
    server.fault = ({ query }) => (query.has('partNumber') ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(write(planOf(day))).rejects.toThrow(
      /could not be written to s3:\/\/backups\/deep\/prefix: 127.0.0.1:\d+ does not permit PUT of deep\/prefix\/.*large.bin/,
    );
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  it('beside the database when that cannot be uploaded', async () => {
    server.fault = ({ key }) => (key.endsWith('control.tar.gz') ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(write(planOf(day))).rejects.toThrow('does not permit PUT');
    expect(readdirSync(work)).not.toContain('control.tar.gz');
  });

  it('when a file of the snapshot is gone, as after a restart of its store', async () => {
    const onProgress = () => rmSync(join(work, 'secret.key'), { force: true });
    await expect(write(planOf(day), { onProgress })).rejects.toThrow('secret.key');
    expect(server.objects.size).toBe(0);
  });

  it('but the marker and files when the server vanishes in the middle, and says that', async () => {
    let gone: Promise<void> | undefined;
    const onProgress = ({ done }: Progress) => {
      if (done > 10 * MIB) gone ??= server.vanish();
    };
    await expect(write(planOf(day), { onProgress })).rejects.toThrow(/cannot be reached: \w+ \(tried 3 times\)$/);
    await gone;
    await server.comeBack();
    await write(planOf(2 * day));
    expect(names()).toEqual([backupName(2 * day)]);
  });

  const denials: [string, Partial<S3Settings>, RegExp][] = [
    [
      'a wrong secret',
      { secretAccessKey: 'another-secret' },
      /SignatureDoesNotMatch.*check AWS_ACCESS_KEY_ID, AWS_SEC/,
    ],
    ['an unknown id', { accessKeyId: 'AKIAUNKNOWN' }, /rejects the credentials \(InvalidAccessKeyId\)/],
    ['another region', { region: 'eu-test-2' }, /in another region: set AWS_REGION/],
    ['nobody at the address', { endpointS3: 'http://127.0.0.1:1' }, /127.0.0.1:1 cannot be reached: ECONNREFUSED/],
  ];
  it.each(denials)('with %s, and says what to change without a secret', async (_, change, message) => {
    const failed = await write(planOf(day), { settings: change }).catch((error: Error) => error);
    expect(failed).toMatchObject({ message: expect.stringMatching(message) });
    const text = String((failed as Error).stack);
    for (const secret of [server.account.secretAccessKey, 'another-secret', 'a-token', 'AKIA'])
      expect(text).not.toContain(secret);
    expect(server.objects.size).toBe(0);
  });

  it('in a bucket that does not exist', async () => {
    await expect(write(planOf(day), { place: 's3://other' })).rejects.toThrow('the bucket other does not exist at 127');
  });

  it('with a clock that is wrong', async () => {
    server.aheadMs = 3_600_000;
    await expect(write(planOf(day))).rejects.toThrow(/the clock of this machine differs too much from that of 127/);
  });

  it('with a token that has expired', async () => {
    server.fault = () => ({ status: 400, code: 'ExpiredToken' });
    await expect(write(planOf(day))).rejects.toThrow('AWS_SESSION_TOKEN has expired');
  });

  it('to a server that accepts connections and never answers', async () => {
    server.fault = () => new Promise(() => {});
    const place = bucketOf('s3://backups');
    const { signal } = new AbortController();
    const target = s3Target(place, { signal, limits: { ...limits, idleMs: 50 } });
    await expect(writeBackup(target, planOf(day), { onProgress: () => {}, signal })).rejects.toThrow(
      'cannot be reached',
    );
  });
});

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
