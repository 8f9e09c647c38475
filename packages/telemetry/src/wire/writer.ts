/** Bytes of a varint below 2^31. */
export function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest > 127; rest >>>= 7) count++;
  return count;
}

/**
 * Writes protobuf into one growing buffer. A nested message is written first and its length is filled in afterwards:
 * most are under 128 bytes, so the one reserved byte is enough and nothing moves.
 */
export class WireWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param expected bytes that are likely to be enough. */
  constructor(expected = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  /** Everything written so far: a view that is valid until the next write. */
  result(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  varint(value: number): void {
    this.#ensure(10);
    this.#varint(value);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A varint of 64 bits; negative values as two's complement. */
  bigVarint(value: bigint): void {
    this.#ensure(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  fixed32(value: number): void {
    this.#ensure(4);
    this.#length = this.#bytes.writeUInt32LE(value >>> 0, this.#length);
  }

  fixed64(value: bigint): void {
    this.#ensure(8);
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
  }

  double(value: number): void {
    this.#ensure(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.#ensure(length + 5);
    this.#varint(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  raw(value: Uint8Array): void {
    this.#ensure(value.length + 5);
    this.#varint(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Raw bytes, without a length. */
  copy(value: Uint8Array): void {
    this.#ensure(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Writes the output of `write` as a length-delimited field. */
  nested(write: () => void): void {
    this.#ensure(1);
    const start = ++this.#length;
    write();
    const length = this.#length - start;
    if (length < 128) {
      this.#bytes[start - 1] = length;
      return;
    }
    const width = Math.ceil(Math.log2(length + 1) / 7);
    this.#ensure(width);
    this.#bytes.copyWithin(start - 1 + width, start, this.#length);
    this.#length = start - 1;
    this.#varint(length);
    this.#length += length;
  }

  #ensure(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe((this.#length + bytes) * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
