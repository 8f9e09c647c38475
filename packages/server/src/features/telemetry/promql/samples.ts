import { bitsOf } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';

/** The samples of one stored series. */
export interface Columns {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

const numberBytes = 8;

/**
 * The rows of `readSamples` as columns, by the series. Of several samples of one millisecond the last one counts. The bits of a
 * value stay as they are.
 */
export async function columnsOf(chunks: readonly Buffer[]): Promise<ReadonlyMap<string, Columns>> {
  const reader = readerOf(chunks);
  const all = new Map<string, Columns>();
  const breath = createBreath();
  while (!reader.hasEnded()) {
    const id = String(new BigUint64Array(reader.bytes(numberBytes))[0]);
    const times = new Float64Array(reader.bytes(reader.length() * numberBytes));
    const values = new Float64Array(reader.bytes(reader.length() * numberBytes));
    all.set(id, onePerMillisecond({ times, values }));
    await breath();
  }
  return all;
}

/** @throws Error if times are not in order, which nothing else would notice */
function onePerMillisecond(columns: Columns): Columns {
  const { times, values } = columns;
  const bits = bitsOf(values);
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < times.length; at++) {
    const time = times[at] ?? 0;
    if (time < last) throw new Error('the store answered samples out of order');
    if (time === last) count--;
    last = time;
    if (count < at) {
      times[count] = time;
      bits[2 * count] = bits[2 * at] ?? 0;
      bits[2 * count + 1] = bits[2 * at + 1] ?? 0;
    }
    count++;
  }
  return count === times.length ? columns : { times: times.subarray(0, count), values: values.subarray(0, count) };
}

/** RowBinary, in chunks that end anywhere. */
function readerOf(chunks: readonly Buffer[]) {
  let chunk = 0;
  let at = 0;
  const hasEnded = () => {
    while (chunk < chunks.length && at === chunks[chunk]?.length) {
      chunk++;
      at = 0;
    }
    return chunk === chunks.length;
  };
  const next = (most: number): Buffer => {
    if (hasEnded()) throw new Error('the answer of the telemetry store ended early');
    const part = chunks[chunk]?.subarray(at, at + most) ?? Buffer.alloc(0);
    at += part.length;
    return part;
  };
  return {
    hasEnded,
    /** A copy, since numbers have to lie at multiples of their size. */
    bytes(count: number): ArrayBuffer {
      const copy = new Uint8Array(count);
      for (let filled = 0; filled < count; ) {
        const part = next(count - filled);
        copy.set(part, filled);
        filled += part.length;
      }
      return copy.buffer;
    },
    /** Of an array: seven bits in each byte, the lowest first. */
    length(): number {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = next(1)[0] ?? 0;
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
    },
  };
}
