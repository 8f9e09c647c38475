import { STALE_BITS } from '@fanion/promql';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativeBlocks } from '../../../platform/clickhouse/index.ts';
import { sampleTypes } from './sample-store.ts';
import { samplesOf } from './samples.ts';

interface Row {
  readonly series: bigint;
  readonly ms: number;
  readonly nanos: number;
  /** Of the value. */
  readonly bits: bigint;
}

const byMoment = (a: Row, b: Row) =>
  a.series === b.series ? a.ms - b.ms || a.nanos - b.nanos : a.series < b.series ? -1 : 1;

function bitsOf(values: Float64Array): BigUint64Array {
  return new BigUint64Array(values.buffer, values.byteOffset, values.length);
}

/** A block of the format Native: each series with its samples, in the given order. */
function blockOf(rows: readonly Row[]): Buffer {
  const text = (of: string) => Buffer.from([of.length, ...Buffer.from(of)]);
  const series = [...new Set(rows.map((one) => one.series))];
  const lists = series.map((id) => rows.filter((one) => one.series === id));
  const ends = (lengths: readonly number[]) => {
    let end = 0;
    return BigUint64Array.from(lengths, (length) => {
      end += length;
      return BigInt(end);
    });
  };
  const all = lists.flat();
  const withNanos = lists.map((list) => (list.some(({ nanos }) => nanos > 0) ? list : []));
  const bytesOf = (...arrays: readonly ArrayBufferView[]) =>
    Buffer.concat(arrays.map(({ buffer }) => Buffer.from(buffer as ArrayBuffer)));
  const lengths = ends(lists.map(({ length }) => length));
  const data = [
    bytesOf(BigUint64Array.from(series)),
    bytesOf(
      lengths,
      Float64Array.from(all, ({ ms }) => ms),
    ),
    bytesOf(
      lengths,
      BigUint64Array.from(all, ({ bits }) => bits),
    ),
    bytesOf(
      ends(withNanos.map(({ length }) => length)),
      Uint32Array.from(withNanos.flat(), ({ nanos }) => nanos),
    ),
  ];
  const columns = sampleTypes.flatMap((type, at) => [text(`column${at}`), text(type), data[at] ?? Buffer.alloc(0)]);
  return Buffer.concat([Buffer.from([sampleTypes.length, series.length]), ...columns]);
}

const row = fc.record({
  series: fc.constantFrom(1n, 2n, 2n ** 32n + 1n, 2n ** 64n - 1n),
  ms: fc.integer({ min: 1_796_000_000_000, max: 1_796_000_000_020 }),
  nanos: fc.integer({ min: 0, max: 3 }),
  bits: fc.double().map((value) => bitsOf(Float64Array.of(value))[0] ?? 0n),
});
/** Moments are distinct, as they are in the store. */
const rows = fc.uniqueArray(row, { selector: ({ series, ms, nanos }) => `${series} ${ms} ${nanos}`, maxLength: 60 });

test('samples from parts in any order are those of each series by time, the last one of each millisecond', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.infiniteStream(fc.nat(3)), fc.integer({ min: 1, max: 40 }), async (all, places, size) => {
      const parts: Row[][] = [[], [], [], []];
      for (const one of all) parts[places.next().value ?? 0]?.push(one);
      const given = parts.flatMap((part) => part.sort(byMoment));
      // The last series gets its own block.
      const ownBlock = given.at(-1)?.series;
      const blocks = [given.filter((one) => one.series !== ownBlock), given.filter((one) => one.series === ownBlock)];
      const bytes = Buffer.concat(blocks.filter(({ length }) => length > 0).map(blockOf));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { count, columns } = await samplesOf(nativeBlocks(chunks, sampleTypes));
      expect(count).toBe(all.length);
      const sorted = [...all].sort(byMoment);
      const last = sorted.filter(
        ({ series, ms }, at) => sorted[at + 1]?.series !== series || sorted[at + 1]?.ms !== ms,
      );
      const found = [...columns].flatMap(([series, { times, values }]) =>
        Array.from(times, (ms, at) => ({ series: BigInt(series), ms, bits: bitsOf(values)[at] ?? 0n, nanos: 0 })),
      );
      expect(found.sort(byMoment)).toEqual(last.map((one) => ({ ...one, nanos: 0 })));
    }),
  );
});

test('a staleness marker keeps its bits, also where samples are sorted', async () => {
  const stale = { series: 1n, ms: 5, nanos: 0, bits: STALE_BITS };
  const { columns } = await samplesOf(nativeBlocks([blockOf([{ ...stale, ms: 6 }, stale])], sampleTypes));
  const found = columns.get('1')?.values;
  expect(found && [...bitsOf(found)]).toEqual([STALE_BITS, STALE_BITS]);
});
