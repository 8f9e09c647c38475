import { bitsOf, STALE_BITS } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';
import { sampleBytes } from './sample-store.ts';

/** The samples of one stored series. */
export interface Columns {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

const staleLow = Number(STALE_BITS & 0xffffffffn);
const staleHigh = Number(STALE_BITS >> 32n);

/**
 * The rows of `readSamples` as columns, by the series. Of several samples of one millisecond the last one counts. The bits of a
 * value stay as they are, and a sample without a value is a staleness marker.
 */
export async function columnsOf(chunks: readonly Buffer[]): Promise<ReadonlyMap<string, Columns>> {
  const total = chunks.reduce((sum, { length }) => sum + length, 0) / sampleBytes;
  const times = new Float64Array(total);
  const values = new Float64Array(total);
  const bits = bitsOf(values);
  const all = new Map<string, Columns>();
  const breath = createBreath();
  let count = 0;
  let begin = 0;
  let series: bigint | undefined;
  const finish = () => {
    if (series !== undefined)
      all.set(String(series), { times: times.subarray(begin, count), values: values.subarray(begin, count) });
    begin = count;
  };
  for (const [rows, view] of wholeRows(chunks)) {
    for (let at = 0; at < rows; at += sampleBytes) {
      const id = view.getBigUint64(at, true);
      if (id !== series) {
        finish();
        series = id;
        // An await for each row would cost more than the row.
        await breath();
      }
      const time = view.getUint32(at + 8, true) + view.getInt32(at + 12, true) * 4_294_967_296;
      if (count > begin && times[count - 1] === time) count--;
      const isMissing = view.getUint8(at + 24) !== 0;
      times[count] = time;
      bits[2 * count] = isMissing ? staleLow : view.getUint32(at + 16, true);
      bits[2 * count + 1] = isMissing ? staleHigh : view.getUint32(at + 20, true);
      count++;
    }
  }
  finish();
  return all;
}

/** Chunks end anywhere: what is left of one begins the next. */
function* wholeRows(chunks: readonly Buffer[]): Generator<readonly [bytes: number, view: DataView]> {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = buffer.length - (buffer.length % sampleBytes);
    yield [whole, new DataView(buffer.buffer, buffer.byteOffset, whole)];
    rest = buffer.subarray(whole);
  }
}
