import { WireError, type WireReader } from '../wire/reader.ts';
import { eachField } from '../wire/walk.ts';
import { doubleAt, type HistogramRange, isStale, readMillis } from './prometheus-series.ts';

/** The counts of one side, from its lowest index. */
export interface Buckets {
  /** Index of the first bucket, in Prometheus's numbering: bucket `i` ends at `base ** i`. */
  first: number;
  counts: number[];
}

/** A native histogram, `prometheus.Histogram`, the same in both versions of remote write. */
export interface NativeHistogram {
  count: number;
  sum: number;
  stale: boolean;
  schema: number;
  zeroThreshold: number;
  zeroCount: number;
  positive: Buckets;
  negative: Buckets;
  /** Upper bounds, with {@link CUSTOM_BUCKETS}. */
  bounds: number[];
  /** A gauge histogram, which may decrease. */
  isGauge: boolean;
  time: number;
  start: number;
}

/** The schema with custom bucket bounds. */
export const CUSTOM_BUCKETS = -53;
/** One more than a point may have: a longer list is not built, and the point is rejected. */
const TOO_MANY = 20_001;
const GAUGE_HINT = 3;
/** The largest double below 2^64. */
const LARGEST_COUNT = 2 ** 64 - 2 ** 11;

interface Side {
  spans: { offset: number; length: number }[];
  deltas: number[];
  counts: number[];
}

/** One case for each field of the message. @throws {WireError} */
export function readHistogram(reader: WireReader, { start, end }: HistogramRange): NativeHistogram {
  const { bytes } = reader;
  const histogram = {
    count: 0,
    sum: 0,
    stale: false,
    schema: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    bounds: [] as number[],
    isGauge: false,
    time: 0,
    start: 0,
  };
  const negative: Side = { spans: [], deltas: [], counts: [] };
  const positive: Side = { spans: [], deltas: [], counts: [] };
  const double = () => {
    const value = doubleAt(bytes, reader.position);
    reader.position += 8;
    return value;
  };
  const packed = (visit: () => void) => {
    const stop = reader.enter(end);
    while (reader.position < stop) visit();
    reader.finish(stop);
  };
  reader.position = start;
  eachField(reader, end, (tag) => {
    switch (tag) {
      case 8:
        histogram.count = reader.varint();
        return true;
      case 17:
        histogram.count = double();
        return true;
      case 25:
        histogram.stale = reader.position + 8 <= bytes.length && isStale(bytes, reader.position);
        histogram.sum = double();
        return true;
      case 32:
        histogram.schema = signed(reader);
        return true;
      case 41:
        histogram.zeroThreshold = double();
        return true;
      case 48:
        histogram.zeroCount = reader.varint();
        return true;
      case 57:
        histogram.zeroCount = double();
        return true;
      case 66:
        negative.spans.push(readSpan(reader, reader.enter(end)));
        return true;
      case 74:
        packed(() => negative.deltas.push(signed(reader)));
        return true;
      case 82:
        packed(() => negative.counts.push(double()));
        return true;
      case 90:
        positive.spans.push(readSpan(reader, reader.enter(end)));
        return true;
      case 98:
        packed(() => positive.deltas.push(signed(reader)));
        return true;
      case 106:
        packed(() => positive.counts.push(double()));
        return true;
      case 112:
        histogram.isGauge = reader.varint() === GAUGE_HINT;
        return true;
      case 120:
        histogram.time = readMillis(reader);
        return true;
      case 130:
        packed(() => histogram.bounds.push(double()));
        return true;
      case 136:
        histogram.start = readMillis(reader);
        return true;
      default:
        return false;
    }
  });
  return { ...histogram, negative: bucketsOf(negative), positive: bucketsOf(positive) };
}

/** `sint32` and `sint64`. */
function signed(reader: WireReader): number {
  const encoded = reader.varint();
  return encoded % 2 === 0 ? encoded / 2 : -(encoded + 1) / 2;
}

function readSpan(reader: WireReader, end: number): { offset: number; length: number } {
  const span = { offset: 0, length: 0 };
  eachField(reader, end, (tag) => {
    if (tag === 8) span.offset = signed(reader);
    else if (tag === 16) span.length = reader.varint();
    else return false;
    return true;
  });
  return span;
}

/**
 * Expands spans into one list of counts, with zeros in the gaps. Integer histograms contain differences between counts,
 * float histograms the counts themselves.
 */
function bucketsOf({ spans, deltas, counts: absolute }: Side): Buckets {
  const counts: number[] = [];
  let given = 0;
  let last = 0;
  for (const [index, { offset, length }] of spans.entries()) {
    if (index > 0 && offset < 0) throw new WireError('the spans of a histogram overlap');
    for (let i = 0; index > 0 && i < offset && counts.length < TOO_MANY; i++) counts.push(0);
    for (let i = 0; i < length && counts.length < TOO_MANY; i++, given++) {
      const value = absolute.length > 0 ? absolute[given] : deltas[given];
      if (value === undefined) throw new WireError('the spans of a histogram are longer than its buckets');
      last = absolute.length > 0 ? value : last + value;
      counts.push(wholeCount(last));
    }
  }
  return { first: spans[0]?.offset ?? 0, counts };
}

/** OTLP's counts are unsigned integers of 64 bits, while those of float histograms may be any numbers. */
export function wholeCount(count: number): number {
  return count > 0 ? Math.min(Math.round(count), LARGEST_COUNT) : 0;
}
