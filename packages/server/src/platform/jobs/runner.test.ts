import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../testing/test-database.ts';
import { createLog } from '../log.ts';
import { connectDatabase, type DatabaseConnection } from '../postgres/database.ts';
import { enqueueJob, type JobKind, type JobRun, JobRunner, LeaseLost } from './index.ts';

const log = createLog('silent');
const begin = Date.parse('2026-11-20T12:00:00Z');
const leaseMs = 60_000;

function gate<T = void>() {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.each(testStores)('jobs on %s', (name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let other: DatabaseConnection;
  let clock: { ms: number; now(): number };
  const runners: JobRunner[] = [];

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    other = connectDatabase(database.connection, { maxConnections: 5, timeoutMs: 20_000, onError: () => {} });
    clock = { ms: begin, now: () => clock.ms };
    await sql`CREATE TABLE IF NOT EXISTS effects (what text)`.execute(database.db);
    await sql`TRUNCATE effects`.execute(database.db);
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    await other.close();
    await database.close();
  });

  const replica = (name: string, kinds: JobKind[], db = name === 'b' ? other.db : database.db, more = {}) => {
    const runner = new JobRunner({
      db,
      clock,
      log,
      holder: name,
      kinds,
      leaseMs,
      random: () => 1,
      stopMs: 50,
      ...more,
    });
    runners.push(runner);
    return runner;
  };
  const effect = (run: JobRun, what: string) =>
    run.finish(async (trx) => {
      await sql`INSERT INTO effects VALUES (${what})`.execute(trx);
    });
  const effects = async () =>
    (await sql<{ what: string }>`SELECT what FROM effects ORDER BY what`.execute(database.db)).rows.map(
      ({ what }) => what,
    );
  const job = (name: string) => database.db.selectFrom('jobs').selectAll().where('name', '=', name).executeTakeFirst();
  const enqueue = (name: string, runAt = begin) =>
    enqueueJob(database.db, { kind: 'once', name, payload: { name }, runAt: new Date(runAt) });

  it('runs an enqueued job once, with its payload, when it is due', async () => {
    const runner = replica('a', [{ kind: 'once', run: (run) => effect(run, (run.payload as { name: string }).name) }]);
    await enqueue('now');
    await enqueue('now');
    await enqueue('later', begin + 1_000);
    expect(await runner.runDue()).toBe(1);
    expect(await effects()).toEqual(['now']);
    expect(await job('now')).toBeUndefined();
    clock.ms += 1_000;
    expect(await runner.runDue()).toBe(1);
    expect(await effects()).toEqual(['later', 'now']);
  });

  it('takes no job while its clock is not trusted', async () => {
    const kinds: JobKind[] = [{ kind: 'once', run: (run) => effect(run, run.name) }];
    let isTrusted = false;
    const runner = replica('a', kinds, database.db, { isClockTrusted: () => isTrusted });
    await enqueue('waits');
    expect(await runner.runDue()).toBe(0);
    isTrusted = true;
    expect(await runner.runDue()).toBe(1);
    expect(await effects()).toEqual(['waits']);
  });

  it('leaves a job to others, with no effect and no wrong time, when its clock is set during the run', async () => {
    let isTrusted = true;
    const setClock = (run: JobRun) => {
      isTrusted = false;
      clock.ms += 3_600_000;
      return effect(run, 'an hour ahead');
    };
    const wrong = replica('a', [{ kind: 'once', run: setClock }], database.db, { isClockTrusted: () => isTrusted });
    await enqueue('interrupted');
    expect(await wrong.runDue()).toBe(1);
    expect(await effects()).toEqual([]);
    expect((await job('interrupted'))?.lease_until?.getTime()).toBe(begin + leaseMs);
    clock.ms = begin + leaseMs;
    expect(await replica('b', [{ kind: 'once', run: (run) => effect(run, 'by b') }]).runDue()).toBe(1);
    expect(await effects()).toEqual(['by b']);
  });

  it('ignores jobs without a handler', async () => {
    await enqueue('of a newer release');
    expect(await replica('a', [{ kind: 'another', run: async () => {} }]).runDue()).toBe(0);
    expect(await job('of a newer release')).toBeDefined();
  });

  it('warns at the start about waiting jobs of unknown kinds', async () => {
    await enqueue('of a newer release');
    const warned: unknown[] = [];
    const telling = { ...log, warn: (fact: unknown) => void warned.push(fact) };
    await replica('a', [{ kind: 'another', run: async () => {} }], database.db, { log: telling }).start();
    const kind = (await job('of a newer release'))?.kind;
    expect(warned).toEqual([{ kinds: [kind] }]);
  });

  it('shares the work of many jobs between replicas, each once', async () => {
    const kinds: JobKind[] = [{ kind: 'once', run: (run) => effect(run, run.name) }];
    const names = Array.from({ length: 40 }, (_, i) => `job ${String(i).padStart(2, '0')}`);
    for (const name of names) await enqueue(name);
    const counts = await Promise.all([replica('a', kinds).runDue(), replica('b', kinds).runDue()]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(40);
    expect(await effects()).toEqual(names);
  });

  it('applies the effects once when a replica pauses past its lease, and rejects its stale epoch', async () => {
    const paused = gate();
    const resume = gate();
    const outcome = gate<unknown>();
    let stale: JobRun | undefined;
    const a = replica('a', [
      {
        kind: 'once',
        async run(run) {
          stale = run;
          paused.open();
          await resume.opened;
          await effect(run, 'by a').catch((error: unknown) => {
            outcome.open(error);
            throw error;
          });
        },
      },
    ]);
    const b = replica('b', [{ kind: 'once', run: (run) => effect(run, 'by b') }]);
    await enqueue('step');
    const running = a.runDue();
    await paused.opened;
    expect(await b.runDue()).toBe(0);
    clock.ms += leaseMs;
    expect(await b.runDue()).toBe(1);
    resume.open();
    await running;
    expect(await outcome.opened).toBeInstanceOf(LeaseLost);
    expect(await effects()).toEqual(['by b']);
    await expect(stale?.commit(async () => 'late')).rejects.toBeInstanceOf(LeaseLost);
  });

  it('rejects the stale epoch also when a job of the same name was created again', async () => {
    const runs: JobRun[] = [];
    const [first, second] = [gate(), gate()];
    const kind: JobKind = {
      kind: 'once',
      async run(run) {
        runs.push(run);
        (runs.length === 1 ? first : second).open();
        await new Promise(() => {});
      },
    };
    await enqueue('again');
    void replica('a', [kind]).runDue();
    await first.opened;
    await database.db.deleteFrom('jobs').execute();
    await enqueue('again');
    void replica('b', [kind]).runDue();
    await second.opened;
    await expect(runs[0]?.finish()).rejects.toBeInstanceOf(LeaseLost);
    await runs[1]?.finish();
    expect(await job('again')).toBeUndefined();
  });

  // PGlite runs one transaction after the other anyway.
  if (name === 'PostgreSQL')
    it('cannot be taken over while its effects are being committed', async () => {
      const inside = gate();
      const resume = gate();
      const a = replica('a', [
        {
          kind: 'once',
          run: (run) =>
            run.finish(async (trx) => {
              await sql`INSERT INTO effects VALUES ('by a')`.execute(trx);
              inside.open();
              await resume.opened;
            }),
        },
      ]);
      const b = replica('b', [{ kind: 'once', run: (run) => effect(run, 'by b') }]);
      await enqueue('slow commit');
      const running = a.runDue();
      await inside.opened;
      clock.ms += 10 * leaseMs;
      expect(await b.runDue()).toBe(0);
      resume.open();
      await running;
      expect(await b.runDue()).toBe(0);
      expect(await effects()).toEqual(['by a']);
    });

  it('retries with a growing delay after a failure, and resets it after a success', async () => {
    let healthy = false;
    const runner = replica('a', [
      {
        kind: 'tick',
        everyMs: 10_000,
        async run() {
          if (!healthy) throw new Error('the store is away');
        },
      },
    ]);
    await runner.start();
    await expect.poll(async () => (await job('tick'))?.failures).toBe(1);
    expect(await job('tick')).toMatchObject({
      last_error: 'the store is away',
      next_run_at: new Date(begin + 1_000),
      holder: null,
    });
    clock.ms += 1_000;
    runner.wake();
    await expect.poll(async () => (await job('tick'))?.failures).toBe(2);
    expect((await job('tick'))?.next_run_at).toEqual(new Date(begin + 3_000));
    healthy = true;
    clock.ms += 2_000;
    runner.wake();
    await expect.poll(async () => (await job('tick'))?.failures).toBe(0);
    expect(await job('tick')).toMatchObject({ last_error: null, next_run_at: new Date(begin + 10_000) });
  });

  it('runs a recurring job once for all replicas, on the grid of its interval', async () => {
    const at: number[] = [];
    const kind: JobKind = {
      kind: 'tick',
      everyMs: 10_000,
      async run(run) {
        at.push(run.scheduledFor.getTime() - begin);
      },
    };
    const [a, b] = [replica('a', [kind]), replica('b', [kind])];
    await Promise.all([a.start(), b.start()]);
    await expect.poll(() => at).toEqual([0]);
    await expect.poll(async () => (await job('tick'))?.lease_until).toBeNull();
    clock.ms += 35_000;
    a.wake();
    b.wake();
    await expect.poll(() => at).toEqual([0, 10_000]);
    await expect.poll(async () => (await job('tick'))?.next_run_at).toEqual(new Date(begin + 40_000));
  });

  it('repeats a step whose transaction failed, and runs again on request', async () => {
    const runner = replica('a', [
      {
        kind: 'once',
        async run(run) {
          await run.commit((trx) => sql`INSERT INTO effects VALUES ('step')`.execute(trx));
          if (run.scheduledFor.getTime() === begin) await run.finish(undefined, { again: new Date(begin + 5_000) });
        },
      },
    ]);
    await enqueue('two passes');
    expect(await runner.runDue()).toBe(1);
    expect((await job('two passes'))?.next_run_at).toEqual(new Date(begin + 5_000));
    clock.ms += 5_000;
    expect(await runner.runDue()).toBe(1);
    expect(await job('two passes')).toBeUndefined();
    expect(await effects()).toEqual(['step', 'step']);
  });

  it('returns unfinished jobs when it stops, so that another replica takes them at once', async () => {
    const began = gate();
    const a = replica('a', [
      {
        kind: 'once',
        run: (run) =>
          new Promise((_, reject) => {
            run.signal.addEventListener('abort', () => reject(new Error('stopped')));
            began.open();
          }),
      },
    ]);
    await enqueue('long');
    await a.start();
    await began.opened;
    await a.stop();
    expect(await job('long')).toMatchObject({ failures: 0, lease_until: null });
    expect(await replica('b', [{ kind: 'once', run: (run) => effect(run, 'by b') }]).runDue()).toBe(1);
    expect(await effects()).toEqual(['by b']);
    await enqueue('after the stop');
    expect(await a.runDue()).toBe(0);
  });
});
