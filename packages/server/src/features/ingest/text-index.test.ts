import { afterAll, beforeAll, expect, it } from 'vitest';
import { count, startTestStore, type TestStore } from './testing/store.ts';
import { RowWriter } from './transcode/row-writer.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
}, 60_000);
afterAll(() => store?.close());

const NOW = BigInt(Date.now()) * 1_000_000n;

function rowsOf(body: boolean, first: number, rows: number): Buffer {
  const row = new RowWriter();
  for (let i = first; i < first + rows; i++) {
    row.reserve(32);
    row.uint32(1);
    row.uint16(30);
    row.uint64(Number(NOW & 0xffffffffn), Number(NOW >> 32n));
    row.varint(1);
    row.text('order');
    row.text(`n${i}`);
    if (body) row.text(`Order n${i} placed`);
  }
  return row.bytes.subarray(0, row.length);
}

it.each(['spans', 'logs'])(
  '%s are found in parts that are merged, and in those that are not yet',
  async (table) => {
    const isLogs = table === 'logs';
    const columns = ['workspace', 'retention_days', 'time', 'string_attributes', ...(isLogs ? ['body'] : [])];
    const insert = (first: number) =>
      store.store.insert(table, columns, 'RowBinary', rowsOf(isLogs, first, 100), { token: `${table}-${first}` });
    await insert(0);
    await insert(50);
    await store.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    await insert(75);
    const found = (pair: string) =>
      count(store.store, `SELECT count() FROM ${table} WHERE has(attribute_pairs, '${pair}')`);
    expect([
      await found('order=n10'),
      await found('order=n60'),
      await found('order=n80'),
      await found('order=n170'),
    ]).toEqual([1, 2, 3, 1]);
    if (!isLogs) return;
    const said = (word: string) =>
      count(store.store, `SELECT count() FROM logs WHERE hasToken(lower(body), '${word}')`);
    expect([await said('n10'), await said('n80'), await said('placed'), await said('nobody')]).toEqual([1, 3, 300, 0]);
  },
  60_000,
);
