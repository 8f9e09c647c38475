import type { JsonValue } from '@fanion/flag-engine';
import { WireError, WireReader, WireWriter } from '@fanion/telemetry';

/** A context that is nested deeper is an attack or a mistake. */
const deepest = 64;

/** `google.protobuf.Struct` as JSON has it. */
export type Fields = { readonly [name: string]: JsonValue };

/** `ResolveBooleanRequest` and its equals: a flag and a context. `ResolveAllRequest` has the context alone, as its first field. */
export function decodeResolve(bytes: Buffer, contextField: 1 | 2): { readonly flag: string; readonly context: Fields } {
  const reader = new WireReader(bytes);
  let flag = '';
  let context: Fields = {};
  while (reader.position < bytes.length) {
    const tag = reader.tag();
    if (tag === tagOf(contextField)) context = readStruct(reader, reader.enter(bytes.length), 0);
    else if (tag === tagOf(1)) flag = readText(reader, bytes.length);
    else reader.skip(tag, bytes.length);
  }
  reader.finish(bytes.length);
  return { flag, context };
}

/** The selector of `SyncFlagsRequest` and `FetchAllFlagsRequest`. */
export function decodeSelector(bytes: Buffer): string | undefined {
  const reader = new WireReader(bytes);
  let selector: string | undefined;
  while (reader.position < bytes.length) {
    const tag = reader.tag();
    if (tag === tagOf(2)) selector = readText(reader, bytes.length);
    else reader.skip(tag, bytes.length);
  }
  reader.finish(bytes.length);
  return selector;
}

/** Tags of fields with a length, and of varints. */
const tagOf = (field: number) => (field << 3) | 2;
const varintTag = (field: number) => field << 3;
const doubleTag = (field: number) => (field << 3) | 1;

function readText(reader: WireReader, end: number): string {
  const stop = reader.enter(end);
  const text = reader.bytes.toString('utf8', reader.position, stop);
  reader.position = stop;
  return text;
}

function readStruct(reader: WireReader, end: number, depth: number): Fields {
  if (depth > deepest) throw new WireError(`a context is nested more than ${deepest} deep`);
  const members: [string, JsonValue][] = [];
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== tagOf(1)) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    let name = '';
    let value: JsonValue = null;
    while (reader.position < stop) {
      const inner = reader.tag();
      if (inner === tagOf(1)) name = readText(reader, stop);
      else if (inner === tagOf(2)) value = readValue(reader, reader.enter(stop), depth);
      else reader.skip(inner, stop);
    }
    reader.finish(stop);
    members.push([name, value]);
  }
  reader.finish(end);
  // Also names such as `__proto__` are data.
  return Object.fromEntries(members);
}

function readValue(reader: WireReader, end: number, depth: number): JsonValue {
  let value: JsonValue = null;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === doubleTag(2)) {
      if (reader.position + 8 > end) throw new WireError('a number ends with its message');
      value = reader.bytes.readDoubleLE(reader.position);
      reader.position += 8;
    } else if (tag === tagOf(3)) value = readText(reader, end);
    else if (tag === varintTag(4)) value = reader.varint() !== 0;
    else if (tag === tagOf(5)) value = readStruct(reader, reader.enter(end), depth + 1);
    else if (tag === tagOf(6)) value = readList(reader, reader.enter(end), depth + 1);
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return value;
}

function readList(reader: WireReader, end: number, depth: number): JsonValue[] {
  if (depth > deepest) throw new WireError(`a context is nested more than ${deepest} deep`);
  const values: JsonValue[] = [];
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === tagOf(1)) values.push(readValue(reader, reader.enter(end), depth));
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return values;
}

function writeStruct(writer: WireWriter, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    writer.varint(tagOf(1));
    writer.nested(() => {
      writer.varint(tagOf(1));
      writer.string(name);
      writer.varint(tagOf(2));
      writer.nested(() => writeValue(writer, value));
    });
  }
}

function writeValue(writer: WireWriter, value: JsonValue): void {
  if (typeof value === 'number') writeDouble(writer, 2, value);
  else if (typeof value === 'string') writeText(writer, 3, value);
  else if (typeof value === 'boolean') writeVarint(writer, 4, BigInt(value));
  else if (value === null) writeVarint(writer, 1, 0n);
  else if (isList(value)) {
    writer.varint(tagOf(6));
    writer.nested(() => {
      for (const item of value) {
        writer.varint(tagOf(1));
        writer.nested(() => writeValue(writer, item));
      }
    });
  } else writeFields(writer, 5, value);
}

const isList = (value: readonly JsonValue[] | Fields): value is readonly JsonValue[] => Array.isArray(value);

function writeText(writer: WireWriter, field: number, text: string): void {
  writer.varint(tagOf(field));
  writer.string(text);
}

function writeVarint(writer: WireWriter, field: number, value: bigint): void {
  writer.varint(varintTag(field));
  writer.bigVarint(value);
}

function writeDouble(writer: WireWriter, field: number, value: number): void {
  writer.varint(doubleTag(field));
  writer.double(value);
}

function writeFields(writer: WireWriter, field: number, fields: Fields): void {
  writer.varint(tagOf(field));
  writer.nested(() => writeStruct(writer, fields));
}

/** A value by the type of the method that returns it. */
export type Typed =
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'float' | 'int'; readonly value: number }
  | { readonly type: 'object'; readonly value: Fields };

export interface Resolution {
  /** Undefined: the caller uses its default. */
  readonly typed: Typed | undefined;
  readonly reason: string;
  readonly variant: string;
  readonly metadata: Fields;
}

/** `ResolveBooleanResponse` and its equals. */
export function encodeResolution({ typed, reason, variant, metadata }: Resolution): Buffer {
  const writer = new WireWriter(256);
  if (typed !== undefined) writeTyped(writer, typed, 1);
  writeText(writer, 2, reason);
  writeText(writer, 3, variant);
  writeFields(writer, 4, metadata);
  return writer.result();
}

function writeTyped(writer: WireWriter, typed: Typed, field: number): void {
  switch (typed.type) {
    case 'boolean':
      writeVarint(writer, field, BigInt(typed.value));
      break;
    case 'string':
      writeText(writer, field, typed.value);
      break;
    case 'float':
      writeDouble(writer, field, typed.value);
      break;
    case 'int':
      writeVarint(writer, field, BigInt(typed.value));
      break;
    case 'object':
      writeFields(writer, field, typed.value);
  }
}

/** Where `AnyFlag` has a value of each type. */
const anyFlagFields = { boolean: 3, string: 4, float: 5, int: 5, object: 6 } as const;

/** An entry of the flags of `ResolveAllResponse`, which is these one after another. */
export function encodeAnyFlag(key: string, { typed, reason, variant, metadata }: Resolution): Buffer {
  const writer = new WireWriter(256);
  writer.varint(tagOf(1));
  writer.nested(() => {
    writeText(writer, 1, key);
    writer.varint(tagOf(2));
    writer.nested(() => {
      writeText(writer, 1, reason);
      writeText(writer, 2, variant);
      if (typed !== undefined) writeTyped(writer, typed, anyFlagFields[typed.type]);
      writeFields(writer, 7, metadata);
    });
  });
  return writer.result();
}

/** `EventStreamResponse`. */
export function encodeEvent(type: string, data: Fields): Buffer {
  const writer = new WireWriter(256);
  writeText(writer, 1, type);
  writeFields(writer, 2, data);
  return writer.result();
}
