import { zigzag } from '../scan/metrics.ts';
import {
  buckets,
  exponentialPoint,
  histogramPoint,
  NO_RECORDED_VALUE,
  numberPoint,
  summaryPoint,
  summaryQuantile,
} from '../wire/fields.ts';
import { int32At, uint32At, type WireReader } from '../wire/reader.ts';
import type { Attributes } from './attributes.ts';

/** The parts of any data point: positions in the body, -1 if absent. */
export class PointParts {
  timeAt = -1;
  startAt = -1;
  flags = 0;
  /** Start and end of each exemplar. */
  readonly exemplars: number[] = [];
  value = Number.NaN;
  hasValue = false;
  /** Of an integer beyond 2^53, which `value` may round; otherwise -1. */
  integerAt = -1;
  countAt = -1;
  sumAt = -1;
  minAt = -1;
  maxAt = -1;
  scale = 0;
  zeroCountAt = -1;
  zeroThreshold = 0;
  /** Pairs of position and byte length of 8-byte elements. */
  readonly bounds: number[] = [];
  readonly bucketCounts: number[] = [];
  positiveOffset = 0;
  /** The lower and the upper half of each. */
  readonly positiveCounts: number[] = [];
  negativeOffset = 0;
  readonly negativeCounts: number[] = [];
  readonly quantiles: number[] = [];
  readonly quantileValues: number[] = [];

  get noRecordedValue(): boolean {
    return (this.flags & NO_RECORDED_VALUE) !== 0;
  }

  clear(): void {
    this.timeAt =
      this.startAt =
      this.integerAt =
      this.countAt =
      this.sumAt =
      this.minAt =
      this.maxAt =
      this.zeroCountAt =
        -1;
    this.flags = this.scale = this.zeroThreshold = this.positiveOffset = this.negativeOffset = 0;
    this.value = Number.NaN;
    this.hasValue = false;
    this.exemplars.length = this.bounds.length = this.bucketCounts.length = 0;
    this.positiveCounts.length = this.negativeCounts.length = 0;
    this.quantiles.length = this.quantileValues.length = 0;
  }
}

/** A signed 64-bit integer as the nearest number: exact up to 2^53. */
export function sfixed64At(bytes: Buffer, at: number): number {
  return int32At(bytes, at + 4) * 4294967296 + uint32At(bytes, at);
}

/** Whether a time fits into the store, which keeps signed nanoseconds: up to the year 2262. */
export function isStorable(bytes: Buffer, at: number): boolean {
  return (bytes[at + 7] as number) < 128;
}

type ReadPoint = (reader: WireReader, end: number, parts: PointParts, attributes: Attributes) => void;

export const readNumberPoint: ReadPoint = (reader, end, parts, attributes) => {
  while (reader.position < end) {
    const tag = reader.tag();
    const at = reader.position;
    switch (tag) {
      case numberPoint.attributes:
        attributes.read(reader, reader.enter(end));
        continue;
      case numberPoint.time:
        parts.timeAt = at;
        break;
      case numberPoint.start:
        if (isStorable(reader.bytes, at)) parts.startAt = at;
        break;
      case numberPoint.asDouble:
        parts.value = reader.bytes.readDoubleLE(at);
        parts.hasValue = true;
        parts.integerAt = -1;
        break;
      case numberPoint.asInt:
        parts.value = sfixed64At(reader.bytes, at);
        parts.hasValue = true;
        parts.integerAt = Number.isSafeInteger(parts.value) ? -1 : at;
        break;
      case numberPoint.exemplars:
        pushRange(reader, end, parts.exemplars);
        continue;
      case numberPoint.flags:
        parts.flags = reader.varint();
        continue;
      default:
    }
    reader.skip(tag, end);
  }
};

export const readHistogramPoint: ReadPoint = (reader, end, parts, attributes) => {
  while (reader.position < end) {
    const tag = reader.tag();
    const at = reader.position;
    switch (tag) {
      case histogramPoint.attributes:
        attributes.read(reader, reader.enter(end));
        continue;
      case histogramPoint.time:
        parts.timeAt = at;
        break;
      case histogramPoint.start:
        if (isStorable(reader.bytes, at)) parts.startAt = at;
        break;
      case histogramPoint.count:
        parts.countAt = at;
        break;
      case histogramPoint.sum:
        parts.sumAt = at;
        break;
      case histogramPoint.min:
        parts.minAt = at;
        break;
      case histogramPoint.max:
        parts.maxAt = at;
        break;
      case histogramPoint.bucketCounts:
        pushElements(reader, end, parts.bucketCounts);
        continue;
      case histogramPoint.bucketCount:
        parts.bucketCounts.push(at, 8);
        break;
      case histogramPoint.bounds:
        pushElements(reader, end, parts.bounds);
        continue;
      case histogramPoint.bound:
        parts.bounds.push(at, 8);
        break;
      case histogramPoint.exemplars:
        pushRange(reader, end, parts.exemplars);
        continue;
      case histogramPoint.flags:
        parts.flags = reader.varint();
        continue;
      default:
    }
    reader.skip(tag, end);
  }
};

export const readExponentialPoint: ReadPoint = (reader, end, parts, attributes) => {
  while (reader.position < end) {
    const tag = reader.tag();
    const at = reader.position;
    switch (tag) {
      case exponentialPoint.attributes:
        attributes.read(reader, reader.enter(end));
        continue;
      case exponentialPoint.time:
        parts.timeAt = at;
        break;
      case exponentialPoint.start:
        if (isStorable(reader.bytes, at)) parts.startAt = at;
        break;
      case exponentialPoint.count:
        parts.countAt = at;
        break;
      case exponentialPoint.sum:
        parts.sumAt = at;
        break;
      case exponentialPoint.min:
        parts.minAt = at;
        break;
      case exponentialPoint.max:
        parts.maxAt = at;
        break;
      case exponentialPoint.scale:
        parts.scale = zigzag(reader.varint());
        continue;
      case exponentialPoint.zeroCount:
        parts.zeroCountAt = at;
        break;
      case exponentialPoint.zeroThreshold:
        parts.zeroThreshold = reader.bytes.readDoubleLE(at);
        break;
      case exponentialPoint.positive:
        parts.positiveOffset = readBuckets(reader, reader.enter(end), parts.positiveCounts);
        continue;
      case exponentialPoint.negative:
        parts.negativeOffset = readBuckets(reader, reader.enter(end), parts.negativeCounts);
        continue;
      case exponentialPoint.exemplars:
        pushRange(reader, end, parts.exemplars);
        continue;
      case exponentialPoint.flags:
        parts.flags = reader.varint();
        continue;
      default:
    }
    reader.skip(tag, end);
  }
};

export const readSummaryPoint: ReadPoint = (reader, end, parts, attributes) => {
  while (reader.position < end) {
    const tag = reader.tag();
    const at = reader.position;
    switch (tag) {
      case summaryPoint.attributes:
        attributes.read(reader, reader.enter(end));
        continue;
      case summaryPoint.time:
        parts.timeAt = at;
        break;
      case summaryPoint.start:
        if (isStorable(reader.bytes, at)) parts.startAt = at;
        break;
      case summaryPoint.count:
        parts.countAt = at;
        break;
      case summaryPoint.sum:
        parts.sumAt = at;
        break;
      case summaryPoint.quantiles:
        readQuantile(reader, reader.enter(end), parts);
        continue;
      case summaryPoint.flags:
        parts.flags = reader.varint();
        continue;
      default:
    }
    reader.skip(tag, end);
  }
};

function readQuantile(reader: WireReader, end: number, parts: PointParts): void {
  let quantile = 0;
  let value = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === summaryQuantile.quantile) quantile = reader.bytes.readDoubleLE(reader.position);
    else if (tag === summaryQuantile.value) value = reader.bytes.readDoubleLE(reader.position);
    reader.skip(tag, end);
  }
  parts.quantiles.push(quantile);
  parts.quantileValues.push(value);
}

/** Returns the offset; adds the counts. */
function readBuckets(reader: WireReader, end: number, counts: number[]): number {
  let offset = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === buckets.offset) offset = zigzag(reader.varint());
    else if (tag === buckets.count) pushCount(reader, counts);
    else if (tag === buckets.counts) {
      const stop = reader.enter(end);
      while (reader.position < stop) pushCount(reader, counts);
    } else reader.skip(tag, end);
  }
  return offset;
}

/** A count has up to 64 bits. */
function pushCount(reader: WireReader, counts: number[]): void {
  reader.int64();
  counts.push(reader.low, reader.high);
}

function pushRange(reader: WireReader, end: number, ranges: number[]): void {
  const stop = reader.enter(end);
  ranges.push(reader.position, stop);
  reader.position = stop;
}

function pushElements(reader: WireReader, end: number, ranges: number[]): void {
  const stop = reader.enter(end);
  ranges.push(reader.position, stop - reader.position);
  reader.position = stop;
}
