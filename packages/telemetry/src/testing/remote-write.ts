import { compress } from 'snappyjs';
import { WireWriter } from '../wire/writer.ts';

/** A series for tests. Times are Unix milliseconds. */
export interface TestSeries {
  labels: Record<string, string>;
  samples?: { value: number; time: number; start?: number; stale?: boolean }[];
  exemplars?: { labels: Record<string, string>; value: number; time: number }[];
  histograms?: TestHistogram[];
  metadata?: { type: number; help?: string; unit?: string };
}

export interface TestHistogram {
  count: number;
  sum: number;
  schema: number;
  zeroCount?: number;
  zeroThreshold?: number;
  positiveSpans?: [offset: number, length: number][];
  positiveDeltas?: number[];
  negativeSpans?: [offset: number, length: number][];
  negativeDeltas?: number[];
  bounds?: number[];
  time: number;
  /** Float counts of all buckets in order; then `count` and `zeroCount` are floats too, and the deltas are not sent. */
  floats?: { positive: number[]; negative: number[] };
  /** 0 unknown, 1 reset, 2 no reset, 3 gauge. */
  resetHint?: number;
}

const STALE = 0x7ff0000000000002n;

/** `prometheus.WriteRequest` in Snappy. */
export function writeRequest1(
  all: TestSeries[],
  families: { name: string; type: number; help: string; unit: string }[] = [],
): Buffer {
  const writer = new WireWriter();
  for (const series of all) {
    message(writer, 1, () => {
      writeLabels(writer, series.labels);
      writeSamples(writer, 2, series);
      for (const { labels, value, time } of series.exemplars ?? []) {
        message(writer, 3, () => {
          writeLabels(writer, labels);
          double(writer, 2, value);
          number(writer, 3, time);
        });
      }
      for (const histogram of series.histograms ?? []) message(writer, 4, () => writeHistogram(writer, histogram));
    });
  }
  for (const { name, type, help, unit } of families) {
    message(writer, 3, () => {
      number(writer, 1, type);
      string(writer, 2, name);
      string(writer, 4, help);
      string(writer, 5, unit);
    });
  }
  return packed(writer.result());
}

/** `io.prometheus.write.v2.Request` in Snappy. */
export function writeRequest2(all: TestSeries[]): Buffer {
  const symbols = new Map<string, number>([['', 0]]);
  const symbol = (text: string) => {
    const index = symbols.get(text) ?? symbols.size;
    symbols.set(text, index);
    return index;
  };
  const references = (writer: WireWriter, labels: Record<string, string>) =>
    message(writer, 1, () => {
      for (const text of Object.entries(labels).flat()) writer.varint(symbol(text));
    });
  const writer = new WireWriter();
  for (const series of all) {
    message(writer, 5, () => {
      references(writer, series.labels);
      writeSamples(writer, 2, series);
      for (const histogram of series.histograms ?? []) message(writer, 3, () => writeHistogram(writer, histogram));
      for (const { labels, value, time } of series.exemplars ?? []) {
        message(writer, 4, () => {
          references(writer, labels);
          double(writer, 2, value);
          number(writer, 3, time);
        });
      }
      const { metadata } = series;
      if (metadata === undefined) return;
      message(writer, 5, () => {
        number(writer, 1, metadata.type);
        number(writer, 3, symbol(metadata.help ?? ''));
        number(writer, 4, symbol(metadata.unit ?? ''));
      });
    });
  }
  const request = new WireWriter();
  for (const text of symbols.keys()) string(request, 4, text);
  request.copy(writer.result());
  return packed(request.result());
}

function packed(body: Buffer): Buffer {
  return Buffer.from(compress(Uint8Array.from(body)));
}

function message(writer: WireWriter, field: number, write: () => void): void {
  writer.varint(field * 8 + 2);
  writer.nested(write);
}

function string(writer: WireWriter, field: number, value: string): void {
  writer.varint(field * 8 + 2);
  writer.string(value);
}

function double(writer: WireWriter, field: number, value: number): void {
  writer.varint(field * 8 + 1);
  writer.double(value);
}

function number(writer: WireWriter, field: number, value: number): void {
  writer.varint(field * 8);
  writer.varint(value);
}

const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2);

function writeLabels(writer: WireWriter, labels: Record<string, string>): void {
  for (const [name, value] of Object.entries(labels)) {
    message(writer, 1, () => {
      string(writer, 1, name);
      string(writer, 2, value);
    });
  }
}

function writeSamples(writer: WireWriter, field: number, { samples = [] }: TestSeries): void {
  for (const { value, time, start, stale } of samples) {
    message(writer, field, () => {
      if (stale) {
        writer.varint(9);
        writer.fixed64(STALE);
      } else double(writer, 1, value);
      number(writer, 2, time);
      if (start !== undefined) number(writer, 3, start);
    });
  }
}

function writeHistogram(writer: WireWriter, histogram: TestHistogram): void {
  const spans = (field: number, list: [number, number][] = []) => {
    for (const [offset, length] of list) {
      message(writer, field, () => {
        number(writer, 1, zigzag(offset));
        number(writer, 2, length);
      });
    }
  };
  const deltas = (field: number, list: number[] = []) =>
    message(writer, field, () => {
      for (const delta of list) writer.varint(zigzag(delta));
    });
  const doubles = (field: number, list: number[] = []) =>
    message(writer, field, () => {
      for (const one of list) writer.double(one);
    });
  const { floats } = histogram;
  if (floats === undefined) number(writer, 1, histogram.count);
  else double(writer, 2, histogram.count);
  double(writer, 3, histogram.sum);
  number(writer, 4, zigzag(histogram.schema));
  double(writer, 5, histogram.zeroThreshold ?? 0);
  if (floats === undefined) number(writer, 6, histogram.zeroCount ?? 0);
  else double(writer, 7, histogram.zeroCount ?? 0);
  spans(8, histogram.negativeSpans);
  if (floats === undefined) deltas(9, histogram.negativeDeltas);
  else doubles(10, floats.negative);
  spans(11, histogram.positiveSpans);
  if (floats === undefined) deltas(12, histogram.positiveDeltas);
  else doubles(13, floats.positive);
  if (histogram.resetHint !== undefined) number(writer, 14, histogram.resetHint);
  number(writer, 15, histogram.time);
  doubles(16, histogram.bounds);
}
