const arrays = {
  UInt32: Uint32Array,
  UInt64: BigUint64Array,
  Float64: Float64Array,
} as const;
type NumberType = keyof typeof arrays;
type Numbers<T extends NumberType> = InstanceType<(typeof arrays)[T]>;

/** The lists of all rows one after another. The list of row `i` ends at `ends[i]`. */
export interface Lists<T extends NumberType> {
  readonly ends: BigUint64Array;
  readonly items: Numbers<T>;
}

/** Types of columns that {@link nativeBlocks} reads: numbers, and lists of them. */
export type ColumnType = NumberType | `Array(${NumberType})`;
type Column<T extends ColumnType> = T extends NumberType
  ? Numbers<T>
  : T extends `Array(${infer Item extends NumberType})`
    ? Lists<Item>
    : never;
export type Columns<T extends readonly ColumnType[]> = { readonly [K in keyof T]: Column<T[K]> };

/**
 * The blocks of an answer in the format Native (`NativeWriter.cpp`, without a protocol version), each as its columns. The columns are copies.
 * @param chunks end anywhere
 * @throws Error for columns of other types
 */
export function* nativeBlocks<const T extends readonly ColumnType[]>(
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
      return columnOf(bytes, type, rows);
    });
    // One for each type, in their order, which the type of `map` does not say.
    yield columns as unknown as Columns<T>;
  }
}

function columnOf(bytes: Bytes, type: ColumnType, rows: number): Numbers<NumberType> | Lists<NumberType> {
  const ofItems = /^Array\((.*)\)$/.exec(type)?.[1];
  if (ofItems === undefined) return bytes.numbers(type as NumberType, rows);
  const ends = bytes.numbers('UInt64', rows);
  return { ends, items: bytes.numbers(ofItems as NumberType, Number(ends.at(-1) ?? 0n)) };
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

  numbers<T extends NumberType>(type: T, count: number): Numbers<T> {
    const numbers = new arrays[type](count) as Numbers<T>;
    this.into(new Uint8Array(numbers.buffer));
    return numbers;
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
