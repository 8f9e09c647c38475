import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  bucketOf,
  byServer,
  day,
  keyOf,
  limits,
  MIB,
  names,
  newest,
  planOf,
  prepareBucket,
  restore,
  server,
  verify,
  work,
  write,
} from '../testing/bucket-backups.ts';
import { MANIFEST } from './manifest.ts';
import type { S3Settings } from './place.ts';
import { backupName } from './rules.ts';
import { s3Target } from './target-s3.ts';
import { type Progress, writeBackup } from './write.ts';

beforeEach(prepareBucket);

describe('a backup in a bucket', () => {
  it('is restored as it was, each object downloaded once', async () => {
    const { path, files, rows } = await write(planOf(day));
    expect([path, files, rows]).toEqual([`s3://backups/deep/prefix/${backupName(day)}`, 64, 7]);
    expect([...server.objects.keys()]).not.toContain(keyOf(day, 'unfinished.json'));
    const read: string[] = [];
    server.fault = ({ method, key }) => void (method === 'GET' && key !== '' && read.push(key));
    await restore(path);
    expect(new Set(read).size).toBe(read.length);
    expect(readdirSync(join(work, 'data')).sort()).toEqual(['control', 'restored.json', 'secret.key', 'telemetry']);
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
