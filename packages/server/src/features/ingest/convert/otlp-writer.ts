import { TooLarge } from '../scan/outcome.ts';
import { anyValue, keyValue } from '../wire/fields.ts';
import { FIXED64, LENGTH, VARINT } from '../wire/reader.ts';
import { WireWriter } from '../wire/writer.ts';

/** What a converted body may take: one name of a body may be repeated for each of its items. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Writes OTLP messages out of those of other protocols. */
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

  /** A `KeyValue` in a field, with a text as its value. */
  attribute(field: number, key: string, value: string): void {
    this.#keyed(field, key, () => {
      this.varint(anyValue.string);
      this.string(value);
    });
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

  /** @throws {TooLarge} when the body has become too large. */
  checkSize(): void {
    if (this.length > MAX_BYTES)
      throw new TooLarge(`the body takes more than ${MAX_BYTES} bytes when it is written out`);
  }
}
