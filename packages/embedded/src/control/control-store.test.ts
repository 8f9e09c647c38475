import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Watchdog } from '../store.ts';
import { makeDirectory, rememberingLog, removeDirectory, temporaryDirectory, until } from '../testing/temporary.ts';
import { restoreControlSnapshot } from './restore.ts';
import { compressFile } from './snapshots.ts';
import { type ControlStoreOptions, type ControlStore as Store, startControlStore } from './start.ts';

async function start(options: Partial<ControlStoreOptions> & { dir: string; watchdog?: Watchdog }): Promise<Store> {
  const store = await startControlStore({ log: rememberingLog(), ...options });
  onTestFinished(() => store.stop());
  return store;
}

async function connect(store: Store): Promise<Client> {
  const client = new Client(store.connection);
  client.on('error', () => {}); // the tests kill its server
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe('several clients', () => {
  let dir: string;
  let store: Store;
  let pool: Pool;

  beforeAll(async () => {
    dir = makeDirectory();
    store = await startControlStore({ dir, log: rememberingLog() });
    pool = new Pool({ ...store.connection, max: 8 });
    await pool.query('CREATE TABLE accounts (id int PRIMARY KEY, amount int NOT NULL)');
    await pool.query('INSERT INTO accounts SELECT n, 100 FROM generate_series(1, 8) n');
  });

  afterAll(async () => {
    await pool?.end();
    await store?.stop();
    removeDirectory(dir);
  });

  test('can connect by URL and by settings', async () => {
    const client = new Client({ connectionString: store.url });
    await client.connect();
    expect((await client.query('SELECT current_database() AS name')).rows).toEqual([{ name: 'postgres' }]);
    await client.end();
  });

  test('get the results of their own statements, however large their parameters', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const text = (n % 2 === 0 ? 'ü' : 'x'.repeat(700_000)) + n;
        for (let round = 0; round < 20; round++) {
          const sql = `SELECT $1::text AS text, ${n}::int AS n, $2::int AS round, 'of ${n}' AS label`;
          expect((await pool.query(sql, [text, round])).rows).toEqual([{ text, n, round, label: `of ${n}` }]);
        }
      }),
    );
  });

  test('get their own errors', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        n % 3 === 0 ? pool.query('SELECT 1 / $1::int', [0]) : pool.query(`SELECT ${n} AS n, $1::int AS m`, [n]),
      ),
    );
    answers.forEach((answer, n) => {
      if (n % 3 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      else expect(answer).toMatchObject({ status: 'fulfilled', value: { rows: [{ n, m: n }] } });
    });
  });

  test('may use the same name for their prepared statements', async () => {
    const clients = await Promise.all([connect(store), connect(store), connect(store)]);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        clients.map((client, n) => client.query({ name: 'same', text: `SELECT ${n} AS n, $1::int AS m`, values: [n] })),
      );
      expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 0, m: 0 }], [{ n: 1, m: 1 }], [{ n: 2, m: 2 }]]);
    }
  });

  test('have separate transactions', async () => {
    const transfer = async (n: number) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const { rows } = await client.query('SELECT amount FROM accounts WHERE id = $1 FOR UPDATE', [n]);
        await client.query('UPDATE accounts SET amount = $2 WHERE id = $1', [n, rows[0].amount - 10]);
        await client.query('UPDATE accounts SET amount = amount + 10 WHERE id = $1', [(n % 8) + 1]);
        await client.query(n % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
      } finally {
        client.release();
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => transfer((n % 8) + 1)));
    expect((await pool.query('SELECT id, amount FROM accounts ORDER BY id')).rows).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((id) => ({ id, amount: id % 2 === 0 ? 50 : 150 })),
    );
    expect((await pool.query('SELECT sum(amount)::int AS sum FROM accounts')).rows).toEqual([{ sum: 800 }]);
  });

  test('a client that dies within its transaction is rolled back and blocks nobody', async () => {
    const victim = new Client(store.connection);
    victim.on('error', () => {});
    await victim.connect();
    await victim.query('BEGIN');
    await victim.query('UPDATE accounts SET amount = -1');
    const waiting = pool.query('SELECT min(amount) AS min FROM accounts');
    Reflect.get(victim, 'connection').stream.destroy();
    expect((await waiting).rows).toEqual([{ min: expect.any(Number) }]);
    expect((await pool.query('SELECT count(*)::int AS n FROM accounts WHERE amount = -1')).rows).toEqual([{ n: 0 }]);
  });

  test("can be more than one server's pool", async () => {
    const clients = await Promise.all(Array.from({ length: 40 }, () => connect(store)));
    const answers = await Promise.all(clients.map((client, n) => client.query('SELECT $1::int AS n', [n])));
    expect(answers.map(({ rows }) => rows[0].n)).toEqual(clients.map((_, n) => n));
  });

  test('other users of the machine cannot reach the socket', () => {
    expect(statSync(store.connection.host).mode & 0o777).toBe(0o700);
  });
});

test('disconnects a client that idles in its transaction while another waits', async () => {
  const store = await start({ dir: temporaryDirectory(), idleInTransactionMs: 200 });
  const [idle, other] = [await connect(store), await connect(store)];
  await idle.query('BEGIN');
  await idle.query('CREATE TABLE never (n int)');
  const { rows } = await other.query("SELECT to_regclass('never') AS never");
  expect(rows).toEqual([{ never: null }]);
  await expect(idle.query('COMMIT')).rejects.toThrow();
});

test('returns an error for an unsupported statement, without effect on other clients', async () => {
  const store = await start({ dir: temporaryDirectory() });
  const [first, second] = [await connect(store), await connect(store)];
  await first.query('CREATE TABLE t (n int)');
  const refused = { code: '0A000', message: expect.stringContaining('COPY FROM STDIN') };
  await expect(first.query('COPY t FROM STDIN')).rejects.toMatchObject(refused);
  await expect(first.query({ text: 'copy t (n)\nfrom stdin', name: 'named' })).rejects.toMatchObject(refused);
  expect((await first.query("SELECT 'copy t from stdin' AS text")).rows).toEqual([{ text: 'copy t from stdin' }]);
  expect((await second.query('SELECT count(*)::int AS n FROM t')).rows).toEqual([{ n: 0 }]);
});

test('restarts after a kill during commits, at the same address with everything committed', async () => {
  const store = await start({ dir: temporaryDirectory() });
  const first = await connect(store);
  await first.query('CREATE TABLE t (n int PRIMARY KEY)');
  let acknowledged = 0;
  const writing = (async () => {
    for (let n = 1; ; n++) {
      await first.query('INSERT INTO t VALUES ($1)', [n]);
      acknowledged = n;
    }
  })().catch(() => 'cut off');
  await until(() => acknowledged > 200);
  process.kill(store.pid() ?? 0, 'SIGKILL');
  expect(await writing).toBe('cut off');
  await until(() => store.restarts() === 1 && store.status() === 'up');
  const second = await connect(store);
  const { rows } = await second.query('SELECT count(*)::int AS n, max(n) AS max FROM t');
  // The commit in progress may or may not be stored.
  expect(rows[0].n).toBe(rows[0].max);
  expect([acknowledged, acknowledged + 1]).toContain(rows[0].n);
});

test('the watchdog stops a statement that never ends', async () => {
  const store = await start({ dir: temporaryDirectory(), watchdog: { everyMs: 50, timeoutMs: 1_500 } });
  const client = await connect(store);
  await expect(client.query('SELECT count(*) FROM generate_series(1, 100000000000)')).rejects.toThrow();
  await until(() => store.restarts() > 0 && store.status() === 'up');
  const again = await connect(store);
  expect((await again.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('takes snapshots while data changes, keeps the newest, and restores one', async () => {
  const dir = temporaryDirectory();
  const backupDir = join(temporaryDirectory(), 'backups');
  const store = await start({ dir, backupDir, snapshotEveryMs: 100, keepSnapshots: 2 });
  const client = await connect(store);
  await client.query('CREATE TABLE t (n int)');
  const snapshots = () => (existsSync(backupDir) ? readdirSync(backupDir).filter((name) => !name.startsWith('.')) : []);
  for (let n = 1; n <= 3; n++) {
    const before = snapshots().at(-1);
    await client.query('INSERT INTO t VALUES ($1)', [n]);
    await until(() => snapshots().at(-1) !== before);
  }
  const restored = async (name: string) => {
    const copy = temporaryDirectory();
    await restoreControlSnapshot({ snapshot: join(backupDir, name), dir: copy });
    const { rows } = await (await connect(await start({ dir: copy }))).query('SELECT n FROM t ORDER BY n');
    return rows.map(({ n }) => n);
  };
  // The newest snapshot may still be one from before the last row.
  const newest = await until(async () => {
    const name = snapshots().at(-1) ?? '';
    return String(await restored(name)) === '1,2,3' && name;
  });
  expect(snapshots()).toHaveLength(2);
  // Several times the interval of checks.
  await delay(300);
  expect(snapshots().at(-1)).toBe(newest);
});

test('freezes the database between two transactions, and restores it', async () => {
  const store = await start({ dir: temporaryDirectory() });
  const [one, other] = [await connect(store), await connect(store)];
  await one.query('CREATE TABLE t (n int)');
  await one.query('BEGIN');
  await one.query('INSERT INTO t VALUES (1)');
  const freezing = store.freeze('now', 30_000);
  await one.query('INSERT INTO t VALUES (2)');
  await one.query('COMMIT');
  const tar = await freezing;
  await other.query('INSERT INTO t VALUES (3)');
  const snapshot = join(temporaryDirectory(), 'control.tar.gz');
  await compressFile(tar, snapshot);
  const copy = temporaryDirectory();
  await restoreControlSnapshot({ snapshot, dir: copy });
  const { rows } = await (await connect(await start({ dir: copy }))).query('SELECT n FROM t ORDER BY n');
  expect(rows.map(({ n }) => n)).toEqual([1, 2]);
  // What a backup leaves that is ended in the middle.
  await compressFile(tar, `${tar}.gz`);
  await store.removeFrozen('now');
  expect(readdirSync(dirname(tar))).toEqual([]);
});

test('gives up freezing when a transaction does not end in time', async () => {
  const dir = temporaryDirectory();
  const store = await start({ dir });
  const client = await connect(store);
  await client.query('BEGIN');
  const freezing = store.freeze('now', 100);
  const failed = expect(freezing).rejects.toThrow('a transaction of the control plane did not end within 0.1 s');
  await delay(200);
  await client.query('COMMIT');
  await failed;
  expect(readdirSync(join(dir, 'frozen'))).toEqual([]);
});

test('refuses to restore over a running store or from a damaged snapshot', async () => {
  const dir = temporaryDirectory();
  const backupDir = temporaryDirectory();
  const store = await start({ dir, backupDir, snapshotEveryMs: 50 });
  await (await connect(store)).query('CREATE TABLE t (n int)');
  const name = await until(() => readdirSync(backupDir).find((entry) => entry.endsWith('Z.tar.gz')));
  const snapshot = join(backupDir, name);
  await expect(restoreControlSnapshot({ snapshot, dir })).rejects.toThrow(`running in process ${store.pid()}`);
  await store.stop();
  const damaged = join(backupDir, 'damaged.tar.gz');
  writeFileSync(damaged, 'not a snapshot');
  await expect(restoreControlSnapshot({ snapshot: damaged, dir })).rejects.toThrow('cannot be restored');
  await start({ dir });
});

test('works in a directory too deep for a socket address', async () => {
  const dir = join(temporaryDirectory(), 'x'.repeat(60), 'y'.repeat(60));
  const store = await start({ dir });
  expect((await (await connect(store)).query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  expect(statSync(store.connection.host).mode & 0o777).toBe(0o700);
});
