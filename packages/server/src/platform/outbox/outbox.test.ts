import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPostgres, type TestDatabase, type TestStore, testStores } from '../../testing/test-database.ts';
import { JobRunner } from '../jobs/index.ts';
import { createLog } from '../log.ts';
import { connectDatabase, type Database } from '../postgres/database.ts';
import { appendOutbox, listenForOutbox, Outbox, type OutboxMessage, outboxPruneJob } from './index.ts';

const log = createLog('silent');
const message = (key: string) => ({ topic: 'flags.changed', key, payload: { key } });
const append = (db: Database, key: string) => db.transaction().execute((trx) => appendOutbox(trx, message(key)));

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.each(testStores)('the outbox on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let clock: { ms: number; now(): number };
  const open: Outbox[] = [];

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    clock = { ms: Date.now(), now: () => clock.ms };
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((outbox) => outbox.stop()));
    await database.close();
  });

  const subscribe = async (pollMs = 3_600_000) => {
    const outbox = new Outbox({ db: database.db, clock, log, pollMs });
    open.push(outbox);
    const heard: OutboxMessage[] = [];
    outbox.subscribe({ topic: 'flags.changed', on: (heardOf) => void heard.push(heardOf) });
    await outbox.start();
    return { outbox, heard, keys: () => heard.map(({ key }) => key) };
  };

  it('warns once about a topic that nothing subscribes to', async () => {
    const warned: unknown[] = [];
    const telling = { ...log, warn: (fact: unknown) => void warned.push(fact) };
    const outbox = new Outbox({ db: database.db, clock, log: telling, pollMs: 3_600_000 });
    open.push(outbox);
    const heard = new Promise<void>((resolve) => {
      outbox.subscribe({ topic: 'flags.changed', on: () => resolve() });
    });
    await outbox.start();
    const unknown = { topic: 'of.a.newer.release', key: 'x', payload: {} };
    await database.db.transaction().execute((trx) => appendOutbox(trx, unknown, unknown, message('last')));
    outbox.wake();
    await heard;
    expect(warned).toEqual([{ topic: 'of.a.newer.release' }]);
  });

  it('delivers each commit after the subscription to every replica, once and in order', async () => {
    await append(database.db, 'before');
    const [a, b] = [await subscribe(), await subscribe()];
    await append(database.db, 'one');
    await database.db.transaction().execute((trx) => appendOutbox(trx, message('two'), message('three')));
    await database.db.transaction().execute((trx) => appendOutbox(trx, { topic: 'another', key: 'x', payload: null }));
    a.outbox.wake();
    await expect.poll(a.keys).toEqual(['one', 'two', 'three']);
    expect(a.heard[0]?.payload).toEqual({ key: 'one' });
    await append(database.db, 'four');
    a.outbox.wake();
    b.outbox.wake();
    await expect.poll(a.keys).toEqual(['one', 'two', 'three', 'four']);
    await expect.poll(b.keys).toEqual(['one', 'two', 'three', 'four']);
  });

  it('delivers nothing of a rolled-back transaction', async () => {
    const { outbox, keys } = await subscribe();
    await database.db
      .transaction()
      .execute(async (trx) => {
        await appendOutbox(trx, message('never'));
        throw new Error('rolled back');
      })
      .catch(() => {});
    await append(database.db, 'committed');
    outbox.wake();
    await expect.poll(keys).toEqual(['committed']);
  });

  it('works by polling alone', async () => {
    const { keys } = await subscribe(5);
    await append(database.db, 'polled');
    await expect.poll(keys).toEqual(['polled']);
  });

  it('redelivers to a subscriber that failed, and only once to the others', async () => {
    const { outbox, keys } = await subscribe(5);
    let attempts = 0;
    outbox.subscribe({
      topic: 'flags.changed',
      on: () => {
        if (++attempts < 3) throw new Error('not yet');
      },
    });
    await append(database.db, 'hard');
    outbox.wake();
    await expect.poll(() => attempts).toBe(3);
    await append(database.db, 'easy');
    await expect.poll(() => attempts).toBe(4);
    expect(keys()).toEqual(['hard', 'easy']);
  });

  it('prunes after a day, and notifies a replica that was away for longer', async () => {
    const { outbox } = await subscribe();
    let missed = 0;
    outbox.subscribe({ topic: 'flags.changed', on: () => {}, missed: () => void missed++ });
    await append(database.db, 'old');
    await sql`UPDATE outbox SET created_at = created_at - interval '25 hours'`.execute(database.db);
    await append(database.db, 'new');
    const runner = new JobRunner({ db: database.db, clock, log, holder: 'a', kinds: [outboxPruneJob] });
    await runner.start();
    await expect.poll(() => database.db.selectFrom('outbox').select('key').execute()).toEqual([{ key: 'new' }]);
    await runner.stop();
    clock.ms += 25 * 3_600_000;
    outbox.wake();
    await expect.poll(() => missed).toBe(1);
  });
});

describe('the outbox on PostgreSQL, with commits out of order', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestPostgres();
  });
  afterAll(() => store.close());

  it('misses nothing, delivers nothing twice and waits for no transaction', async () => {
    const { db } = store;
    const outbox = new Outbox({ db, clock: { now: () => Date.now() }, log, pollMs: 3_600_000 });
    const heard: string[] = [];
    outbox.subscribe({ topic: 'flags.changed', on: ({ key }) => void heard.push(key) });
    await outbox.start();

    const slow = ['slow 1', 'slow 2'].map((key) => {
      const [written, commit] = [gate(), gate()];
      const done = db.transaction().execute(async (trx) => {
        await appendOutbox(trx, message(key));
        written.open();
        await commit.opened;
      });
      return { written, commit, done };
    });
    for (const { written } of slow) await written.opened;
    await append(db, 'fast 1');
    outbox.wake();
    await expect.poll(() => heard).toEqual(['fast 1']);
    slow[1]?.commit.open();
    await slow[1]?.done;
    await append(db, 'fast 2');
    outbox.wake();
    await expect.poll(() => [...heard].sort()).toEqual(['fast 1', 'fast 2', 'slow 2']);
    slow[0]?.commit.open();
    await slow[0]?.done;
    outbox.wake();
    await expect.poll(() => [...heard].sort()).toEqual(['fast 1', 'fast 2', 'slow 1', 'slow 2']);
    await outbox.stop();
  });

  it('misses nothing of many writers at once', async () => {
    const { db } = await store.fresh();
    const outbox = new Outbox({ db, clock: { now: () => Date.now() }, log, pollMs: 1 });
    const heard: string[] = [];
    outbox.subscribe({ topic: 'flags.changed', on: ({ key }) => void heard.push(key) });
    await outbox.start();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < 40; i++)
        await db.transaction().execute(async (trx) => {
          await appendOutbox(trx, message(`${writer}.${i}`));
          // Some stay open for a while after getting their id.
          if ((writer + i) % 3 === 0) await sql`SELECT pg_sleep(0.003)`.execute(trx);
        });
    });
    await Promise.all(writers);
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(320);
    expect(new Set(heard).size).toBe(320);
    expect(heard.length).toBe(320);
    await outbox.stop();
  });

  it('is woken by a commit of another server, and again after its connection was cut', async () => {
    const { db, connection } = await store.fresh();
    const server = connectDatabase(connection, { maxConnections: 4, timeoutMs: 5_000, onError: () => {} });
    let wakes = 0;
    const stop = listenForOutbox(server.pool, () => void wakes++, log, 10);
    await expect.poll(() => wakes).toBe(1);
    await append(db, 'one');
    await expect.poll(() => wakes).toBe(2);
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid() AND datname = current_database()`.execute(
      db,
    );
    await expect.poll(() => wakes).toBe(3);
    await append(db, 'two');
    await expect.poll(() => wakes).toBe(4);
    await stop();
    await server.close();
  });
});
