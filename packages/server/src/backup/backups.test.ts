import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../platform/log.ts';
import { Registry } from '../platform/own-metrics.ts';
import { type BackedUpStores, Backups } from './backups.ts';
import { timeOfName } from './rules.ts';
import type { Snapshotted } from './snapshot.ts';

let work: string;
/** What was done to the stores, in order. */
let steps: string[];
let metrics: Registry;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'fanion-backups-'));
  onTestFinished(() => rmSync(work, { recursive: true, force: true }));
  for (const folder of ['telemetry/engine', 'wal', 'control', 'data'])
    mkdirSync(join(work, folder), { recursive: true });
  writeFileSync(join(work, 'telemetry/engine/data.bin'), 'rows');
  writeFileSync(join(work, 'control/control.tar'), 'the database');
  writeFileSync(join(work, 'data/secret.key'), 'a key');
  steps = [];
  metrics = new Registry();
});

/** Stores of which a part may fail; everything else does what the real ones do to files. */
function stores(failing: Partial<Record<string, Error>> = {}): Snapshotted {
  const step = async (name: string) => {
    steps.push(name);
    if (failing[name] !== undefined) throw failing[name];
  };
  const removeFrozen = (of: string) => () => step(`remove ${of}`);
  const others = {
    ...{ url: '', pid: () => 1, status: () => 'up' as const, restarts: () => 0, onStatus: () => () => {} },
    stop: async () => {},
  };
  return {
    telemetry: {
      ...others,
      holdWrites: () => step('hold'),
      releaseWrites: () => step('release'),
      freeze: () => step('freeze telemetry'),
      async gatherFrozen() {
        await step('gather');
        return { dir: join(work, 'telemetry'), rows: { 'fanion.spans': 3 } };
      },
      removeFrozen: removeFrozen('telemetry'),
    },
    control: {
      ...others,
      connection: { host: '', port: 0, user: '', database: '' },
      async freeze() {
        await step('freeze control');
        return join(work, 'control/control.tar');
      },
      removeFrozen: removeFrozen('control'),
    },
    log: {
      async freeze() {
        await step('freeze log');
        return { dir: join(work, 'wal'), segments: 0, bytes: 0 };
      },
      removeFrozen: removeFrozen('log'),
    },
    countWorkspaces: async () => 2,
    now: () => Date.now(),
  };
}

const removals = ['remove telemetry', 'remove control', 'remove log'];

function backupsOf(given: BackedUpStores | Snapshotted, log = createLog('silent')) {
  return new Backups({
    stores: 'kind' in given ? given : { kind: 'embedded', ...given },
    ...{ dataDir: join(work, 'data'), server: 'server-1', version: '0.1.0' },
    ...{ metrics, clock: { now: () => Date.now() }, log, lastSuccess: Promise.resolve(undefined) },
  });
}

const directory = () => join(work, 'backups');
const place = () => ({ kind: 'folder', path: directory() }) as const;
const value = async (line: string) => Number((await metrics.metrics()).match(new RegExp(`^${line} (\\S+)$`, 'm'))?.[1]);

describe('a backup', () => {
  it('freezes the log, the tables and the control plane while writes wait, and copies when they go on', async () => {
    const done = await backupsOf(stores()).run({ place: place(), by: 'a test' });
    expect(steps).toEqual([
      ...['hold', 'freeze log', 'freeze telemetry', 'freeze control', 'release', 'gather'],
      ...removals,
    ]);
    expect(readdirSync(done.path).sort()).toEqual(['control.tar.gz', 'manifest.json', 'secret.key', 'telemetry']);
    expect(statSync(join(done.path, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(done.path, 'manifest.json'), 'utf8'))).toMatchObject({
      ...{ format: 1, fanion: '0.1.0', server: 'server-1', secretKey: 'included', workspaces: 2, by: 'a test' },
      telemetry: { rows: { 'fanion.spans': 3 } },
    });
    expect(await value('fanion_backups_total{result="success"}')).toBe(1);
    expect(await value('fanion_backup_last_success_timestamp_seconds')).toBe(
      (timeOfName(done.path.slice(-19)) ?? 0) / 1_000,
    );
  });

  it.each(['hold', 'freeze log', 'freeze telemetry', 'freeze control', 'gather', 'release'])(
    'that fails to %s lets writes go on, leaves nothing frozen, and counts',
    async (name) => {
      const failing = stores({ [name]: new Error(`cannot ${name}`) });
      await expect(backupsOf(failing).run({ place: place(), by: 'a test' })).rejects.toThrow(`cannot ${name}`);
      if (name !== 'hold') expect(steps).toContain('release');
      expect(steps.slice(-3)).toEqual(removals);
      expect(existsSync(directory())).toBe(false);
      expect(await value('fanion_backups_total{result="failure"}')).toBe(1);
      expect(await value('fanion_backup_last_success_timestamp_seconds')).toBe(0);
    },
  );

  it('logs who took it, where and how much, or why it failed, without what opens the place', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const { path, bytes } = await backupsOf(stores(), log).run({ place: place(), by: 'the schedule' });
    metrics.clear();
    const bucket = { kind: 's3', bucket: 'b', prefix: 'p/q' } as const;
    const access = { accessKeyId: 'id-1', secretAccessKey: 'secret-1', sessionToken: undefined, region: 'eu-1' };
    const nowhere = { ...bucket, access: { ...access, endpoint: 'http://127.0.0.1:1' } };
    const failing = stores({ gather: new Error('cannot gather') });
    const failed = backupsOf(failing, log).run({ place: nowhere, by: 'fanion backup, run by ann' });
    await expect(failed).rejects.toThrow('cannot gather');
    const events = lines.map((line) => JSON.parse(line)).filter(({ event }) => event !== undefined);
    expect(events).toMatchObject([
      {
        event: 'backup.complete',
        by: 'the schedule',
        place: directory(),
        path,
        bytes,
        rows: 3,
        seconds: expect.any(Number),
      },
      { event: 'backup.fail', by: 'fanion backup, run by ann', place: 's3://b/p/q', reason: 'cannot gather' },
    ]);
    expect(lines.join()).not.toMatch(/id-1|secret-1/);
  });

  it('ends when its command has gone, and leaves nothing', async () => {
    truncateSync(join(work, 'telemetry/engine/data.bin'), 2 * 1024 ** 3);
    const gone = new AbortController();
    const backups = backupsOf(stores());
    const running = backups.run({
      place: place(),
      by: 'a test',
      signal: gone.signal,
      onProgress: ({ done }) => done > 0 && gone.abort(new Error('the command was ended')),
    });
    await expect(running).rejects.toThrow('the command was ended');
    expect(steps.slice(-3)).toEqual(removals);
    expect(readdirSync(directory())).toEqual([]);
  });

  it('runs once at a time, and ends when the server stops', async () => {
    truncateSync(join(work, 'telemetry/engine/data.bin'), 2 * 1024 ** 3);
    const backups = backupsOf(stores());
    let onCopying = () => {};
    const copying = new Promise<void>((resolve) => {
      onCopying = resolve;
    });
    const first = backups.run({ place: place(), by: 'a test', onProgress: ({ done }) => done > 0 && onCopying() });
    const ended = expect(first).rejects.toThrow('the server is stopping');
    await copying;
    await expect(backups.run({ place: place(), by: 'a test' })).rejects.toThrow(
      'another backup of this server is running',
    );
    await backups.stop();
    await ended;
    expect(readdirSync(directory())).toEqual([]);
  });

  it('of a cluster names what to use instead', async () => {
    await expect(backupsOf({ kind: 'cluster' }).run({ place: place(), by: 'a test' })).rejects.toThrow(
      /Back up PostgreSQL with pg_dump first, then ClickHouse\s+with its own BACKUP … ON CLUSTER/,
    );
  });
});
