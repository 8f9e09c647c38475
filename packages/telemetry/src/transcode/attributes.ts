import { anyValue, keyValue } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';
import type { Hash64 } from './hash.ts';
import type { MapColumn } from './native/nested.ts';
import type { RowWriter } from './row-writer.ts';
import { int64Text, jsonText, numberText } from './value-text.ts';

/** The maps that store attributes by the type of their values. */
export interface TypedMaps {
  string_attributes: MapColumn;
  int_attributes: MapColumn;
  float_attributes: MapColumn;
  bool_attributes: MapColumn;
  /** Arrays and key-value lists as JSON text, and `null` for unset values. */
  json_attributes: MapColumn;
}

/** The type of a value is the tag of the field that holds it; 0 for an unset value. */
const EMPTY = 0;
/** Up to this number, duplicates are found pair by pair; beyond it, with a map. */
const PAIRWISE = 24;

/**
 * The attributes of one item, as positions in the body: nothing is decoded before it is written. If a key occurs twice,
 * which OpenTelemetry forbids, the last one wins.
 */
export class Attributes {
  count = 0;
  #capacity = 64;
  #keyStart = new Int32Array(64);
  #keyLength = new Int32Array(64);
  #type = new Int32Array(64);
  #valueStart = new Int32Array(64);
  #valueEnd = new Int32Array(64);
  #known: Map<string, number> | undefined;

  clear(): void {
    this.count = 0;
    this.#known = undefined;
  }

  /** Reads one `KeyValue` that ends at `end`. */
  read(reader: WireReader, end: number): void {
    if (this.count === this.#capacity) this.#grow();
    let keyStart = reader.position;
    let keyLength = 0;
    let type = EMPTY;
    let valueStart = end;
    let valueEnd = end;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === keyValue.key) {
        const stop = reader.enter(end);
        keyStart = reader.position;
        keyLength = stop - keyStart;
        reader.position = stop;
      } else if (tag === keyValue.value) {
        const stop = reader.enter(end);
        while (reader.position < stop) {
          const inner = reader.tag();
          if (inner === anyValue.bool || inner === anyValue.int || inner === anyValue.double) {
            type = inner;
            valueStart = reader.position;
            reader.skip(inner, stop);
            valueEnd = reader.position;
          } else if ((inner & 7) === 2 && inner <= anyValue.bytes) {
            const valueStop = reader.enter(stop);
            type = inner;
            valueStart = reader.position;
            valueEnd = valueStop;
            reader.position = valueStop;
          } else reader.skip(inner, stop);
        }
      } else reader.skip(tag, end);
    }
    const at = this.#slot(reader.bytes, keyStart, keyLength);
    this.#keyStart[at] = keyStart;
    this.#keyLength[at] = keyLength;
    this.#type[at] = type;
    this.#valueStart[at] = valueStart;
    this.#valueEnd[at] = valueEnd;
  }

  /** The index of the attribute of this name, or -1. */
  find(bytes: Buffer, key: string): number {
    for (let i = 0; i < this.count; i++) {
      const start = this.#keyStart[i] as number;
      if (this.#keyLength[i] === key.length && bytes.toString('latin1', start, start + key.length) === key) return i;
    }
    return -1;
  }

  /** A value as text, for maps in which all values are text. */
  textOf(reader: WireReader, index: number): string {
    const { bytes } = reader;
    const start = this.#valueStart[index] as number;
    const end = this.#valueEnd[index] as number;
    switch (this.#type[index]) {
      case anyValue.string:
        return bytes.toString('utf8', start, end);
      case anyValue.bool:
        return bytes[start] === 0 ? 'false' : 'true';
      case anyValue.int:
        return int64Text(reader, start);
      case anyValue.double:
        return numberText(bytes.readDoubleLE(start));
      case anyValue.array:
      case anyValue.kvlist:
        return jsonText(reader, this.#type[index] as number, start, end);
      case anyValue.bytes:
        return bytes.toString('base64', start, end);
      default:
        return '';
    }
  }

  /**
   * The values of a map of texts that were not sent as text: the key between a zero byte and a byte 1, then the letter
   * of the type (`n` a number, `f` a float that is not finite or beyond 2^53, `b` true or false, `j` a list or map).
   * Empty if all are texts. A key that contains one of these bytes is left out.
   */
  types(bytes: Buffer): string {
    let types = '';
    for (let i = 0; i < this.count; i++) {
      const type = this.#type[i] as number;
      const letter = letterOfType(
        type,
        type === anyValue.double ? bytes.readDoubleLE(this.#valueStart[i] as number) : 0,
      );
      if (letter === '') continue;
      const start = this.#keyStart[i] as number;
      types += typeEntry(bytes.toString('utf8', start, start + (this.#keyLength[i] as number)), letter);
    }
    return types;
  }

  /** All values as text, as a JSON object. */
  textsAsJson(reader: WireReader): string {
    const pairs: string[] = [];
    for (let i = 0; i < this.count; i++) {
      const start = this.#keyStart[i] as number;
      const key = reader.bytes.toString('utf8', start, start + (this.#keyLength[i] as number));
      pairs.push(`${JSON.stringify(key)}:${JSON.stringify(this.textOf(reader, i))}`);
    }
    return `{${pairs.join(',')}}`;
  }

  /** Writes the five typed maps of row `row`. */
  writeTyped(reader: WireReader, maps: TypedMaps, row: number): void {
    const { bytes } = reader;
    let opened = 0;
    for (let i = 0; i < this.count; i++) {
      const type = this.#type[i] as number;
      const map = mapOf(maps, type);
      const bit = 1 << (type >>> 3);
      if ((opened & bit) === 0) {
        // Byte strings share a map with strings; opening it again for the same row changes nothing.
        map.open(row);
        opened |= bit;
      }
      const start = this.#valueStart[i] as number;
      const value = map.pair(bytes, this.#keyStart[i] as number, this.#keyLength[i] as number);
      switch (type) {
        case anyValue.string:
          value.string(bytes, start, (this.#valueEnd[i] as number) - start);
          break;
        case anyValue.int:
          reader.position = start;
          reader.int64();
          value.uint64(reader.low, reader.high);
          break;
        case anyValue.double:
          value.copy(bytes, start, 8);
          break;
        case anyValue.bool:
          value.uint8(bytes[start] === 0 ? 0 : 1);
          break;
        default:
          value.text(type === EMPTY ? 'null' : this.textOf(reader, i));
      }
    }
  }

  /** Writes row `row` of a map with all values as text. */
  writeTextTo(reader: WireReader, map: MapColumn, row: number): void {
    const { bytes } = reader;
    if (this.count > 0) map.open(row);
    for (let i = 0; i < this.count; i++) {
      const value = map.pair(bytes, this.#keyStart[i] as number, this.#keyLength[i] as number);
      if (this.#type[i] === anyValue.string) {
        const start = this.#valueStart[i] as number;
        value.string(bytes, start, (this.#valueEnd[i] as number) - start);
      } else value.text(this.textOf(reader, i));
    }
  }

  /** Writes one map with all values as text. */
  writeText(reader: WireReader, row: RowWriter): void {
    const { bytes } = reader;
    row.reserve(5);
    row.varint(this.count);
    for (let i = 0; i < this.count; i++) {
      this.#writeKey(bytes, row, i);
      if (this.#type[i] === anyValue.string) {
        const start = this.#valueStart[i] as number;
        row.string(bytes, start, (this.#valueEnd[i] as number) - start);
      } else row.text(this.textOf(reader, i));
    }
  }

  /**
   * Mixes all attributes into `into`, independent of their order: each is hashed separately, and the hashes are added.
   * The type of a value is part of it.
   */
  hash(bytes: Buffer, scratch: Hash64, into: Hash64): void {
    let low = 0;
    let high = 0;
    for (let i = 0; i < this.count; i++) {
      const keyStart = this.#keyStart[i] as number;
      scratch.reset(this.#type[i] as number);
      scratch.bytes(bytes, keyStart, keyStart + (this.#keyLength[i] as number));
      scratch.bytes(bytes, this.#valueStart[i] as number, this.#valueEnd[i] as number);
      scratch.finish();
      low = (low + scratch.low) | 0;
      high = (high + scratch.high) | 0;
    }
    into.word(low);
    into.word(high);
    into.word(this.count);
  }

  #writeKey(bytes: Buffer, row: RowWriter, index: number): void {
    row.string(bytes, this.#keyStart[index] as number, this.#keyLength[index] as number);
  }

  /** The slot for the attribute of this key: that of its duplicate, else the end. */
  #slot(bytes: Buffer, start: number, length: number): number {
    if (this.count >= PAIRWISE) return this.#slotByMap(bytes, start, length);
    for (let i = 0; i < this.count; i++) {
      if (this.#keyLength[i] === length && sameBytes(bytes, this.#keyStart[i] as number, start, length)) return i;
    }
    return this.count++;
  }

  #slotByMap(bytes: Buffer, start: number, length: number): number {
    this.#known ??= new Map(
      Array.from({ length: this.count }, (_, i) => {
        const keyStart = this.#keyStart[i] as number;
        return [bytes.toString('latin1', keyStart, keyStart + (this.#keyLength[i] as number)), i];
      }),
    );
    const key = bytes.toString('latin1', start, start + length);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.count);
    return this.count++;
  }

  #grow(): void {
    this.#capacity *= 2;
    const larger = (old: Int32Array) => {
      const array = new Int32Array(this.#capacity);
      array.set(old);
      return array;
    };
    this.#keyStart = larger(this.#keyStart);
    this.#keyLength = larger(this.#keyLength);
    this.#type = larger(this.#type);
    this.#valueStart = larger(this.#valueStart);
    this.#valueEnd = larger(this.#valueEnd);
  }
}

/** The letter of the type of a value by the tag of its field; empty for texts, bytes and unset values. */
export function letterOfType(tag: number, double: number): '' | 'n' | 'f' | 'b' | 'j' {
  switch (tag) {
    case anyValue.int:
      return 'n';
    case anyValue.double:
      return Math.abs(double) <= Number.MAX_SAFE_INTEGER ? 'n' : 'f';
    case anyValue.bool:
      return 'b';
    case anyValue.array:
    case anyValue.kvlist:
      return 'j';
    default:
      return '';
  }
}

export function typeEntry(key: string, letter: string): string {
  return key.includes('\0') || key.includes('\x01') ? '' : `\0${key}\x01${letter}`;
}

function mapOf(maps: TypedMaps, type: number): MapColumn {
  switch (type) {
    case anyValue.string:
    case anyValue.bytes:
      return maps.string_attributes;
    case anyValue.int:
      return maps.int_attributes;
    case anyValue.double:
      return maps.float_attributes;
    case anyValue.bool:
      return maps.bool_attributes;
    default:
      return maps.json_attributes;
  }
}

function sameBytes(bytes: Buffer, a: number, b: number, length: number): boolean {
  // Names of equal length often share a prefix (http.route, http.query), so compare from the end.
  for (let i = length - 1; i >= 0; i--) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}
