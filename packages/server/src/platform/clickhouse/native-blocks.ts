/** Types of numbers that {@link nativeBlocks} reads, with the array that holds a column of them. */
const arrays = {
  UInt32: Uint32Array,
  UInt64: BigUint64Array,
  Float64: Float64Array,
} as const;

export type NumberType = keyof typeof arrays;
type Columns<T extends readonly NumberType[]> = { readonly [K in keyof T]: InstanceType<(typeof arrays)[T[K]]> };

/**
 * The blocks of an answer in the format Native (`NativeWriter.cpp`, without a protocol version), each as its columns of numbers. The columns are copies.
 * @param chunks end anywhere
 * @throws Error for columns of other types
 */
export function* nativeBlocks<const T extends readonly NumberType[]>(
  chunks: readonly Uint8Array[],
  types: T,
): Generator<Columns<T>> {
  const bytes = new Bytes(chunks);
  while (!bytes.isAtEnd) {
    const count = bytes.varint();
    const rows = bytes.varint();
    if (count !== types.length) throw new Error(`${count} columns instead of ${types.length}`);
    const columns = types.map((type) => {
      const name = bytes.text();
      const found = bytes.text();
      if (found !== type) throw new Error(`the column ${name} has the type ${found} instead of ${type}`);
      const column = new arrays[type](rows);
      bytes.into(new Uint8Array(column.buffer));
      return column;
    });
    // One array for each type.
    yield columns as unknown as Columns<T>;
  }
}

class Bytes {
  readonly #chunks: readonly Uint8Array[];
  #chunk = 0;
  #at = 0;

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks.filter(({ length }) => length > 0);
  }

  get isAtEnd(): boolean {
    return this.#chunk >= this.#chunks.length;
  }

  into(target: Uint8Array): void {
    for (let filled = 0; filled < target.length; ) {
      const chunk = this.#chunks[this.#chunk];
      if (chunk === undefined) throw new Error('the answer ends inside a block');
      const part = chunk.subarray(this.#at, this.#at + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#at += part.length;
      if (this.#at < chunk.length) continue;
      this.#chunk++;
      this.#at = 0;
    }
  }

  varint(): number {
    const byte = new Uint8Array(1);
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      this.into(byte);
      const [bits = 0] = byte;
      value += (bits % 128) * scale;
      if (bits < 128) return value;
    }
  }

  text(): string {
    const text = new Uint8Array(this.varint());
    this.into(text);
    return Buffer.from(text.buffer).toString();
  }
}
