import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { expect, onTestFinished, test } from 'vitest';
import type { EmbeddedStore, Watchdog } from '../store.ts';
import { clientOf, firstValue, rowsOf } from '../testing/clickhouse.ts';
import { rememberingLog, temporaryDirectory, until } from '../testing/temporary.ts';
import { startTelemetryStore } from './start.ts';

async function start(dir: string, watchdog?: Watchdog): Promise<EmbeddedStore> {
  const store = await startTelemetryStore({ dir, log: rememberingLog(), ...(watchdog ? { watchdog } : {}) });
  onTestFinished(() => store.stop());
  return store;
}

function kill(store: EmbeddedStore, signal: NodeJS.Signals): void {
  const pid = store.pid();
  if (pid === undefined) throw new Error('the store has no process');
  process.kill(pid, signal);
}

test('restarts after a kill during inserts, at the same address with everything acknowledged', async () => {
  const store = await start(temporaryDirectory());
  const client = clientOf(store.url);
  onTestFinished(() => client.close());
  await client.command({ query: 'CREATE DATABASE test ENGINE = Atomic' });
  await client.command({
    query: `CREATE TABLE test.t (batch UInt64, n UInt64) ENGINE = MergeTree ORDER BY batch
            SETTINGS non_replicated_deduplication_window = 10000`,
  });
  const rows = 2_000;
  let lastBatch = 0;
  let acknowledged = 0;
  let done = false;
  // A batch is sent with the same token until it is acknowledged, as the server does with its segments.
  const writer = async () => {
    while (!done) {
      const batch = ++lastBatch;
      const body = Array.from({ length: rows }, (_, n) => `${batch}\t${n}\n`).join('');
      await until(() =>
        client
          .exec({
            query: 'INSERT INTO test.t FORMAT TabSeparated',
            values: Readable.from([Buffer.from(body)]),
            clickhouse_settings: { insert_deduplication_token: `batch-${batch}` },
          })
          .then(
            () => true,
            () => false,
          ),
      );
      acknowledged += rows;
    }
  };
  const writers = [writer(), writer(), writer()];
  for (let round = 1; round <= 4; round++) {
    const before = acknowledged;
    await until(() => acknowledged > before + 5 * rows);
    kill(store, 'SIGKILL');
    await until(() => store.restarts() === round && store.status() === 'up');
  }
  done = true;
  await Promise.all(writers);
  expect(await firstValue(client, 'SELECT count(), uniqExact(batch, n) FROM test.t')).toBe(
    `${acknowledged}\t${acknowledged}`,
  );
});

test('accepts a block again after a kill between its log entry and its rows, and deduplicates others', async () => {
  const dir = temporaryDirectory();
  const insert = (client: ClickHouseClient, n: number) =>
    client.insert({
      table: 'test.t',
      values: [{ n }],
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: `block-${n}` },
    });
  const first = await start(dir);
  const client = clientOf(first.url);
  await client.command({ query: 'CREATE DATABASE test ENGINE = Atomic' });
  await client.command({
    query: `CREATE TABLE test.t (n UInt64) ENGINE = MergeTree PARTITION BY (n < 10, n % 2) ORDER BY n
            SETTINGS non_replicated_deduplication_window = 100`,
  });
  for (const n of [1, 3, 5, 20]) await insert(client, n);
  await client.command({ query: 'OPTIMIZE TABLE test.t FINAL' });
  await insert(client, 7);
  const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
    client,
    'SELECT path FROM system.parts WHERE active ORDER BY modification_time DESC, max_block_number DESC LIMIT 1',
  );
  await client.close();
  await first.stop();
  // The kill came before the part was renamed.
  renameSync(path, join(dirname(dirname(path)), 'tmp_insert_unnamed'));

  const second = await start(dir);
  const again = clientOf(second.url);
  onTestFinished(() => again.close());
  for (const n of [1, 3, 5, 20, 7, 7]) await insert(again, n);
  expect(await firstValue(again, 'SELECT arraySort(groupArray(n)) FROM test.t')).toBe('[1,3,5,7,20]');
});

/** A table of numbers in partitions of ten, in a store that is started anew by `restart`. */
async function numbersTable() {
  const dir = temporaryDirectory();
  let store = await start(dir);
  let client = clientOf(store.url);
  onTestFinished(() => client.close());
  await client.command({ query: 'CREATE DATABASE test ENGINE = Atomic' });
  await client.command({
    query: `CREATE TABLE test.t (n UInt64) ENGINE = MergeTree PARTITION BY (intDiv(n, 10), n < 90) ORDER BY n
            SETTINGS non_replicated_deduplication_window = 100, old_parts_lifetime = 0, cleanup_delay_period = 1,
              cleanup_delay_period_random_add = 0`,
  });
  const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
    client,
    "SELECT data_paths[1] AS path FROM system.tables WHERE database = 'test' AND name = 't'",
  );
  return {
    log: join(path, 'deduplication_logs', 'deduplication_log_1.txt'),
    command: (query: string) => client.command({ query, clickhouse_settings: { mutations_sync: '1' } }),
    insert: (...numbers: number[]) =>
      client.insert({
        table: 'test.t',
        values: numbers.map((n) => ({ n })),
        format: 'JSONEachRow',
        clickhouse_settings: { insert_deduplication_token: `block-${numbers}` },
      }),
    replacedParts: () => firstValue(client, "SELECT count() FROM system.parts WHERE table = 't' AND NOT active"),
    numbers: () => firstValue(client, 'SELECT arraySort(groupArray(n)) FROM test.t'),
    async restart() {
      await client.close();
      await store.stop();
      store = await start(dir);
      client = clientOf(store.url);
    },
  };
}

test('recognizes blocks that were inserted after a kill cut off a log entry', async () => {
  const table = await numbersTable();
  await table.insert(1);
  await table.restart();
  // The kill came in the middle of the entry, which crossed the boundary of two pages.
  appendFileSync(table.log, '1\t0-1_2_2');
  await table.restart();
  await table.insert(2, 12, 22);
  await table.restart();
  for (const numbers of [[1], [2, 12, 22], [3], [3]]) await table.insert(...numbers);
  expect(await table.numbers()).toBe('[1,2,3,12,22]');
});

test('recognizes blocks behind a cut-off log entry that an earlier version left', async () => {
  const table = await numbersTable();
  await table.insert(1);
  await table.insert(2);
  await table.restart();
  const [first, second] = readFileSync(table.log, 'utf8').split('\n');
  writeFileSync(table.log, `${first}\n${second?.slice(0, 9)}${second}\n`);
  await table.restart();
  for (const n of [1, 2, 3]) await table.insert(n);
  expect(await table.numbers()).toBe('[1,2,3]');
});

test('recognizes blocks in parts that a mutation has renamed', async () => {
  const table = await numbersTable();
  await table.insert(1, 12);
  await table.command('ALTER TABLE test.t ADD INDEX by_n n TYPE minmax');
  await table.command("ALTER TABLE test.t MATERIALIZE INDEX by_n IN PARTITION ID '0-1'");
  await until(async () => (await table.replacedParts()) === '0');
  await table.restart();
  await table.insert(1, 12);
  expect(await table.numbers()).toBe('[1,12]');
});

test('the watchdog kills and restarts it when it is stuck', async () => {
  const store = await start(temporaryDirectory(), { everyMs: 50, timeoutMs: 2_000 });
  const states: string[] = [];
  store.onStatus((status) => states.push(status));
  const stuck = store.pid();
  kill(store, 'SIGSTOP');
  await until(() => store.status() === 'up' && store.restarts() >= 1);
  expect(store.pid()).not.toBe(stuck);
  expect(states.slice(0, 2)).toEqual(['restarting', 'up']);
  const client = clientOf(store.url);
  expect(await firstValue(client, 'SELECT 1')).toBe('1');
  await client.close();
});

test('ignores SIGINT, SIGTERM and SIGHUP, which the parent handles', async () => {
  const store = await start(temporaryDirectory());
  kill(store, 'SIGINT');
  kill(store, 'SIGTERM');
  kill(store, 'SIGHUP');
  const client = clientOf(store.url);
  expect(await firstValue(client, 'SELECT 1')).toBe('1');
  await client.close();
  expect(store.restarts()).toBe(0);
});

test('deletes the spool of a killed process at the start', async () => {
  const dir = temporaryDirectory();
  mkdirSync(join(dir, 'spool'));
  writeFileSync(join(dir, 'spool', 'left-over'), 'x');
  await start(dir);
  expect(readdirSync(join(dir, 'spool'))).toEqual([]);
});

test('rejects a second owner of its directory, and names the pid of the first', async () => {
  const dir = temporaryDirectory();
  const store = await start(dir);
  await expect(start(dir)).rejects.toThrow(`already open in process ${store.pid()}`);
});

test('stops without waiting for queries that never end', async () => {
  const store = await start(temporaryDirectory());
  const client = clientOf(store.url);
  const endless = firstValue(client, 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)').catch(
    () => 'cut off',
  );
  await until(async () => (await firstValue(client, 'SELECT count() > 1 FROM system.processes')) === '1');
  await store.stop();
  expect(await endless).toBe('cut off');
  await client.close();
});

test('can be started again on the same data after a stop', async () => {
  const dir = temporaryDirectory();
  const first = await start(dir);
  const client = clientOf(first.url);
  await client.command({ query: 'CREATE DATABASE kept ENGINE = Atomic' });
  await client.close();
  await first.stop();
  expect(first.status()).toBe('stopped');
  expect(first.pid()).toBeUndefined();
  const second = await start(dir);
  const again = clientOf(second.url);
  expect(await firstValue(again, "SELECT count() FROM system.databases WHERE name = 'kept'")).toBe('1');
  await again.close();
});
