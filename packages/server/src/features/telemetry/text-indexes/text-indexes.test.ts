import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobRun } from '../../../platform/jobs/index.ts';
import { count, startTestStore, type TestStore } from '../ingest/testing/store.ts';
import { textIndexJob } from './index.ts';
import { listBuilt } from './store.ts';

const hour = 3_600_000;
const today = Math.floor(Date.now() / (24 * hour)) * 24 * hour;
let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

async function runAt(now: number): Promise<void> {
  const run: JobRun = {
    name: 'text_indexes.build',
    payload: undefined,
    scheduledFor: new Date(now),
    epoch: 1,
    signal: new AbortController().signal,
    now: () => now,
    commit: () => Promise.reject(new Error('it has no effects in the control plane')),
    finish: async () => {},
  };
  await textIndexJob(store.store).run(run);
}

const insert = (table: string, ms: number, rows: number) =>
  store.store.command(
    `INSERT INTO ${table} (workspace, retention_days, time, string_attributes, resource)
     SELECT 1, 30, fromUnixTimestamp64Milli({ms:Int64}), map('order', concat('n', toString(number))), map('host', 'h1')
     FROM numbers({rows:UInt32})`,
    {
      params: { ms, rows },
      settings: { exclude_materialize_skip_indexes_on_insert: 'by_value,by_resource,by_word' },
    },
  );
const indexBytes = (table: string, id: string) =>
  count(
    store.store,
    `SELECT sum(secondary_indices_compressed_bytes) FROM system.parts WHERE active AND table = {table:String} AND startsWith(partition_id, {id:String})`,
    { table, id },
  );
const idOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
const rowsRead = async (table: string, value: string) => {
  const { rows, cost } = await store.store.query(
    `SELECT count() FROM ${table} WHERE time < fromUnixTimestamp64Milli({today:Int64}) AND string_attributes['order'] = {value:String}`,
    { params: { today, value }, settings: { use_query_condition_cache: 0 } },
  );
  return { found: Number(rows[0]?.[0]), read: cost.rowsRead };
};

it('builds the indexes of days that are over, once, and again for what came late', async () => {
  const yesterday = today - 12 * hour;
  for (const table of ['spans', 'logs']) {
    await insert(table, yesterday, 40_000);
    await insert(table, today, 10);
  }
  const without = await indexBytes('spans', idOf(yesterday));
  const withoutToday = await indexBytes('spans', idOf(today));
  await runAt(today + 2 * hour);
  expect(await listBuilt(store.store)).toEqual([]);

  await runAt(today + 4 * hour);
  expect(await indexBytes('spans', idOf(yesterday))).toBeGreaterThan(without);
  expect(await indexBytes('spans', idOf(today))).toBe(withoutToday);
  const built = await listBuilt(store.store);
  expect(built.map(({ table, id }) => [table, id]).sort()).toEqual([
    ['logs', `${idOf(yesterday)}-30`],
    ['spans', `${idOf(yesterday)}-30`],
  ]);
  for (const table of ['spans', 'logs']) {
    const { found, read } = await rowsRead(table, 'n17');
    expect(found).toBe(1);
    expect(read).toBeLessThan(40_000);
  }

  // Nothing is to do, so nothing is ordered.
  const ordered = () =>
    count(store.store, `SELECT uniqExact(table, mutation_id) FROM system.mutations WHERE database = currentDatabase()`);
  const before = await ordered();
  await runAt(today + 11 * hour);
  expect(await ordered()).toBe(before);

  await insert('spans', yesterday, 1);
  await runAt(today + 9 * hour);
  expect(await ordered()).toBe(before);
  await runAt(today + 11 * hour);
  expect(await ordered()).toBe(before + 1);
  expect((await rowsRead('spans', 'n0')).found).toBe(2);
  await runAt(today + 24 * hour);
  expect(await ordered()).toBe(before + 1);
});
