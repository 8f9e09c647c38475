import { RowWriter } from '@fanion/telemetry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { count, startTestStore, type TestStore } from './testing/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

const NOW = BigInt(Date.now()) * 1_000_000n;

/** Row `i` has the attribute `order`. Every third one is empty, and every fifth row has it in its resource as well. */
function rowsOf(body: boolean, first: number, rows: number): Buffer {
  const row = new RowWriter();
  const map = (pairs: readonly (readonly [string, string])[]) => {
    row.varint(pairs.length);
    for (const pair of pairs) for (const text of pair) row.text(text);
  };
  for (let i = first; i < first + rows; i++) {
    row.reserve(32);
    row.uint32(1);
    row.uint16(30);
    row.uint64(Number(NOW & 0xffffffffn), Number(NOW >> 32n));
    map(i % 3 === 0 ? [['order', '']] : [['order', `n${i}`]]);
    map(i % 5 === 0 ? [['order', `n${i}`]] : []);
    if (body) row.text(`Order n${i} placed`);
  }
  return row.bytes.subarray(0, row.length);
}

const attribute = (value: string) => `string_attributes['order'] = '${value}'`;
const resource = (value: string) => `resource['order'] = '${value}'`;

it.each(['spans', 'logs'])(
  '%s are found alike in parts with indexes of values and words, with some of them, and without',
  async (table) => {
    const isLogs = table === 'logs';
    const columns = [
      'workspace',
      'retention_days',
      'time',
      'string_attributes',
      'resource',
      ...(isLogs ? ['body'] : []),
    ];
    const insert = (first: number) =>
      store.store.insert(table, columns, 'RowBinary', rowsOf(isLogs, first, 100), { token: `${table}-${first}` });
    const build = (index: string) =>
      store.store.command(`ALTER TABLE ${table} MATERIALIZE INDEX ${index}`, { settings: { mutations_sync: 1 } });
    const found = (condition: string) => count(store.store, `SELECT count() FROM ${table} WHERE ${condition}`);
    const either = (value: string) =>
      `(${attribute(value)} OR (${resource(value)} AND string_attributes['order'] = ''))`;
    // 10 and 80 are in the attribute, 15 only in the resource, 30 has an empty attribute; 75 and later come later.
    const check = async (copies: (order: number) => number, rows: number) => {
      for (const order of [10, 80, 85]) {
        const n = copies(order);
        expect(await found(attribute(`n${order}`))).toBe(n);
        expect(await found(either(`n${order}`))).toBe(n);
        expect(await found(`NOT ${either(`n${order}`)}`)).toBe(rows - n);
        expect(await found(`string_attributes['order'] IN ('n${order}', 'none')`)).toBe(n);
      }
      expect(await found(attribute('n15'))).toBe(0);
      expect(await found(resource('n15'))).toBe(copies(15));
      expect(await found(either('n15'))).toBe(copies(15));
      expect(await found(either('none'))).toBe(0);
      if (!isLogs) return;
      const said = (word: string) => found(`hasToken(lower(body), '${word}')`);
      expect(await said('n10')).toBe(copies(10));
      expect(await said('n80')).toBe(copies(80));
      expect(await said('placed')).toBe(rows);
      expect(await said('nobody')).toBe(0);
    };
    const once = (first: number) => (order: number) => (order >= first && order < first + 100 ? 1 : 0);
    const copies =
      (...firsts: number[]) =>
      (order: number) =>
        firsts.reduce((sum, first) => sum + once(first)(order), 0);

    await insert(0);
    await insert(50);
    await check(copies(0, 50), 200);
    await build('by_value');
    await check(copies(0, 50), 200);
    await insert(75);
    await check(copies(0, 50, 75), 300);
    await build('by_resource');
    if (isLogs) await build('by_word');
    await insert(80);
    await check(copies(0, 50, 75, 80), 400);
    // Merging parts with and without an index produces one without.
    await store.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    await check(copies(0, 50, 75, 80), 400);
    await build('by_value');
    await build('by_resource');
    await check(copies(0, 50, 75, 80), 400);
    expect(await found(`string_attributes['order'] = ''`)).toBe(
      await count(store.store, `SELECT countIf(string_attributes['order'] = '') FROM ${table}`),
    );
  },
  120_000,
);
