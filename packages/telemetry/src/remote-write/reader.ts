import { isSame, type KeyRange, wordsOf } from '../transcode/key-table.ts';
import { varintBytes } from '../wire/writer.ts';
import { type LabelWalk, NOT_PLAIN } from './labels.ts';

/** Remote write 1.0 and 2.0. */
export type Version = 1 | 2;

const MAX_SYMBOLS = 1_000_000;
const SERIES_1 = 0x0a;
const SYMBOL_2 = 0x22;
const SERIES_2 = 0x2a;
const REFERENCES_2 = 0x0a;
const METADATA_2 = 0x2a;
const CREATED_2 = 0x30;
const SAMPLE = 0x12;
const VALUE = 0x09;
const TIME = 0x10;
const START = 0x18;
/** Field 3 of a key: what is known of a series besides its labels, as `prometheus.MetricMetadata`. */
const METADATA_OF_KEY = 0x1a;
/** 2^28, and how many bits a time may have: until 2109. */
const TIME_LOW = 268_435_456;
const TIME_BITS = 42;
/** Later than any time that is taken, and far below what nanoseconds can hold. */
const LATEST_MS = 8e12;
/** A label of a key: four tags and lengths of at most three bytes. */
const LABEL_OVERHEAD = 12;

/**
 * Reads the samples of a request in the form in which clients write them, series by series, without building anything. A
 * request that has anything else (histograms, exemplars, metadata of families, fields in another order, anything
 * malformed) is not plain: `isPlain` is false then, and what has been read so far means nothing.
 */
export class SampleReader {
  isPlain = true;
  /** Labels of the series as in version 1, and its metadata where there is any. */
  key: Buffer;
  keyStart = 0;
  keyEnd = 0;
  /** Bytes that the series takes in the request. */
  seriesBytes = 0;
  /** What the description and the unit of the series take in OTLP: their bytes and lengths. */
  metadataBytes = NO_METADATA_BYTES;
  /** Whether the series has the key that was expected. */
  isExpected = false;
  /** Of the sample: where its value is, -1 for a zero that was not written. */
  valueAt = -1;
  /** The lowest 28 bits of its time, and the others: whole numbers that do not have to be kept on the heap. */
  timeLow = 0;
  timeHigh = 0;
  /** Unix milliseconds; 0 where none is given. */
  start = 0;

  readonly bytes: Buffer;
  keyWords: DataView;
  readonly #words: DataView;
  readonly #version: Version;
  readonly #walk: LabelWalk;
  readonly #symbols: Int32Array;
  #symbolCount = 0;
  #position = 0;
  #seriesEnd = 0;
  #created = 0;

  /** @param walk what the labels of each series are walked with; not of one that was expected. */
  constructor(bytes: Buffer, version: Version, walk: LabelWalk) {
    this.bytes = bytes;
    this.key = bytes;
    this.keyWords = this.#words = wordsOf(bytes);
    this.#version = version;
    this.#walk = walk;
    this.#symbols = version === 1 ? NO_SYMBOLS : this.#readSymbols();
    if (version === 2) {
      this.key = Buffer.allocUnsafe(FIRST_KEY_BYTES);
      this.keyWords = wordsOf(this.key);
    }
  }

  /**
   * Goes on to the next series; false at the end of the request, or where it is not plain.
   * @param expected a key that this series is likely to have: then its labels are compared and not walked.
   */
  nextSeries(expected?: KeyRange): boolean {
    if (!this.isPlain || this.#position >= this.bytes.length) return false;
    const { bytes } = this;
    const at = this.#position;
    if (bytes[at] !== (this.#version === 1 ? SERIES_1 : SERIES_2)) return this.#stop();
    this.#position = at + 1;
    const length = this.#varint(bytes.length);
    const end = this.#position + length;
    if (length < 0 || end > bytes.length) return this.#stop();
    this.#seriesEnd = end;
    this.seriesBytes = end - at;
    this.#created = 0;
    this.isExpected = false;
    return this.#version === 1 ? this.#labels1(expected) : this.#labels2(expected);
  }

  /** Goes on to the next sample of the series; false behind the last one. */
  nextSample(): boolean {
    const { bytes } = this;
    const from = this.#position;
    if (from >= this.#seriesEnd) return false;
    // A sample takes less than 128 bytes, so its length is one.
    const end = from + 2 + (bytes[from + 1] as number);
    if (bytes[from] !== SAMPLE || end > this.#seriesEnd || (bytes[from + 1] as number) > 127) {
      return this.#version === 1 ? this.#stop() : this.#skipRest();
    }
    this.valueAt = -1;
    this.timeLow = this.timeHigh = 0;
    this.start = this.#created;
    let at = from + 2;
    if (bytes[at] === VALUE && at < end) {
      this.valueAt = at + 1;
      at += 9;
    }
    if (bytes[at] === TIME && at < end) {
      at = this.#readTime(at + 1, end);
      if (at > end) return this.#stop();
    }
    if (bytes[at] === START && at < end) {
      this.#position = at + 1;
      const start = this.#varint(end);
      if (start < 0 || start > LATEST_MS) return this.#stop();
      if (start > 0) this.start = start;
      at = this.#position;
    }
    if (at !== end) return this.#stop();
    this.#position = end;
    return true;
  }

  /** Unix milliseconds of the sample; 0 where none is given. */
  get time(): number {
    return this.timeHigh * TIME_LOW + this.timeLow;
  }

  /** Returns where the time ends; beyond `end` for one that is cut off, or that no request has. */
  #readTime(from: number, end: number): number {
    const { bytes } = this;
    let at = from;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < TIME_BITS; shift += 7) {
      const byte = at < end ? (bytes[at++] as number) : 128;
      if (shift < 28) low |= (byte & 127) << shift;
      else high |= (byte & 127) << (shift - 28);
      if (byte >= 128) continue;
      this.timeLow = low;
      this.timeHigh = high;
      return at;
    }
    return end + 1;
  }

  #stop(): false {
    this.isPlain = false;
    return false;
  }

  /** A varint of at most seven bytes, -1 for a longer one or one that is cut off. */
  #varint(end: number): number {
    const { bytes } = this;
    let at = this.#position;
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 7 && at < end; i++) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * factor;
      if (byte < 128) {
        this.#position = at;
        return value;
      }
      factor *= 128;
    }
    return -1;
  }

  #labels1(expected: KeyRange | undefined): boolean {
    const { bytes } = this;
    const at = this.#position;
    this.keyStart = at;
    if (expected !== undefined) {
      const length = expected.end - expected.start;
      const stop = at + length;
      // What follows the labels is a sample, and no further label.
      if (
        stop < this.#seriesEnd &&
        bytes[stop] === SAMPLE &&
        isSame(this.#words, at, expected.words, expected.start, length)
      ) {
        this.keyEnd = this.#position = stop;
        this.isExpected = true;
        return true;
      }
    }
    const stop = this.#walk.walk(bytes, at, this.#seriesEnd);
    if (stop === NOT_PLAIN) return this.#stop();
    this.keyEnd = this.#position = stop;
    return true;
  }

  /** Writes out what the references of the series say, as its key. */
  #labels2(expected: KeyRange | undefined): boolean {
    const { bytes } = this;
    const end = this.#seriesEnd;
    this.keyStart = this.keyEnd = 0;
    this.metadataBytes = NO_METADATA_BYTES;
    if (bytes[this.#position] === REFERENCES_2) {
      this.#position++;
      const length = this.#varint(end);
      const stop = this.#position + length;
      if (length < 0 || stop > end) return this.#stop();
      while (this.#position < stop) {
        const name = this.#varint(stop);
        const value = this.#varint(stop);
        if (name < 0 || value < 0 || name >= this.#symbolCount || value >= this.#symbolCount) return this.#stop();
        this.#keyLabel(name, value);
      }
    }
    const samplesAt = this.#position;
    while (this.#position < end && bytes[this.#position] === SAMPLE) {
      this.#position += 2 + (bytes[this.#position + 1] as number);
    }
    if (this.#position < end && bytes[this.#position] === METADATA_2 && !this.#keyMetadata(end)) return this.#stop();
    if (this.#position < end && bytes[this.#position] === CREATED_2) {
      this.#position++;
      this.#created = this.#varint(end);
      if (this.#created < 0 || this.#created > LATEST_MS) return this.#stop();
    }
    if (this.#position !== end) return this.#stop();
    this.#position = samplesAt;
    if (expected !== undefined && expected.end - expected.start === this.keyEnd) {
      this.isExpected = isSame(this.keyWords, 0, expected.words, expected.start, this.keyEnd);
    }
    if (!this.isExpected && !this.#isWalked()) return this.#stop();
    return true;
  }

  #isWalked(): boolean {
    const end = this.#walk.walk(this.key, 0, this.keyEnd);
    return end !== NOT_PLAIN && (end === this.keyEnd || this.key[end] === METADATA_OF_KEY);
  }

  /** Behind the samples of version 2 stand the fields that `#labels2` has read. */
  #skipRest(): false {
    const tag = this.bytes[this.#position];
    if (tag !== METADATA_2 && tag !== CREATED_2) return this.#stop();
    this.#position = this.#seriesEnd;
    return false;
  }

  #keyLabel(name: number, value: number): void {
    const nameLength = this.#symbolLength(name);
    const valueLength = this.#symbolLength(value);
    const length = 2 + varintBytes(nameLength) + nameLength + varintBytes(valueLength) + valueLength;
    this.#reserve(length + LABEL_OVERHEAD);
    this.key[this.keyEnd++] = SERIES_1;
    this.#keyLength(length);
    this.#keySymbol(0x0a, name);
    this.#keySymbol(0x12, value);
  }

  /** `Metadata` of version 2 as `MetricMetadata` of version 1; false where it is not plain. */
  #keyMetadata(end: number): boolean {
    const { bytes } = this;
    this.#position++;
    const length = this.#varint(end);
    const stop = this.#position + length;
    if (length < 0 || stop > end) return false;
    let [type, help, unit] = [0, 0, 0];
    while (this.#position < stop) {
      const tag = bytes[this.#position++];
      const value = this.#varint(stop);
      if (value < 0) return false;
      if (tag === 0x08) type = value;
      else if (tag === 0x18) help = value;
      else if (tag === 0x20) unit = value;
      else return false;
    }
    if (type > 127 || help >= this.#symbolCount || unit >= this.#symbolCount) return false;
    const helpLength = this.#symbolLength(help);
    const unitLength = this.#symbolLength(unit);
    this.metadataBytes = varintBytes(helpLength) + helpLength + varintBytes(unitLength) + unitLength;
    const size = 4 + this.metadataBytes;
    this.#reserve(size + LABEL_OVERHEAD);
    this.key[this.keyEnd++] = METADATA_OF_KEY;
    this.#keyLength(size);
    this.key[this.keyEnd++] = 0x08;
    this.key[this.keyEnd++] = type;
    this.#keySymbol(0x22, help);
    this.#keySymbol(0x2a, unit);
    return true;
  }

  #keySymbol(tag: number, symbol: number): void {
    const { key, bytes } = this;
    const length = this.#symbolLength(symbol);
    key[this.keyEnd++] = tag;
    this.#keyLength(length);
    const from = this.#symbols[symbol * 2] as number;
    let at = this.keyEnd;
    for (let i = 0; i < length; i++) key[at++] = bytes[from + i] as number;
    this.keyEnd = at;
  }

  #keyLength(length: number): void {
    let rest = length;
    for (; rest > 127; rest >>>= 7) this.key[this.keyEnd++] = (rest & 127) | 128;
    this.key[this.keyEnd++] = rest;
  }

  #symbolLength(symbol: number): number {
    return (this.#symbols[symbol * 2 + 1] as number) - (this.#symbols[symbol * 2] as number);
  }

  #reserve(count: number): void {
    if (this.keyEnd + count <= this.key.length) return;
    const larger = Buffer.allocUnsafe((this.keyEnd + count) * 2);
    this.key.copy(larger, 0, 0, this.keyEnd);
    this.key = larger;
    this.keyWords = wordsOf(larger);
  }

  /** The symbols stand before the series that point to them. Pairs of start and end. */
  #readSymbols(): Int32Array {
    const { bytes } = this;
    const found: number[] = [];
    while (this.#position < bytes.length && bytes[this.#position] === SYMBOL_2) {
      this.#position++;
      const length = this.#varint(bytes.length);
      const end = this.#position + length;
      if (length < 0 || end > bytes.length || found.length === MAX_SYMBOLS * 2) {
        this.isPlain = false;
        break;
      }
      found.push(this.#position, end);
      this.#position = end;
    }
    this.#symbolCount = found.length / 2;
    return Int32Array.from(found);
  }
}

/** Two empty texts. */
const NO_METADATA_BYTES = 2;
const NO_SYMBOLS = new Int32Array(0);
const FIRST_KEY_BYTES = 1024;
