import { LATENESS_STEPS_MS, type Lateness, latenessStep, noLateness } from '@fanion/telemetry';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../testing/test-database.ts';
import { newId } from '../ids.ts';
import { createLog } from '../log.ts';
import { createOthersStored, joinReplicas, sameClock } from '../replicas/index.ts';
import { Arrivals } from './arrivals.ts';
import { automaticOffsetMs, isSettled, lateMsOf, newSource, type Source, withRequest } from './rules.ts';

const second = 1_000;
const minute = 60 * second;

function late(...itemsMs: readonly number[]): Lateness {
  const lateness = noLateness();
  for (const ms of itemsMs) lateness[latenessStep(ms)] = (lateness[latenessStep(ms)] ?? 0) + 1;
  return lateness;
}
/** Items that are late by up to so much, evenly. */
const upTo = (ms: number, items = 100) => late(...Array.from({ length: items }, (_, i) => (ms * (i + 1)) / items));

function learnt(requests: readonly (readonly [atMs: number, lateness: Lateness])[]): Source {
  return requests.reduce((source, [at, lateness]) => withRequest(source, lateness, at), newSource(0));
}
const each = (count: number, everyMs: number, lateness: Lateness, fromMs = 0) =>
  Array.from({ length: count }, (_, i) => [fromMs + i * everyMs, lateness] as const);

describe('how late a source is', () => {
  it.each([
    ['is a tenth of a second where nothing is known', [], 100],
    ['is that of its first request', each(1, second, late(1_500)), 2_000],
    ['is short where everything arrives at once', each(100, second, late(20, 30)), 100],
    ['is the width of batches that are sent once a minute', each(10, minute, upTo(minute)), minute],
    [
      'is that of batches beside telemetry that arrives at once',
      [...each(300, second, late(20)), ...each(5, minute, upTo(minute, 60), 500)].sort(([a], [b]) => a - b),
      minute,
    ],
    [
      'ignores single hiccups',
      [...each(100, 5 * second, late(20)), ...each(2, 40 * second, late(50_000), 1)].sort(([a], [b]) => a - b),
      100,
    ],
    ['ignores items that are late alone', each(20, 5 * second, late(...Array(99).fill(20), 30_000)), 100],
    [
      'ignores history that is loaded',
      [...each(20, 100, upTo(3_600_000)), ...each(3, 5 * second, late(20), 10 * second)],
      100,
    ],
    [
      'forgets lateness after five minutes without it',
      [...each(20, 5 * second, late(9_000)), ...each(60, 5 * second, late(20), 100 * second)],
      100,
    ],
  ])('%s', (_name, requests, expected) => {
    expect(lateMsOf(learnt(requests))).toBe(expected);
  });

  it('is known well after a minute of requests', () => {
    expect(isSettled(learnt(each(5, 5 * second, late(20))))).toBe(false);
    expect(isSettled(learnt(each(14, 5 * second, late(20))))).toBe(true);
  });

  it('becomes an offset of at least a tenth of the interval, or a second', () => {
    expect([100, 1_000, 2_000, 120_000].map((lateMs) => automaticOffsetMs(lateMs, 60_000))).toEqual([
      1_000, 1_000, 2_000, 120_000,
    ]);
    expect([1_000, 5_000, 10_000].map((everyMs) => automaticOffsetMs(100, everyMs))).toEqual([100, 500, 1_000]);
    expect(LATENESS_STEPS_MS.at(-1)).toBe(120_000);
  });
});

describe.each(testStores)('arrivals on %s', (_name, startStore) => {
  let testStore: TestStore;
  let database: TestDatabase;
  let open: Arrivals[];
  const clock = { ms: 0, now: () => clock.ms };
  let heldSince: number | undefined;

  beforeAll(async () => {
    testStore = await startStore();
  });
  afterAll(() => testStore?.close());
  beforeEach(async () => {
    database = await testStore.fresh();
    open = [];
    heldSince = undefined;
    clock.ms = Date.UTC(2026, 10, 1);
  });
  afterEach(async () => {
    for (const one of open) await one.stop();
    await database.close();
  });

  function start(replica = newId()): Arrivals {
    const made = new Arrivals({
      db: database.db,
      clock,
      log: createLog('silent'),
      replica,
      others: createOthersStored({ db: database.db, replica, clock }),
      held: () => ({ since: heldSince }),
    });
    open.push(made);
    return made;
  }
  const metrics = { project: 1, signal: 'metrics', tokenId: 'a' } as const;

  it('are those of the slowest source of the signals', async () => {
    const one = start();
    one.received(metrics, late(20), clock.ms);
    one.received({ ...metrics, tokenId: 'b' }, late(4_500), clock.ms);
    one.received({ ...metrics, signal: 'logs' }, late(9_000), clock.ms);
    expect(one.lateMs(1, ['metrics'])).toBe(5_000);
    expect(one.lateMs(1, ['metrics', 'logs'])).toBe(10_000);
    expect(one.lateMs(1, ['traces'])).toBe(100);
    expect(one.lateMs(2, ['metrics'])).toBe(100);
  });

  it('are known to other servers, and after a restart', async () => {
    const replica = newId();
    const one = start(replica);
    one.received(metrics, late(4_500), clock.ms);
    await one.refresh();
    const two = start();
    await two.refresh();
    expect(two.lateMs(1, ['metrics'])).toBe(5_000);
    const restarted = start(replica);
    await restarted.refresh();
    restarted.received(metrics, late(20), clock.ms);
    expect(restarted.lateMs(1, ['metrics'])).toBe(5_000);
    for (let i = 0; i < 20; i++) {
      clock.ms += 5 * second;
      restarted.received(metrics, late(20), clock.ms);
    }
    await restarted.refresh();
    await two.refresh();
    expect([restarted.lateMs(1, ['metrics']), two.lateMs(1, ['metrics'])]).toEqual([100, 100]);
  });

  it('forget a source that was silent for an hour', async () => {
    const one = start();
    const two = start();
    one.received(metrics, late(4_500), clock.ms);
    await one.refresh();
    await two.refresh();
    clock.ms += 61 * minute;
    for (const each of [one, two]) await each.refresh();
    expect([one.lateMs(1, ['metrics']), two.lateMs(1, ['metrics'])]).toEqual([100, 100]);
  });

  it('say up to when telemetry can be queried, by this server and by others', async () => {
    const one = start();
    const place = { workspace: 1, project: 1 };
    expect(one.storedTo(place, ['logs'])).toEqual({ running: clock.ms, all: clock.ms });
    heldSince = clock.ms - 5 * second;
    expect(one.storedTo(place, ['logs']).running).toBe(clock.ms - 5 * second);
    const other = { id: newId(), roles: 'ingest', telemetryStore: 'external', version: '1' } as const;
    const membership = await joinReplicas({
      db: database.db,
      replica: other,
      log: createLog('silent'),
      clockGuard: sameClock,
    });
    await database.db
      .updateTable('replicas')
      .set({ stored_to: new Date(clock.ms - minute) })
      .execute();
    await one.refresh();
    expect(one.storedTo(place, ['logs']).running).toBe(clock.ms - minute);
    await membership.leave();
  });
});
