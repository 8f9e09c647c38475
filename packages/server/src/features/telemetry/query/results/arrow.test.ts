import type { ResultColumn, ResultValue } from '@fanion/oql';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../ingest/testing/store.ts';
import { toArrow } from './arrow.ts';

const columns: readonly ResultColumn[] = [
  { name: 'at', type: 'timestamp' },
  { name: 'took', type: 'duration' },
  { name: 'n', type: 'int' },
  { name: 'hash', type: 'int' },
  { name: 'share', type: 'float' },
  { name: 'failed', type: 'bool' },
  { name: 'http.route', type: 'string' },
  { name: 'attributes', type: 'map' },
];
const types =
  "at Nullable(DateTime64(9, 'UTC')), took Nullable(Int64), n Nullable(Int64), hash Nullable(UInt64), share Nullable(Float64), failed Nullable(Bool), `http.route` Nullable(String), attributes Nullable(String)";

async function bytesOf(
  columns: readonly ResultColumn[],
  batches: readonly (readonly ResultValue[][])[],
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const given = async function* () {
    yield* batches;
  };
  for await (const chunk of toArrow(columns, given())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The engine reads Arrow with the official C++ library. */
describe('Arrow', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
    await store.store.command(`CREATE TABLE arrow (batch UInt32, ${types}) ENGINE = Memory`);
  });
  afterAll(() => store?.close());

  async function readBack(bytes: Buffer): Promise<unknown[][]> {
    await store.store.command('TRUNCATE TABLE arrow');
    const url = new URL(store.engine.url);
    const query = `INSERT INTO fanion.arrow (${columns.map(({ name }) => `\`${name}\``).join(', ')}) FORMAT ArrowStream`;
    const answer = await fetch(`http://${url.host}/?${new URLSearchParams({ query })}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${url.username}:${decodeURIComponent(url.password)}`)}` },
      body: new Uint8Array(bytes),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    const { rows } = await store.store.query(
      'SELECT toUnixTimestamp64Nano(at), took, n, hash, share, failed, `http.route`, attributes FROM arrow ORDER BY n',
      { settings: { output_format_json_quote_64bit_integers: 1 } },
    );
    return rows;
  }

  const row = (n: number, more: Partial<Record<string, ResultValue>> = {}): ResultValue[] => [
    '2026-11-19T14:53:20.120000001Z',
    1_500_000,
    n,
    '18446744073709551615',
    0.25,
    n % 2 === 0,
    `/café/${n}`,
    { 'user.id': 'u1', n },
    ...Object.values(more).map((value) => value ?? null),
  ];

  it('is read back unchanged, in several batches', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => row(n));
    const bytes = await bytesOf(columns, [rows.slice(0, 10), rows.slice(10, 9_000), rows.slice(9_000)]);
    const back = await readBack(bytes);
    expect(back).toHaveLength(20_000);
    expect(back[7]).toEqual([
      '1763564000120000001'.replace('1763564000', String(Date.parse('2026-11-19T14:53:20Z') / 1000)),
      '1500000',
      '7',
      '18446744073709551615',
      0.25,
      false,
      '/café/7',
      '{"user.id":"u1","n":7}',
    ]);
  });

  it('has nulls, and a schema when there are no rows', async () => {
    const nothing = columns.map(({ name }) => (name === 'n' ? 1 : null));
    expect(await readBack(await bytesOf(columns, [[nothing]]))).toEqual([
      [null, null, '1', null, null, null, null, null],
    ]);
    expect(await readBack(await bytesOf(columns, []))).toEqual([]);
  });

  it('keeps any number and text', { timeout: 60_000 }, async () => {
    const values = fc.tuple(
      fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.option(fc.string({ unit: 'binary' })),
      fc.option(fc.boolean()),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 40 }), async (all) => {
        const rows = all.map(([float, text, bool], n) => [null, n, n, n, float, bool, text, null]);
        const back = await readBack(await bytesOf(columns, [rows]));
        expect(back.map((one) => [one[4], one[5], one[6]])).toEqual(
          all.map(([float, text, bool]) => [float, bool, text]),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('rejects a number that does not fit its column', async () => {
    const of: readonly ResultColumn[] = [{ name: 'n', type: 'int' }];
    await expect(bytesOf(of, [[...Array(9_000)].map(() => [1]), [['18446744073709551615']]])).rejects.toThrow(
      RangeError,
    );
  });
});
