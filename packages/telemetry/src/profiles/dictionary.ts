import { TooLarge } from '../scan/outcome.ts';
import { scanAnyValue } from '../scan/values.ts';
import { anyValue } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';
import { isZero } from '../wire/reader.ts';
import { eachField, eachNumber, indexOf, NOWHERE } from '../wire/walk.ts';
import * as fields from './fields.ts';
import { NumberList } from './number-list.ts';

/** A function in a stack, as stored. */
export interface Frame {
  name: string;
  file: string;
  /** 0: not known. */
  line: number;
}

/** Entries of all tables together, and frames of all stacks together: a limit of the memory for a body of 32 MiB. */
const MAX_ENTRIES = 4_000_000;

/**
 * The tables to which the profiles of a request refer, as positions in the body. Unreferenced entries are never
 * decoded. Index 0 of each table means none.
 */
export class ProfileDictionary {
  readonly #bytes: Buffer;
  readonly #stringStart = new NumberList();
  readonly #stringEnd = new NumberList();
  readonly #mappingFile = new NumberList();
  readonly #functionName = new NumberList();
  readonly #functionFile = new NumberList();
  readonly #locationMapping = new NumberList();
  /** Two halves each. */
  readonly #locationAddress = new NumberList();
  /** Start of the lines of a location; they end at the start of the next one's. */
  readonly #locationLines = new NumberList();
  readonly #lineFunction = new NumberList();
  readonly #lineNumber = new NumberList();
  readonly #stackStart = new NumberList();
  readonly #stackLocation = new NumberList();
  readonly #linkTrace = new NumberList();
  readonly #linkSpan = new NumberList();
  readonly #attributeKey = new NumberList();
  readonly #attributeStart = new NumberList();
  readonly #attributeEnd = new NumberList();
  readonly #texts = new Map<number, string>();
  #entries = 0;

  /**
   * Reads the dictionary of a whole request, without its profiles.
   * @throws {WireError | TooLarge}
   */
  constructor(reader: WireReader) {
    this.#bytes = reader.bytes;
    const end = reader.bytes.length;
    reader.position = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === fields.exportRequest.dictionary) this.#read(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
    reader.finish(end);
    reader.position = 0;
  }

  hasStack(index: number): boolean {
    return index === 0 || index < this.#stackStart.length;
  }
  hasString(index: number): boolean {
    return index === 0 || index < this.#stringStart.length;
  }
  hasLink(index: number): boolean {
    return index === 0 || index < this.#linkTrace.length;
  }
  hasAttribute(index: number): boolean {
    return index < this.#attributeKey.length;
  }

  text(index: number): string {
    const known = this.#texts.get(index);
    if (known !== undefined) return known;
    if (index >= this.#stringStart.length) return '';
    const text = this.#bytes.toString('utf8', this.#stringStart.at(index), this.#stringEnd.at(index));
    this.#texts.set(index, text);
    return text;
  }

  /** The frames of a stack, the root first. An unknown location is named by its address. */
  frames(index: number): Frame[] {
    const frames: Frame[] = [];
    this.#eachLocation(index, (location) => {
      const end = this.#linesEnd(location);
      const start = this.#locationLines.at(location);
      if (start === end) frames.push(this.#frameOfAddress(location));
      // The first line is the innermost function inlined into the last one.
      for (let at = start; at < end; at++) {
        const func = this.#lineFunction.at(at);
        frames.push({
          name: this.text(this.#functionName.at(func)) || '(unknown)',
          file: this.text(this.#functionFile.at(func)),
          line: this.#lineNumber.at(at),
        });
      }
    });
    return frames.reverse();
  }

  /** Bytes of the names of a stack when written out. */
  frameBytes(index: number): number {
    let bytes = 0;
    this.#eachLocation(index, (location) => {
      const end = this.#linesEnd(location);
      bytes += 24 + this.#stringBytes(this.#mappingFile.at(this.#locationMapping.at(location)));
      for (let at = this.#locationLines.at(location); at < end; at++) {
        const func = this.#lineFunction.at(at);
        bytes += 12 + this.#stringBytes(this.#functionName.at(func)) + this.#stringBytes(this.#functionFile.at(func));
      }
    });
    return bytes;
  }

  attributeBytes(index: number): number {
    const value = this.#attributeEnd.at(index) - this.#attributeStart.at(index);
    return 8 + this.#stringBytes(this.#attributeKey.at(index)) + value;
  }

  attributeKey(index: number): string {
    return this.text(this.#attributeKey.at(index));
  }

  /** Range of the `AnyValue` of an attribute. */
  attributeValue(index: number): { start: number; end: number } {
    return { start: this.#attributeStart.at(index), end: this.#attributeEnd.at(index) };
  }

  /** Positions of the ids of a link; -1: none. */
  link(index: number): { traceId: number; spanId: number } {
    if (index === 0 || index >= this.#linkTrace.length) return { traceId: -1, spanId: -1 };
    return { traceId: this.#linkTrace.at(index), spanId: this.#linkSpan.at(index) };
  }

  #eachLocation(stack: number, visit: (location: number) => void): void {
    if (stack >= this.#stackStart.length) return;
    const end = stack + 1 < this.#stackStart.length ? this.#stackStart.at(stack + 1) : this.#stackLocation.length;
    for (let at = this.#stackStart.at(stack); at < end; at++) {
      const location = this.#stackLocation.at(at);
      if (location < this.#locationLines.length) visit(location);
    }
  }

  #linesEnd(location: number): number {
    return location + 1 < this.#locationLines.length ? this.#locationLines.at(location + 1) : this.#lineFunction.length;
  }

  #frameOfAddress(location: number): Frame {
    const low = this.#locationAddress.at(location * 2) >>> 0;
    const high = this.#locationAddress.at(location * 2 + 1) >>> 0;
    const address = (BigInt(high) << 32n) | BigInt(low);
    const file = this.text(this.#mappingFile.at(this.#locationMapping.at(location)));
    return { name: address === 0n ? '(unknown)' : `0x${address.toString(16)}`, file, line: 0 };
  }

  #stringBytes(index: number): number {
    return this.#stringEnd.at(index) - this.#stringStart.at(index);
  }

  #count(): void {
    if (++this.#entries > MAX_ENTRIES) throw new TooLarge(`the dictionary has more than ${MAX_ENTRIES} entries`);
  }

  #read(reader: WireReader, end: number): void {
    while (reader.position < end) {
      const tag = reader.tag();
      if ((tag & 7) !== 2 || tag > fields.dictionary.stacks) {
        reader.skip(tag, end);
        continue;
      }
      this.#count();
      const stop = reader.enter(end);
      if (tag === fields.dictionary.strings) {
        this.#stringStart.push(reader.position);
        this.#stringEnd.push(stop);
        reader.position = stop;
      } else this.#readEntry(reader, tag, stop);
      reader.finish(stop);
    }
    reader.finish(end);
  }

  #readEntry(reader: WireReader, tag: number, end: number): void {
    switch (tag) {
      case fields.dictionary.mappings:
        this.#mappingFile.push(0);
        eachField(reader, end, (inner) => {
          if (inner !== fields.mapping.filename) return false;
          this.#mappingFile.replaceLast(indexOf(reader));
          return true;
        });
        break;
      case fields.dictionary.functions:
        this.#readFunction(reader, end);
        break;
      case fields.dictionary.locations:
        this.#readLocation(reader, end);
        break;
      case fields.dictionary.stacks:
        this.#stackStart.push(this.#stackLocation.length);
        eachNumber(reader, end, fields.stack.locations, fields.stack.location, (location) => {
          this.#count();
          this.#stackLocation.push(location);
        });
        break;
      case fields.dictionary.links:
        this.#readLink(reader, end);
        break;
      default:
        this.#readAttribute(reader, end);
    }
  }

  #readFunction(reader: WireReader, end: number): void {
    let name = 0;
    let systemName = 0;
    let file = 0;
    eachField(reader, end, (tag) => {
      if (tag === fields.func.name) name = indexOf(reader);
      else if (tag === fields.func.systemName) systemName = indexOf(reader);
      else if (tag === fields.func.filename) file = indexOf(reader);
      else return false;
      return true;
    });
    this.#functionName.push(name === 0 ? systemName : name);
    this.#functionFile.push(file);
  }

  #readLocation(reader: WireReader, end: number): void {
    let mapping = 0;
    let low = 0;
    let high = 0;
    this.#locationLines.push(this.#lineFunction.length);
    eachField(reader, end, (tag) => {
      if (tag === fields.location.mapping) mapping = indexOf(reader);
      else if (tag === fields.location.address) {
        reader.int64();
        ({ low, high } = reader);
      } else if (tag === fields.location.lines) {
        this.#count();
        this.#readLine(reader, reader.enter(end));
      } else return false;
      return true;
    });
    this.#locationMapping.push(mapping);
    this.#locationAddress.push(low);
    this.#locationAddress.push(high);
  }

  #readLine(reader: WireReader, end: number): void {
    let func = 0;
    let number = 0;
    eachField(reader, end, (tag) => {
      if (tag === fields.line.function) func = indexOf(reader);
      else if (tag === fields.line.line) number = indexOf(reader);
      else return false;
      return true;
    });
    this.#lineFunction.push(func);
    this.#lineNumber.push(number === NOWHERE ? 0 : number);
  }

  #readLink(reader: WireReader, end: number): void {
    const { bytes } = reader;
    let traceId = -1;
    let spanId = -1;
    eachField(reader, end, (tag) => {
      if (tag !== fields.link.traceId && tag !== fields.link.spanId) return false;
      const stop = reader.enter(end);
      const start = reader.position;
      const wanted = tag === fields.link.traceId ? 16 : 8;
      // An id of another length is ignored; the sample is stored without it.
      const isId = stop - start === wanted && !isZero(bytes, start, stop);
      if (tag === fields.link.traceId) traceId = isId ? start : -1;
      else spanId = isId ? start : -1;
      reader.position = stop;
      return true;
    });
    this.#linkTrace.push(traceId);
    this.#linkSpan.push(spanId);
  }

  #readAttribute(reader: WireReader, end: number): void {
    let key = 0;
    let start = end;
    let stop = end;
    eachField(reader, end, (tag) => {
      if (tag === fields.attribute.key) key = indexOf(reader);
      else if (tag === fields.attribute.value) {
        stop = reader.enter(end);
        start = reader.position;
        scanAnyValue(reader, stop);
      } else return false;
      return true;
    });
    this.#attributeKey.push(key);
    this.#attributeStart.push(start);
    this.#attributeEnd.push(stop);
  }
}

/** The text of a value that is a reference into the table of strings, or `undefined`. */
export function referencedText(
  reader: WireReader,
  start: number,
  end: number,
  dictionary: ProfileDictionary,
): string | undefined {
  let text: string | undefined;
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === fields.stringReference) text = dictionary.text(indexOf(reader));
    else {
      if (tag <= anyValue.bytes) text = undefined;
      reader.skip(tag, end);
    }
  }
  return text;
}
