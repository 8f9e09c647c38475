import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResultTooLarge, readCompact, readCompactRows } from './compact.ts';

const limits = { maxResultBytes: 100_000_000, maxRowBytes: 1_000_000 };
const rows = fc.array(fc.array(fc.jsonValue({ noUnicodeString: false }), { minLength: 1, maxLength: 4 }), {
  maxLength: 30,
});

/** The form in which ClickHouse writes `JSONCompact`. */
function written(of: readonly unknown[][], name = 'a'): string {
  const lines = of.map((row) => `\t\t${JSON.stringify(row)}`).join(',\n');
  const meta = `\t"meta":\n\t[\n\t\t{\n\t\t\t"name": ${JSON.stringify(name)},\n\t\t\t"type": "String"\n\t\t}\n\t]`;
  const statistics = `\t"statistics":\n\t{\n\t\t"elapsed": 0.5,\n\t\t"rows_read": 7,\n\t\t"bytes_read": 70\n\t}`;
  return `{\n${meta},\n\n\t"data":\n\t[\n${lines}\n\t],\n\n\t"rows": ${of.length},\n\n${statistics}\n}\n`;
}

/** The text in pieces that may end within a character. */
function inPieces(text: string, sizes: readonly number[]): Readable {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return Readable.from(pieces);
}

describe('an answer in JSONCompact', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 10 });

  it('is read correctly for any split into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, fc.constantFrom('a', '\t"data":\n\t[\n', '"]'), async (of, pieces, name) => {
        const read = await readCompact(inPieces(written(of, name), pieces), limits);
        expect(read.rows).toEqual(JSON.parse(JSON.stringify(of)));
        expect(read.columns).toEqual([{ name, type: 'String' }]);
        expect(read.statistics).toEqual({ elapsed: 0.5, rows_read: 7, bytes_read: 70 });
      }),
    );
  });

  it('is read row by row for any split into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, async (of, pieces) => {
        const text = of.map((row) => `${JSON.stringify(row)}\n`).join('');
        const read: unknown[] = [];
        for await (const batch of readCompactRows(inPieces(text, pieces), limits)) read.push(...batch);
        expect(read).toEqual(JSON.parse(JSON.stringify(of)));
      }),
    );
  });

  it('fails when it is cut off', async () => {
    const text = written([['a'], ['b']]);
    for (const end of [10, 100, 170, text.length - 60])
      await expect(readCompact(inPieces(text.slice(0, end), [50]), limits)).rejects.toThrow();
  });

  it('fails at the limits of a row and of the whole, without reading further', async () => {
    let sent = 0;
    const endless = (line: string) =>
      Readable.from(
        (function* () {
          yield '{\n\t"meta":\n\t[\n\t],\n\n\t"data":\n\t[\n';
          for (;;) {
            sent += line.length;
            yield line;
          }
        })(),
        { objectMode: false },
      );
    const small = { maxResultBytes: 500_000, maxRowBytes: 100_000 };
    const row = readCompact(endless('x'.repeat(10_000)), small);
    await expect(row).rejects.toMatchObject({ name: 'ResultTooLarge', what: 'row', limitBytes: 100_000 });
    expect(sent).toBeLessThan(500_000);
    sent = 0;
    const whole = readCompact(endless(`\t\t["${'x'.repeat(10_000)}"],\n`), small);
    await expect(whole).rejects.toBeInstanceOf(ResultTooLarge);
    expect(sent).toBeLessThan(1_000_000);
  });

  it('lets other work run while it is read', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const many = Array.from({ length: 200_000 }, (_, n) => [n, 'text', [1, 2, 3]]);
    // All data is available at once, so only the reader itself can yield to others.
    const read = await readCompact(inPieces(written(many), [65_536]), limits);
    isDone = true;
    expect(read.rows).toHaveLength(200_000);
    expect(turns).toBeGreaterThan(0);
  });
});
