import { uint32At } from '../../wire/reader.ts';
import type { PlainColumn } from './column.ts';
import type { DictionaryColumn } from './dictionary.ts';
import type { MapColumn } from './nested.ts';

/** Reads RowBinary that a resource or scope has encoded once for all its rows. */
export class EncodedReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Moves a String into row `row`. */
  textTo(column: DictionaryColumn, row: number): void {
    const length = this.#varint();
    column.at(row, this.#bytes, this.#position, length);
    this.#position += length;
  }

  /** Moves a map of Strings into row `row`. */
  mapTo(map: MapColumn, row: number): void {
    map.open(row);
    for (let count = this.#varint(); count > 0; count--) {
      const keyLength = this.#varint();
      const value = map.pair(this.#bytes, this.#position, keyLength);
      this.#position += keyLength;
      const length = this.#varint();
      value.string(this.#bytes, this.#position, length);
      this.#position += length;
    }
  }

  /** Moves a UInt32 into row `row`. */
  uint32To(column: PlainColumn, row: number): void {
    const value = uint32At(this.#bytes, this.#position);
    this.#position += 4;
    if (value !== 0) column.at(row).uint32(value);
  }

  #varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#bytes[this.#position++] as number;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
}
