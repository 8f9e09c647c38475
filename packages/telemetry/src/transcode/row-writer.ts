import { isUtf8 } from 'node:buffer';

/** Below this a byte-wise loop is faster than a call into the runtime. */
const SHORT_COPY = 96;

/** Next blocks are not much larger, and then fit into the same buffer. */
const ROOM = 1.1;

/**
 * Writes ClickHouse's RowBinary into one growing buffer. Callers reserve space for the fixed part of a row with {@link
 * RowWriter.reserve}; values of variable length reserve by themselves.
 */
export class RowWriter {
  bytes: Buffer;
  length = 0;

  /** @param bytes buffer to write into while it is large enough; its memory must not belong to a shared pool. */
  constructor(bytes: Buffer = Buffer.allocUnsafeSlow(1 << 16)) {
    this.bytes = bytes;
  }

  /** Ensures that `count` more bytes fit. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    this.#move(Math.max(this.bytes.length * 2, this.length + count));
  }

  #move(size: number): void {
    const larger = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /**
   * Makes room for about `count` bytes at once. Growing in steps would copy them several times, and leave smaller
   * buffers behind, together as large as the last one, until they are collected.
   */
  expect(count: number): void {
    if (this.length + count > this.bytes.length) this.#move(this.length + Math.ceil(count * ROOM));
  }

  /** Exchanges buffers with an empty writer if its buffer is larger. The own bytes are kept. */
  takeRoom(from: RowWriter): void {
    const { bytes } = this;
    if (from.bytes.length <= bytes.length) return;
    bytes.copy(from.bytes, 0, 0, this.length);
    this.bytes = from.bytes;
    from.bytes = bytes;
  }

  uint8(value: number): void {
    this.bytes[this.length++] = value;
  }

  uint16(value: number): void {
    this.bytes[this.length++] = value;
    this.bytes[this.length++] = value >>> 8;
  }

  /** Also for signed values: two's complement. */
  uint32(value: number): void {
    const { bytes, length } = this;
    bytes[length] = value;
    bytes[length + 1] = value >>> 8;
    bytes[length + 2] = value >>> 16;
    bytes[length + 3] = value >>> 24;
    this.length = length + 4;
  }

  uint64(low: number, high: number): void {
    this.uint32(low);
    this.uint32(high);
  }

  /** An integer below 2^53. */
  integer64(value: number): void {
    this.uint64(value >>> 0, Math.floor(value / 4294967296));
  }

  float64(value: number): void {
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  /** LEB128, the encoding of lengths and counts. */
  varint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  /** Raw bytes; the space must have been reserved. */
  copy(source: Buffer, start: number, count: number): void {
    const { bytes, length } = this;
    if (count < SHORT_COPY) {
      for (let i = 0; i < count; i++) bytes[length + i] = source[start + i] as number;
    } else source.copy(bytes, length, start, start + count);
    this.length = length + count;
  }

  zeros(count: number): void {
    this.bytes.fill(0, this.length, this.length + count);
    this.length += count;
  }

  /** Appends everything from `start` again, `times` times. */
  repeat(start: number, times: number): void {
    const end = this.length + (this.length - start) * times;
    this.reserve(end - this.length);
    while (this.length < end) {
      const count = Math.min(this.length - start, end - this.length);
      this.bytes.copyWithin(this.length, start, start + count);
      this.length += count;
    }
  }

  /** Appends encoded values; reserves by itself. */
  encoded(source: Buffer): void {
    this.reserve(source.length);
    this.copy(source, 0, source.length);
  }

  /**
   * A String from protobuf bytes. Protobuf strings must be UTF-8, and some senders break that: invalid bytes become
   * U+FFFD, so that the rest is kept and every answer is valid JSON.
   */
  string(source: Buffer, start: number, count: number): void {
    this.reserve(count + 5);
    const from = this.length;
    this.varint(count);
    if (count >= SHORT_COPY) {
      if (isUtf8(source.subarray(start, start + count))) {
        this.copy(source, start, count);
        return;
      }
    } else {
      const { bytes, length } = this;
      let bits = 0;
      for (let i = 0; i < count; i++) {
        const byte = source[start + i] as number;
        bits |= byte;
        bytes[length + i] = byte;
      }
      this.length = length + count;
      if (bits < 128 || isUtf8(source.subarray(start, start + count))) return;
    }
    this.length = from;
    this.text(source.toString('utf8', start, start + count));
  }

  /** A String from a JavaScript string. */
  text(value: string): void {
    if (value.length >= SHORT_COPY || !this.#shortAscii(value)) this.#anyText(value);
  }

  /** Writes short ASCII text; returns whether it was written. */
  #shortAscii(value: string): boolean {
    const count = value.length;
    this.reserve(count + 1);
    const { bytes } = this;
    let at = this.length + 1;
    let bits = 0;
    for (let i = 0; i < count; i++) {
      const unit = value.charCodeAt(i);
      bits |= unit;
      bytes[at++] = unit;
    }
    if (bits >= 128) return false;
    bytes[this.length] = count;
    this.length = at;
    return true;
  }

  #anyText(value: string): void {
    const count = Buffer.byteLength(value);
    this.reserve(count + 5);
    this.varint(count);
    this.length += this.bytes.write(value, this.length, 'utf8');
  }
}
