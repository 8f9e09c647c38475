import { bitsOf, isStale, STALE_BITS } from '@fanion/promql';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from './samples.ts';

type Sample = readonly [time: number, bits: bigint];

/** As the store writes a series. */
function rowOf(id: bigint, samples: readonly Sample[]): Buffer {
  const length: number[] = [];
  for (let left = samples.length; ; left >>= 7) {
    length.push(left < 128 ? left : (left & 127) | 128);
    if (left < 128) break;
  }
  const row = Buffer.alloc(8 + 2 * (length.length + 8 * samples.length));
  let at = row.writeBigUInt64LE(id);
  at += Buffer.from(length).copy(row, at);
  for (const [time] of samples) at = row.writeDoubleLE(time, at);
  at += Buffer.from(length).copy(row, at);
  for (const [, bits] of samples) at = row.writeBigUInt64LE(bits, at);
  return row;
}

const samples = fc
  .array(fc.tuple(fc.integer({ min: -5, max: 400 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), { maxLength: 300 })
  .map((all) => all.toSorted(([a], [b]) => a - b));

describe('the columns of an answer', () => {
  it('are the last sample of each millisecond, bit by bit, wherever chunks end', async () => {
    const series = fc.uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), samples), {
      selector: ([id]) => id,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(series, fc.array(fc.nat(5_000)), async (all, cuts) => {
        const bytes = Buffer.concat(all.map(([id, of]) => rowOf(id, of)));
        const ends = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
        const chunks = [0, ...ends].map((from, i) => bytes.subarray(from, ends[i] ?? bytes.length));
        const found = await columnsOf(chunks);
        const read = [...found].map(([id, { times, values }]) => {
          const bits = new BigUint64Array(values.slice().buffer);
          return [id, [...times].map((time, i) => [time, bits[i]])];
        });
        expect(read).toEqual(all.map(([id, of]) => [String(id), [...new Map(of)]]));
      }),
    );
  });

  it('keep staleness markers', async () => {
    const found = await columnsOf([
      rowOf(1n, [
        [1, STALE_BITS],
        [2, 0n],
      ]),
    ]);
    const values = found.get('1')?.values ?? new Float64Array();
    expect([0, 1].map((at) => isStale(bitsOf(values), at))).toEqual([true, false]);
  });

  it('are an error for samples out of order, and for an answer that ends early', async () => {
    await expect(
      columnsOf([
        rowOf(1n, [
          [2, 0n],
          [1, 0n],
        ]),
      ]),
    ).rejects.toThrow('out of order');
    await expect(columnsOf([rowOf(1n, [[1, 0n]]).subarray(0, 20)])).rejects.toThrow('ended early');
  });
});
