import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { BackupRequest, Backups } from './backups.ts';
import { BackupBusy } from './rows/lock-store.ts';
import { scheduleBackups } from './schedule.ts';
import type { BackupDone } from './write.ts';

const done: BackupDone = {
  ...{ path: '/b/1', bytes: 1, files: 1, rows: 1, removed: [] },
  ...{ log: { segments: 0, bytes: 0 }, secretKey: 'included', meanwhile: undefined },
};
const place = { kind: 'folder', path: '/b' } as const;
const clock = { now: () => Date.now() };

/** Backups that end as told, and the requests that came. */
function recording(results: (BackupDone | Error)[]) {
  const requests: BackupRequest[] = [];
  const seen: number[] = [];
  const backups: Pick<Backups, 'run' | 'noted' | 'stop'> = {
    async run(request) {
      requests.push(request);
      const result = results.shift() ?? done;
      if (result instanceof Error) throw result;
      return result;
    },
    noted: (at) => void seen.push(at),
    async stop() {},
  };
  return { backups, requests, seen };
}

function start(
  intervalMs: number,
  lastSuccess: number | undefined,
  { results = [], newest }: { results?: (BackupDone | Error)[]; newest?: number } = {},
) {
  const { backups, requests, seen } = recording(results);
  const scheduled = scheduleBackups(
    { place, intervalMs, keep: 7 },
    { backups, lastSuccess: Promise.resolve(lastSuccess), readNewest: async () => newest, clock },
  );
  onTestFinished(() => scheduled.stop());
  return { requests, scheduled, seen };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

it('takes a backup immediately where there is none, and again after the interval', async () => {
  const { requests } = start(100, undefined);
  await until(() => requests.length === 2);
  expect(requests[0]).toEqual({ place, by: 'the schedule', keep: 7, unlessSince: expect.any(Number) });
});

it('goes on after a backup that failed', async () => {
  const { requests } = start(50, undefined, { results: [new Error('the disk is full')] });
  await until(() => requests.length === 3);
});

it('waits for the interval after a backup that another server has taken', async () => {
  const newest = Date.now() + 60_000;
  const { requests, seen } = start(50, undefined, { results: [new BackupBusy('another backup is running')], newest });
  await until(() => seen.length === 1);
  await delay(200);
  expect([requests.length, seen]).toEqual([1, [newest]]);
});

it('takes none while the last one is recent, and none after it is stopped', async () => {
  const { requests: recent } = start(3_600_000, Date.now());
  const { requests: stopped, scheduled } = start(20, Date.now());
  scheduled.stop();
  const { requests: due } = start(20, Date.now());
  await until(() => due.length === 3);
  expect([recent, stopped]).toEqual([[], []]);
});
