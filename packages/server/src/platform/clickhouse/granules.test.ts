import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { expect, onTestFinished, test } from 'vitest';
import { granuleRows } from './granules.ts';
import { type ClickHouse, createClickHouse, migrateTelemetry, migrations } from './index.ts';

const ROWS = 20_000;
const size = granuleRows.spans ?? 0;

/** Kept for decades, so that the rows of a fixed day do not expire. */
const insert = (store: ClickHouse, table: string, token: string) =>
  store.command(
    `INSERT INTO ${table} (workspace, time, service, retention_days, trace_id, string_attributes, resource)
     SELECT 1, toDateTime64('2026-11-01 00:00:00', 9, 'UTC') + number / 1000, 's', 20000, toFixedString(leftPad(toString(number), 16, '0'), 16),
       map('key', toString(number), 'all', 'x'), map('host', toString(number % 10)) FROM numbers(${ROWS})
     SETTINGS insert_deduplication_token = '${token}', max_block_size = ${2 * ROWS}, max_insert_threads = 1`,
  );

const answers = async (store: ClickHouse) => {
  const ask = async (sql: string) => (await store.query(sql)).rows;
  return Promise.all(
    ['spans', 'logs'].map(async (table) => [
      await ask(`SELECT count(), sum(cityHash64(*)) FROM ${table}`),
      await ask(
        `SELECT toString(time), string_attributes, resource_text FROM ${table} WHERE has(mapValues(string_attributes), '12345')`,
      ),
      await ask(`SELECT count() FROM ${table} WHERE trace_id = '0000000000015000'`),
    ]),
  );
};

/** Whether the granules of each part have the engine's own size or ours. A part's last one may have up to a half more. */
const granules = async (store: ClickHouse) => {
  const { rows } = await store.query(
    `SELECT table, rows / (marks - 1) FROM system.parts WHERE active AND database = 'fanion' AND table IN ('spans', 'logs') ORDER BY table, min_block_number`,
  );
  return rows.map(([table, mean]) => [table, Number(mean) > 1.5 * size ? 'large' : 'small']);
};

test('a data directory of an earlier version answers the same, knows its inserts, and gets smaller granules by merges', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-granules-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const start = async (rows: Readonly<Record<string, number>>) => {
    const log = { info() {}, warn() {}, error() {} };
    const engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, granuleRows: rows, log });
    const store = createClickHouse({ url: engine.url, database: 'fanion' });
    let ended = false;
    const stop = async () => {
      if (ended) return;
      ended = true;
      await store.close();
      await engine.stop();
    };
    onTestFinished(stop);
    return { engine, store, stop };
  };

  const earlier = await start({});
  // As earlier versions created the tables.
  const ofEarlier = migrations.map((migration) => ({
    ...migration,
    statements: migration.statements.map((text) =>
      text.replace(/^CREATE TABLE IF NOT EXISTS (spans|logs) /, 'CREATE TABLE IF NOT EXISTS fanion.$1 '),
    ),
  }));
  await migrateTelemetry({ url: earlier.engine.url, database: 'fanion', migrations: ofEarlier });
  for (const table of ['spans', 'logs']) await insert(earlier.store, table, 'first');
  expect(await granules(earlier.store)).toEqual([
    ['logs', 'large'],
    ['spans', 'large'],
  ]);
  const before = await answers(earlier.store);
  await earlier.stop();

  const later = await start(granuleRows);
  expect(await migrateTelemetry({ url: later.engine.url, database: 'fanion' })).toEqual([]);
  expect(await answers(later.store)).toEqual(before);
  for (const table of ['spans', 'logs']) {
    await later.store.command(`SYSTEM STOP MERGES ${table}`);
    await insert(later.store, table, 'first');
    await insert(later.store, table, 'second');
  }
  expect(await granules(later.store)).toEqual([
    ['logs', 'large'],
    ['logs', 'small'],
    ['spans', 'large'],
    ['spans', 'small'],
  ]);
  const twice = await answers(later.store);
  expect((await later.store.query('SELECT sum(spans) FROM trace_index')).rows).toEqual([[2 * ROWS]]);

  for (const table of ['spans', 'logs']) {
    await later.store.command(`SYSTEM START MERGES ${table}`);
    // A text index is added to the part as it is, with its large granules, and the merge writes them anew.
    await later.store.command(`ALTER TABLE ${table} MATERIALIZE INDEX by_value SETTINGS mutations_sync = 2`);
    expect(await answers(later.store)).toEqual(twice);
    await later.store.command(`OPTIMIZE TABLE ${table} FINAL`);
  }
  expect(await granules(later.store)).toEqual([
    ['logs', 'small'],
    ['spans', 'small'],
  ]);
  expect(await answers(later.store)).toEqual(twice);
});
