import { TooLarge } from '../scan/outcome.ts';
import { anyValue, keyValue } from '../wire/fields.ts';
import { FIXED64, LENGTH, VARINT } from '../wire/reader.ts';
import { varintBytes, WireWriter } from '../wire/writer.ts';

/** Limit of a converted body, since a name of the original may be repeated for each item. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Writes OTLP messages from those of other protocols. */
export class OtlpWriter extends WireWriter {
  /** A field that is a message. */
  message(field: number, write: () => void): void {
    this.varint(field * 8 + LENGTH);
    this.nested(write);
  }

  text(field: number, value: string): void {
    this.varint(field * 8 + LENGTH);
    this.string(value);
  }

  /** An unsigned integer below 2^53. */
  number(field: number, value: number): void {
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  /** `sint32`. */
  signed(field: number, value: number): void {
    this.number(field, value < 0 ? -value * 2 - 1 : value * 2);
  }

  doubleField(field: number, value: number): void {
    this.varint(field * 8 + FIXED64);
    this.double(value);
  }

  /** A `fixed64`: a time in nanoseconds, or a count. */
  fixed(field: number, value: bigint): void {
    this.varint(field * 8 + FIXED64);
    this.fixed64(value);
  }

  bytesField(field: number, value: Uint8Array): void {
    this.varint(field * 8 + LENGTH);
    this.raw(value);
  }

  /** A `KeyValue` field with a text value. */
  attribute(field: number, key: string, value: string): void {
    this.#keyed(field, key, () => {
      this.varint(anyValue.string);
      this.string(value);
    });
  }

  /** A `KeyValue` from {@link encodeAttribute}. */
  encodedAttribute(field: number, encoded: Buffer): void {
    this.bytesField(field, encoded);
    this.checkSize();
  }

  intAttribute(field: number, key: string, value: bigint): void {
    this.#keyed(field, key, () => {
      this.varint(anyValue.int);
      this.bigVarint(value);
    });
  }

  #keyed(field: number, key: string, writeValue: () => void): void {
    this.message(field, () => {
      this.varint(keyValue.key);
      this.string(key);
      this.varint(keyValue.value);
      this.nested(writeValue);
    });
    this.checkSize();
  }

  /** @throws {TooLarge} when the body is too large. */
  checkSize(): void {
    if (this.length > MAX_BYTES)
      throw new TooLarge(`the body takes more than ${MAX_BYTES} bytes when it is written out`);
  }
}

/** The content of a `KeyValue` with a text value. */
export function encodeAttribute(key: string, value: string): Buffer {
  const keyLength = Buffer.byteLength(key);
  const valueLength = Buffer.byteLength(value);
  const bytes = Buffer.allocUnsafe(keyLength + valueLength + 20);
  let at = field(bytes, 0, keyValue.key, keyLength);
  at += bytes.write(key, at);
  at = field(bytes, at, keyValue.value, 1 + varintBytes(valueLength) + valueLength);
  at = field(bytes, at, anyValue.string, valueLength);
  at += bytes.write(value, at);
  return bytes.subarray(0, at);
}

function field(bytes: Buffer, start: number, tag: number, length: number): number {
  let at = start;
  bytes[at++] = tag;
  let rest = length;
  for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
  bytes[at++] = rest;
  return at;
}
