import type { Signal } from '../entry.ts';
import { FIXED32, FIXED64, LENGTH, VARINT } from '../wire/reader.ts';
import { WireWriter } from '../wire/writer.ts';
import { type Field, type Message, requests, type Scalar } from './messages.ts';
import { JsonError, parseJson } from './text.ts';

/**
 * Turns an OTLP/JSON body into the protobuf body of the same request, so that there is one scan, one log format and one
 * transcoder. Unknown fields are skipped, as the specification requires.
 * @throws {JsonError} with the path of the value that does not fit.
 */
export function jsonToProtobuf(signal: Signal, body: Buffer): Buffer {
  const writer = new WireWriter();
  writeMessage(writer, requests[signal], parseJson(body));
  return writer.result();
}

/** @throws {JsonError} as {@link jsonToProtobuf} */
export function writeMessage(writer: WireWriter, message: Message, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new JsonError(`expected an object (${message.name})`);
  }
  for (const [name, content] of Object.entries(value)) {
    const field = message.fields.get(name);
    if (field === undefined || content === null) continue;
    try {
      writeField(writer, field, content);
    } catch (error) {
      throw error instanceof JsonError ? new JsonError(`${name}: ${error.message}`) : error;
    }
  }
}

function writeField(writer: WireWriter, field: Field, content: unknown): void {
  if (!field.repeated) {
    writeValue(writer, field, content);
    return;
  }
  if (field.repeated === 'map') {
    for (const [key, value] of Object.entries(content as object)) writeValue(writer, field, { key, value });
    return;
  }
  if (!Array.isArray(content)) throw new JsonError('expected an array');
  for (const [index, element] of content.entries()) {
    try {
      writeValue(writer, field, element);
    } catch (error) {
      throw error instanceof JsonError ? new JsonError(`[${index}] ${error.message}`) : error;
    }
  }
}

function writeValue(writer: WireWriter, field: Field, value: unknown): void {
  const { kind, number } = field;
  if (typeof kind === 'object') {
    writer.varint(number * 8 + LENGTH);
    writer.nested(() => writeMessage(writer, kind, value));
    return;
  }
  switch (kind) {
    case 'string':
      if (typeof value !== 'string') throw new JsonError('expected a string');
      writer.varint(number * 8 + LENGTH);
      writer.string(value);
      return;
    case 'id':
    case 'base64':
      writer.varint(number * 8 + LENGTH);
      writer.raw(kind === 'id' ? idBytes(value) : base64Bytes(value));
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw new JsonError('expected true or false');
      writer.varint(number * 8 + VARINT);
      writer.varint(value ? 1 : 0);
      return;
    case 'double':
      writer.varint(number * 8 + FIXED64);
      writer.double(doubleOf(value));
      return;
    case 'enum':
      writer.varint(number * 8 + VARINT);
      writer.bigVarint(enumOf(value, field.names ?? []));
      return;
    default:
      writeInteger(writer, number, kind, value);
  }
}

const ranges: Record<string, readonly [bigint, bigint]> = {
  fixed32: [0n, 2n ** 32n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  sfixed64: [-(2n ** 63n), 2n ** 63n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

function writeInteger(writer: WireWriter, number: number, kind: Scalar, value: unknown): void {
  const integer = integerOf(value);
  const [lowest, highest] = ranges[kind] ?? [0n, 0n];
  if (integer < lowest || integer > highest) throw new JsonError(`out of the range of ${kind}`);
  switch (kind) {
    case 'fixed32':
      writer.varint(number * 8 + FIXED32);
      writer.fixed32(Number(integer));
      return;
    case 'fixed64':
    case 'sfixed64':
      writer.varint(number * 8 + FIXED64);
      writer.fixed64(integer);
      return;
    default:
      writer.varint(number * 8 + VARINT);
      writer.bigVarint(kind === 'sint32' ? (integer << 1n) ^ (integer >> 63n) : integer);
  }
}

function integerOf(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw new JsonError('expected an integer, as a number or a string');
}

function doubleOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
    if (value.length < 400 && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value);
  }
  throw new JsonError('expected a number');
}

/** `names`: the common prefix, then the name of 0, of 1, … */
function enumOf(value: unknown, names: readonly string[]): bigint {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31) return BigInt(value);
  if (typeof value === 'string') {
    const [prefix = '', ...members] = names;
    const index = members.indexOf(value.startsWith(prefix) ? value.slice(prefix.length) : value);
    if (index >= 0) return BigInt(index);
    if (/^\d{1,9}$/.test(value)) return BigInt(value);
  }
  throw new JsonError('expected an enum value');
}

/** An id of one byte is invalid, so the scan rejects this item only. */
const invalidId = Uint8Array.of(0xff);

function idBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw new JsonError('expected an id in hex');
  if (value.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(value)) return invalidId;
  return Buffer.from(value, 'hex');
}

function base64Bytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) throw new JsonError('expected base64');
  return Buffer.from(value, 'base64');
}
