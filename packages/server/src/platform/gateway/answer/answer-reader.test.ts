import { decodeRow, type ResultColumn } from '@fanion/oql';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ResultTooLarge } from '../../clickhouse/index.ts';
import { AnswerReader, EncodedRows } from '../index.ts';

const columns: readonly ResultColumn[] = [
  { name: 'a', type: 'any' },
  { name: 'm', type: 'map' },
  { name: 't', type: 'string' },
];
const limits = { maxResultBytes: 100_000_000, maxRowBytes: 1_000_000 };
const { signal } = new AbortController();

/** The form in which ClickHouse writes `JSONCompact`. */
function* written(rows: readonly (readonly unknown[])[], piece: number): Generator<Buffer> {
  const lines = rows.map((row) => `\t\t${JSON.stringify(row)}`).join(',\n');
  const statistics = '\t"statistics":\n\t{\n\t\t"elapsed": 0.5,\n\t\t"rows_read": 7,\n\t\t"bytes_read": 70\n\t}';
  const text = `{\n\t"meta":\n\t[\n\t],\n\n\t"data":\n\t[\n${lines}\n\t],\n\n\t"rows": ${rows.length},\n\n${statistics}\n}\n`;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}

async function* answerOf(rows: readonly (readonly unknown[])[], piece = 65_536): AsyncGenerator<Buffer> {
  yield* written(rows, piece);
}

function textOf(rows: unknown): string {
  return rows instanceof EncodedRows ? Buffer.concat(rows.chunks).toString() : JSON.stringify(rows);
}

const many = (count: number) => Array.from({ length: count }, (_, n) => [`n${n}`, { key: 'é'.repeat(20) }, `row ${n}`]);

describe('the reader of answers', () => {
  const reader = new AnswerReader();
  afterAll(() => reader.stop());

  it('gives a large answer as text equal to that of its values', { timeout: 60_000 }, async () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('n18446744073709551615', 'fnan', 'btrue', 'j{"a":[1]}', null, 1e21, -0, '\ud800'),
    );
    const row = fc.tuple(value, fc.dictionary(fc.string(), value, { maxKeys: 3 }), fc.string({ maxLength: 50 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 0, max: 8_000 }),
        async (some, piece, limit) => {
          // Repeated until it is large enough for the thread, even if each row is `["",{},""]`.
          const rows = Array.from({ length: 7_000 }, (_, n) => some[n % some.length] ?? []);
          const answer = await reader.read(answerOf(rows, piece + 100), { columns, limit, limits }, signal);
          expect(textOf(answer.rows)).toBe(JSON.stringify(rows.slice(0, limit).map((one) => decodeRow(columns, one))));
          expect(answer.rows.length).toBe(Math.min(limit, rows.length));
          expect(answer.truncated).toBe(limit < rows.length);
          expect(answer.cost).toEqual({ seconds: 0.5, rowsRead: 7, bytesRead: 70 });
        },
      ),
      { numRuns: 20 },
    );
    expect(reader.readInThread()).toBe(20);
  });

  it('gives a small answer as values, and any answer where values are asked for', async () => {
    const small = await reader.read(answerOf(many(10)), { columns, limit: 5, limits }, signal);
    expect(small.rows).toEqual(many(5).map((row) => decodeRow(columns, row)));
    expect(small.truncated).toBe(true);
    const large = await reader.readValues(answerOf(many(20_000)), { columns, limit: 19_999, limits });
    expect(large.rows).toEqual(many(19_999).map((row) => decodeRow(columns, row)));
    expect(large.truncated).toBe(true);
  });

  it('counts the size of the text', async () => {
    const { rows, bytes } = await reader.read(answerOf(many(5_000)), { columns, limit: 10_000, limits }, signal);
    expect(bytes).toBe(Buffer.byteLength(textOf(rows)));
  });

  it.each([
    ['a row', { maxResultBytes: 100_000_000, maxRowBytes: 100_000 }],
    ['the result', { maxResultBytes: 200_000, maxRowBytes: 1_000_000 }],
  ])('fails when %s is too large', async (_what, narrow) => {
    const rows = [...many(3_000), ['s', {}, 'x'.repeat(150_000)]];
    const job = { columns, limit: 10_000, limits: narrow };
    await expect(reader.read(answerOf(rows), job, signal)).rejects.toThrow(ResultTooLarge);
  });

  it('fails when the answer is cut off', async () => {
    async function* cut() {
      yield* [...written(many(5_000), 65_536)].slice(0, -1);
    }
    await expect(reader.read(cut(), { columns, limit: 10_000, limits }, signal)).rejects.toThrow();
  });

  it('ends the stream and the wait when it is aborted', async () => {
    const leaving = new AbortController();
    let hasEnded = false;
    async function* endless() {
      try {
        yield* written(many(5_000), 65_536);
        leaving.abort(new Error('left'));
        yield Buffer.from(' \n');
        yield Buffer.from(' \n');
      } finally {
        hasEnded = true;
      }
    }
    const job = { columns, limit: 10_000, limits };
    await expect(reader.read(endless(), job, leaving.signal)).rejects.toThrow('left');
    expect(hasEnded).toBe(true);
  });

  it('reads several answers at once', async () => {
    const counts = [3_000, 4_000, 5_000, 6_000];
    const job = { columns, limit: 10_000, limits };
    const answers = await Promise.all(counts.map((count) => reader.read(answerOf(many(count)), job, signal)));
    expect(answers.map(({ rows }) => rows.length)).toEqual(counts);
    for (const [at, count] of counts.entries())
      expect(textOf(answers[at]?.rows)).toBe(JSON.stringify(many(count).map((row) => decodeRow(columns, row))));
  });
});
