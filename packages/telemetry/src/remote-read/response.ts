import { packSnappy } from '../convert/snappy.ts';
import { FIXED64, LENGTH, VARINT } from '../wire/reader.ts';
import { WireWriter } from '../wire/writer.ts';

/** `prometheus.Histogram.ResetHint` */
const resetHints = { unknown: 0, reset: 1, 'not-reset': 2, gauge: 3 } as const;

/** A side of a native histogram: counts by rising index. */
export interface ReadBuckets {
  readonly indexes: Int32Array;
  readonly counts: Float64Array;
}

export interface ReadHistogram {
  readonly schema: number;
  readonly counterReset: keyof typeof resetHints;
  readonly count: number;
  readonly sum: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly positive: ReadBuckets;
  readonly negative: ReadBuckets;
  readonly customValues?: Float64Array;
}

export interface ReadSeries {
  readonly labels: ReadonlyMap<string, string>;
  /** Unix milliseconds. */
  readonly times: Float64Array;
  /** Their bits are sent as they are. */
  readonly values: Float64Array;
  readonly histograms?: readonly (ReadHistogram | undefined)[];
}

/** Writes `prometheus.ReadResponse` (prompb/remote.proto) in Snappy: a result for each query. */
export function encodeReadResponse(results: readonly (readonly ReadSeries[])[]): Buffer {
  const writer = new WireWriter();
  for (const result of results)
    message(writer, 1, () => {
      for (const series of result) message(writer, 1, () => writeSeries(writer, series));
    });
  return packSnappy(writer.result());
}

function writeSeries(writer: WireWriter, { labels, times, values, histograms }: ReadSeries): void {
  for (const [name, value] of [...labels].sort(([a], [b]) => (a < b ? -1 : 1)))
    message(writer, 1, () => {
      text(writer, 1, name);
      text(writer, 2, value);
    });
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  for (const [i, time] of times.entries()) {
    const histogram = histograms?.[i];
    if (histogram !== undefined) message(writer, 4, () => writeHistogram(writer, histogram, time));
    else
      message(writer, 2, () => {
        writer.varint(8 + FIXED64);
        writer.fixed32(bits[2 * i] ?? 0);
        writer.fixed32(bits[2 * i + 1] ?? 0);
        number(writer, 2, time);
      });
  }
}

/** With counts as floats, which hold those of both forms. */
function writeHistogram(writer: WireWriter, histogram: ReadHistogram, time: number): void {
  double(writer, 2, histogram.count);
  double(writer, 3, histogram.sum);
  number(writer, 4, zigzag(histogram.schema));
  double(writer, 5, histogram.zeroThreshold);
  double(writer, 7, histogram.zeroCount);
  writeBuckets(writer, histogram.negative, { spans: 8, counts: 10 });
  writeBuckets(writer, histogram.positive, { spans: 11, counts: 13 });
  number(writer, 14, resetHints[histogram.counterReset]);
  number(writer, 15, time);
  if (histogram.customValues !== undefined) doubles(writer, 16, histogram.customValues);
}

function writeBuckets(
  writer: WireWriter,
  { indexes, counts }: ReadBuckets,
  fields: { readonly spans: number; readonly counts: number },
): void {
  let next = 0;
  for (let from = 0; from < indexes.length; ) {
    const first = indexes[from] ?? 0;
    let to = from + 1;
    while (to < indexes.length && indexes[to] === first + to - from) to++;
    const offset = first - next;
    const length = to - from;
    message(writer, fields.spans, () => {
      number(writer, 1, zigzag(offset));
      number(writer, 2, length);
    });
    next = first + length;
    from = to;
  }
  if (counts.length > 0) doubles(writer, fields.counts, counts);
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function message(writer: WireWriter, field: number, write: () => void): void {
  writer.varint(field * 8 + LENGTH);
  writer.nested(write);
}

function text(writer: WireWriter, field: number, value: string): void {
  writer.varint(field * 8 + LENGTH);
  writer.string(value);
}

function number(writer: WireWriter, field: number, value: number): void {
  writer.varint(field * 8 + VARINT);
  writer.varint(value);
}

function double(writer: WireWriter, field: number, value: number): void {
  writer.varint(field * 8 + FIXED64);
  writer.double(value);
}

function doubles(writer: WireWriter, field: number, values: Float64Array): void {
  message(writer, field, () => {
    for (const value of values) writer.double(value);
  });
}
