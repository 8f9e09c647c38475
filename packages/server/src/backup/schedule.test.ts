import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { BackupRequest, Backups } from './backups.ts';
import { scheduleBackups } from './schedule.ts';
import type { BackupDone } from './write.ts';

const done: BackupDone = {
  ...{ path: '/b/1', bytes: 1, files: 1, rows: 1, removed: [] },
  ...{ log: { segments: 0, bytes: 0 }, secretKey: 'included' },
};
const place = { kind: 'folder', path: '/b' } as const;
const clock = { now: () => Date.now() };

/** Backups that end as told, and the requests that came. */
function recording(results: (BackupDone | Error)[]) {
  const requests: BackupRequest[] = [];
  const backups: Backups = {
    async run(request) {
      requests.push(request);
      const result = results.shift() ?? done;
      if (result instanceof Error) throw result;
      return result;
    },
    async stop() {},
  };
  return { backups, requests };
}

function start(intervalMs: number, lastSuccess: number | undefined, results: (BackupDone | Error)[] = []) {
  const { backups, requests } = recording(results);
  const scheduled = scheduleBackups(
    { place, intervalMs, keep: 7 },
    { backups, lastSuccess: Promise.resolve(lastSuccess), clock },
  );
  onTestFinished(() => scheduled.stop());
  return { requests, scheduled };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

it('takes a backup immediately where there is none, and again after the interval', async () => {
  const { requests } = start(100, undefined);
  await until(() => requests.length === 2);
  expect(requests[0]).toEqual({ place, keep: 7 });
});

it('goes on after a backup that failed', async () => {
  const { requests } = start(50, undefined, [new Error('the disk is full')]);
  await until(() => requests.length === 3);
});

it('takes none while the last one is recent, and none after it is stopped', async () => {
  const { requests: recent } = start(3_600_000, Date.now());
  const { requests: stopped, scheduled } = start(20, Date.now());
  scheduled.stop();
  const { requests: due } = start(20, Date.now());
  await until(() => due.length === 3);
  expect([recent, stopped]).toEqual([[], []]);
});
