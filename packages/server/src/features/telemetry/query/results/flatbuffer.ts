/**
 * A minimal FlatBuffers writer for Arrow's metadata (https://flatbuffers.dev/internals): tables, text and vectors. It
 * writes a table before its targets, since offsets must point forward.
 */
export type Field =
  | { readonly kind: 'u8' | 'i16' | 'i32' | 'i64'; readonly value: number | bigint }
  | { readonly kind: 'table'; readonly value: Table }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'tables'; readonly value: readonly Table[] }
  /** A vector of structs of two 64-bit numbers. */
  | { readonly kind: 'pairs'; readonly value: readonly (readonly [number, number])[] };
/** Fields by their slots; an absent one has its default. */
export type Table = readonly (Field | undefined)[];

const sizes = { u8: 1, i16: 2, i32: 4, i64: 8, table: 4, text: 4, tables: 4, pairs: 4 } as const;

/** The buffer of a root table; its length is a multiple of eight. */
export function flatbuffer(root: Table): Buffer {
  const writer = new Writer();
  writer.reserve(4);
  writer.pointAt(0, writer.table(root));
  writer.align(8);
  return writer.result();
}

class Writer {
  #bytes = Buffer.alloc(1024);
  #length = 0;

  result(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes zeros and returns their position. */
  reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    return at;
  }

  align(to: number): void {
    this.reserve((to - (this.#length % to)) % to);
  }

  pointAt(from: number, to: number): void {
    this.#bytes.writeUInt32LE(to - from, from);
  }

  table(fields: Table): number {
    this.align(2);
    const layout = fields.length * 2 + 4;
    const vtable = this.reserve(layout);
    this.align(8);
    const table = this.reserve(4);
    const places = fields.map((field) => {
      if (field === undefined) return undefined;
      this.align(sizes[field.kind]);
      return this.reserve(sizes[field.kind]);
    });
    this.#bytes.writeUInt16LE(layout, vtable);
    this.#bytes.writeUInt16LE(this.#length - table, vtable + 2);
    this.#bytes.writeInt32LE(table - vtable, table);
    for (const [slot, place] of places.entries())
      if (place !== undefined) this.#bytes.writeUInt16LE(place - table, vtable + 4 + slot * 2);
    for (const [slot, field] of fields.entries()) {
      const place = places[slot];
      if (field !== undefined && place !== undefined) this.#field(field, place);
    }
    return table;
  }

  #field(field: Field, place: number): void {
    switch (field.kind) {
      case 'u8':
        this.#bytes.writeUInt8(Number(field.value), place);
        break;
      case 'i16':
        this.#bytes.writeInt16LE(Number(field.value), place);
        break;
      case 'i32':
        this.#bytes.writeInt32LE(Number(field.value), place);
        break;
      case 'i64':
        this.#bytes.writeBigInt64LE(BigInt(field.value), place);
        break;
      case 'table':
        this.pointAt(place, this.table(field.value));
        break;
      case 'text': {
        const text = Buffer.from(field.value);
        this.align(4);
        const at = this.reserve(4 + text.length + 1);
        this.#bytes.writeUInt32LE(text.length, at);
        text.copy(this.#bytes, at + 4);
        this.pointAt(place, at);
        break;
      }
      case 'tables': {
        this.align(4);
        const at = this.reserve(4 + field.value.length * 4);
        this.#bytes.writeUInt32LE(field.value.length, at);
        this.pointAt(place, at);
        for (const [i, one] of field.value.entries()) this.pointAt(at + 4 + i * 4, this.table(one));
        break;
      }
      case 'pairs': {
        // The numbers after the length are aligned to eight.
        this.align(8);
        const at = this.reserve(8 + field.value.length * 16) + 4;
        this.#bytes.writeUInt32LE(field.value.length, at);
        this.pointAt(place, at);
        for (const [i, [first, second]] of field.value.entries()) {
          this.#bytes.writeBigInt64LE(BigInt(first), at + 4 + i * 16);
          this.#bytes.writeBigInt64LE(BigInt(second), at + 12 + i * 16);
        }
        break;
      }
    }
  }
}
