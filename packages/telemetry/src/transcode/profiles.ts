import type { WalEntry } from '../entry.ts';
import { type Frame, ProfileDictionary, referencedText } from '../profiles/dictionary.ts';
import { profile } from '../profiles/fields.ts';
import { ProfileParts, SampleParts } from '../profiles/sample.ts';
import { timeOf } from '../scan/profiles.ts';
import { anyValue } from '../wire/fields.ts';
import { millisAt, WireReader } from '../wire/reader.ts';
import { letterOfType, typeEntry } from './attributes.ts';
import type { TableRows } from './block.ts';
import type { ResourceContext } from './context.ts';
import { Hash64 } from './hash.ts';
import { DAY_MS, partitionOf, writeTenant, writeTime } from './row-parts.ts';
import { RowWriter } from './row-writer.ts';
import type { SeriesCache } from './series-cache.ts';
import { jsonText, numberText, readAnyValue } from './value-text.ts';

export interface ProfileTables {
  stacks: TableRows;
  samples: TableRows;
}

/** A stack of the current request. */
interface KnownStack {
  frames: Frame[];
  low: number;
  high: number;
}

const NANOS_PER_MILLI = 1_000_000n;

/** Writes profiles that have passed the scan: the stacks that are new today, and all observations. */
export class ProfileTranscoder {
  readonly #tables: ProfileTables;
  readonly #described: SeriesCache;
  readonly #parts = new ProfileParts();
  readonly #sample = new SampleParts();
  readonly #hash = new Hash64();
  #body: Buffer | undefined;
  #dictionary: ProfileDictionary | undefined;
  readonly #stacks = new Map<number, KnownStack>();
  /** Key and text of each attribute in RowBinary. */
  readonly #attributes = new Map<number, Buffer>();
  readonly #attributeRow = new RowWriter();

  /** @param described what this process has described; stacks and series share it. */
  constructor(tables: ProfileTables, described: SeriesCache) {
    this.#tables = tables;
    this.#described = described;
  }

  /** @returns the number of written observations. */
  write(reader: WireReader, end: number, entry: WalEntry, resource: ResourceContext): number {
    const dictionary = this.#dictionaryOf(reader.bytes);
    const parts = this.#parts;
    const start = reader.position;
    parts.read(reader, end);
    const unit = dictionary.text(parts.unit);
    const profileType = `${dictionary.text(parts.type)}${unit === '' ? '' : `:${unit}`}`;
    const profileTime = parts.timeAt < 0 ? 0 : timeOf(parts, reader.bytes);
    let written = 0;
    reader.position = start;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== profile.samples) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.#sample.read(reader, stop, parts.layout);
      written += this.#writeSample(reader.bytes, entry, resource, profileType, profileTime, dictionary);
      reader.position = stop;
    }
    return written;
  }

  /** The dictionary of a body is read with its first profile. */
  #dictionaryOf(body: Buffer): ProfileDictionary {
    if (this.#dictionary === undefined || this.#body !== body) {
      this.#dictionary = new ProfileDictionary(new WireReader(body));
      this.#body = body;
      this.#stacks.clear();
      this.#attributes.clear();
    }
    return this.#dictionary;
  }

  #writeSample(
    bytes: Buffer,
    entry: WalEntry,
    resource: ResourceContext,
    profileType: string,
    profileTime: number,
    dictionary: ProfileDictionary,
  ): number {
    const sample = this.#sample;
    const stack = this.#stackOf(sample.stack, dictionary);
    const { traceId, spanId } = dictionary.link(sample.link);
    const { row } = this.#tables.samples;
    const { observations } = sample;
    for (let i = 0; i < observations; i++) {
      const timeAt = sample.timesAt[i] ?? -1;
      const millis = timeAt < 0 ? profileTime : millisAt(bytes, timeAt);
      const partition = partitionOf(millis, entry.retentionDays);
      this.#describe(stack, millis, partition, entry, resource);
      this.#tables.samples.begin(partition);
      writeTenant(row, entry, resource);
      row.text(profileType);
      row.encoded(resource.service);
      row.reserve(56);
      if (timeAt >= 0) writeTime(row, bytes, timeAt);
      else this.#writeProfileTime(row, bytes, profileTime);
      row.uint64(stack.low, stack.high);
      // A time without a value is one observation.
      row.uint64(sample.valueLow[i] ?? 1, sample.valueHigh[i] ?? 0);
      if (traceId < 0) row.zeros(16);
      else row.copy(bytes, traceId, 16);
      if (spanId < 0) row.zeros(8);
      else row.copy(bytes, spanId, 8);
      row.uint64(resource.hashLow, resource.hashHigh);
      row.encoded(resource.map);
      this.#writeAttributes(row, bytes, dictionary, resource);
    }
    return observations;
  }

  /** The profile's own time to the nanosecond, unless it was moved to its end. */
  #writeProfileTime(row: RowWriter, bytes: Buffer, millis: number): void {
    const { timeAt } = this.#parts;
    if (timeAt >= 0 && millisAt(bytes, timeAt) === millis) {
      writeTime(row, bytes, timeAt);
      return;
    }
    const nanos = BigInt(millis) * NANOS_PER_MILLI;
    row.uint64(Number(nanos & 0xffffffffn), Number(nanos >> 32n));
  }

  #stackOf(index: number, dictionary: ProfileDictionary): KnownStack {
    const known = this.#stacks.get(index);
    if (known !== undefined) return known;
    const frames = dictionary.frames(index);
    const hash = this.#hash;
    hash.reset(4);
    for (const { name, file, line } of frames) {
      hash.string(name);
      hash.string(file);
      hash.word(line);
    }
    hash.finish();
    const stack = { frames, low: hash.low, high: hash.high };
    this.#stacks.set(index, stack);
    return stack;
  }

  /** Writes the description of a stack, once a day for each place. */
  #describe(
    { frames, low, high }: KnownStack,
    millis: number,
    partition: number,
    entry: WalEntry,
    resource: ResourceContext,
  ): void {
    const hash = this.#hash;
    hash.reset(5);
    hash.word(low);
    hash.word(high);
    hash.word(entry.workspace);
    hash.word(entry.project);
    hash.bytes(resource.environment, 0, resource.environment.length);
    hash.finish();
    if (!this.#described.add(hash.low, hash.high, partition)) return;
    const { row } = this.#tables.stacks;
    this.#tables.stacks.begin(partition);
    writeTenant(row, entry, resource);
    row.reserve(20);
    row.uint16(Math.floor(millis / DAY_MS));
    row.uint64(low, high);
    row.varint(frames.length);
    for (const { name } of frames) row.text(name);
    row.reserve(5);
    row.varint(frames.length);
    for (const { file } of frames) row.text(file);
    row.reserve(5 + frames.length * 4);
    row.varint(frames.length);
    for (const { line } of frames) row.uint32(line);
  }

  /** Attributes of the sample, then of its profile; for the same key, the sample's wins. */
  #writeAttributes(row: RowWriter, bytes: Buffer, dictionary: ProfileDictionary, resource: ResourceContext): void {
    const byKey = new Map<string, number>();
    for (const index of this.#parts.attributes) byKey.set(dictionary.attributeKey(index), index);
    for (const index of this.#sample.attributes) byKey.set(dictionary.attributeKey(index), index);
    row.reserve(5);
    row.varint(byKey.size);
    let types = '';
    for (const [key, index] of byKey) {
      types += typeOf(key, index, bytes, dictionary);
      let encoded = this.#attributes.get(index);
      if (encoded === undefined) {
        encoded = this.#encodeAttribute(key, index, bytes, dictionary);
        this.#attributes.set(index, encoded);
      }
      row.encoded(encoded);
    }
    row.encoded(resource.types);
    row.text(types);
  }

  #encodeAttribute(key: string, index: number, bytes: Buffer, dictionary: ProfileDictionary): Buffer {
    const row = this.#attributeRow;
    row.length = 0;
    row.text(key);
    row.text(textOf(new WireReader(bytes), index, dictionary));
    return Buffer.from(row.bytes.subarray(0, row.length));
  }
}

/** Empty if it was sent as text: see `Attributes.types`. */
function typeOf(key: string, index: number, bytes: Buffer, dictionary: ProfileDictionary): string {
  const reader = new WireReader(bytes);
  const { start, end } = dictionary.attributeValue(index);
  const value = readAnyValue(reader, start, end);
  const letter = letterOfType(value.tag, value.tag === anyValue.double ? bytes.readDoubleLE(value.start) : 0);
  return letter === '' ? '' : typeEntry(key, letter);
}

/** The value of an attribute as text. */
function textOf(reader: WireReader, index: number, dictionary: ProfileDictionary): string {
  const { start, end } = dictionary.attributeValue(index);
  const referenced = referencedText(reader, start, end, dictionary);
  if (referenced !== undefined) return referenced;
  const value = readAnyValue(reader, start, end);
  switch (value.tag) {
    case 0:
      return '';
    case anyValue.string:
      return reader.bytes.toString('utf8', value.start, value.end);
    case anyValue.bytes:
      return reader.bytes.toString('base64', value.start, value.end);
    case anyValue.double:
      return numberText(reader.bytes.readDoubleLE(value.start));
    default:
      return jsonText(reader, value.tag, value.start, value.end);
  }
}
