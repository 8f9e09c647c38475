import { anyValue, keyValue, listValues } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';

/** The varint at `at` as a signed 64-bit decimal. */
export function int64Text(reader: WireReader, at: number): string {
  reader.position = at;
  reader.int64();
  const { low, high } = reader;
  if (high >= -0x200000 && high < 0x200000) return String(high * 4294967296 + (low >>> 0));
  return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
}

/** In JavaScript's form: the shortest that parses to the same number; `NaN` and `Infinity` by name. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * A list or key-value list as JSON text: integers exact, bytes in base64, NaN and Infinity as strings, an unset value
 * as null. The scan has limited the depth.
 */
export function jsonText(reader: WireReader, tag: number, start: number, end: number): string {
  const { bytes } = reader;
  switch (tag) {
    case anyValue.string:
      return JSON.stringify(bytes.toString('utf8', start, end));
    case anyValue.bool:
      return bytes[start] === 0 ? 'false' : 'true';
    case anyValue.int:
      return int64Text(reader, start);
    case anyValue.double: {
      const value = bytes.readDoubleLE(start);
      return Number.isFinite(value) ? numberText(value) : `"${value}"`;
    }
    case anyValue.array:
      return `[${elements(reader, start, end, valueText).join(',')}]`;
    case anyValue.kvlist:
      return `{${elements(reader, start, end, pairText).join(',')}}`;
    case anyValue.bytes:
      return `"${bytes.toString('base64', start, end)}"`;
    default:
      return 'null';
  }
}

function elements(
  reader: WireReader,
  start: number,
  end: number,
  text: (reader: WireReader, start: number, end: number) => string,
): string[] {
  const texts: string[] = [];
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== listValues) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    texts.push(text(reader, reader.position, stop));
    reader.position = stop;
  }
  return texts;
}

/** The text of an `AnyValue` message. */
export function valueText(reader: WireReader, start: number, end: number): string {
  const value = readAnyValue(reader, start, end);
  return jsonText(reader, value.tag, value.start, value.end);
}

function pairText(reader: WireReader, start: number, end: number): string {
  let key = '""';
  let value = 'null';
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === keyValue.key || tag === keyValue.value) {
      const stop = reader.enter(end);
      if (tag === keyValue.key) key = JSON.stringify(reader.bytes.toString('utf8', reader.position, stop));
      else value = valueText(reader, reader.position, stop);
      reader.position = stop;
    } else reader.skip(tag, end);
  }
  return `${key}:${value}`;
}

export interface ValuePosition {
  /** The tag of the field with the value; 0 if unset. */
  tag: number;
  start: number;
  end: number;
}

/** The range of the content of an `AnyValue` message. The last of several fields counts, as for every oneof. */
export function readAnyValue(reader: WireReader, start: number, end: number): ValuePosition {
  const found: ValuePosition = { tag: 0, start: end, end };
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    const isKnown =
      tag === anyValue.bool ||
      tag === anyValue.int ||
      tag === anyValue.double ||
      ((tag & 7) === 2 && tag <= anyValue.bytes);
    if (!isKnown) {
      reader.skip(tag, end);
      continue;
    }
    const from = (tag & 7) === 2 ? reader.enter(end) : -1;
    found.tag = tag;
    found.start = reader.position;
    if (from < 0) reader.skip(tag, end);
    else reader.position = from;
    found.end = reader.position;
  }
  return found;
}
