/** The bytes are not protobuf, so the whole body is rejected. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WireError';
  }
}

/** Tags are `field number << 3 | wire type` (protobuf encoding guide, "Message Structure"). */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;
export const FIXED32 = 5;

/**
 * A cursor over protobuf bytes. It reads only what the scan and the transcoders need: at 10 million spans a second
 * there is no time for objects. Reads may run past the end of the current message; the loop over its fields detects
 * this with {@link WireReader.finish}, and lengths are checked when they are read.
 */
export class WireReader {
  readonly bytes: Buffer;
  position: number;
  /** The halves of the last {@link WireReader.int64}, as signed 32-bit integers. */
  low = 0;
  high = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.position = 0;
  }

  /** The next tag. Groups (wire types 3 and 4) occur in no OTLP message and are rejected. */
  tag(): number {
    const tag = this.varint();
    const type = tag & 7;
    if (tag < 8 || tag > 0xffffffff) throw new WireError('field number out of range');
    if (type !== VARINT && type !== LENGTH && type !== FIXED64 && type !== FIXED32) {
      throw new WireError(`wire type ${type}`);
    }
    return tag;
  }

  /** An unsigned varint; exact below 2^53. */
  varint(): number {
    const byte = this.bytes[this.position];
    if (byte !== undefined && byte < 128) {
      this.position++;
      return byte;
    }
    return this.#longVarint();
  }

  #longVarint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw new WireError('the body ends within a number');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new WireError('a number is longer than ten bytes');
  }

  /** A varint as two's complement of 64 bits, into `low` and `high`. */
  int64(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw new WireError('the body ends within a number');
      const bits = byte & 127;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high |= bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 128) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    throw new WireError('a number is longer than ten bytes');
  }

  /** Reads a length and returns where that field ends. */
  enter(end: number): number {
    const stop = this.varint() + this.position;
    if (stop > end) throw new WireError('a field is longer than its message');
    return stop;
  }

  /** Skips the value of a field. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case VARINT:
        this.#skipVarint();
        break;
      case FIXED64:
        this.position += 8;
        break;
      case FIXED32:
        this.position += 4;
        break;
      default:
        this.position = this.enter(end);
    }
  }

  #skipVarint(): void {
    const start = this.position;
    for (;;) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw new WireError('the body ends within a number');
      if (byte < 128) return;
      if (this.position - start >= 10) throw new WireError('a number is longer than ten bytes');
    }
  }

  /** After the last field of a message: it must have ended exactly where its length said. */
  finish(end: number): void {
    if (this.position !== end) throw new WireError('a field is longer than its message');
  }
}

/** The unsigned 32 bits at `at`, little-endian. Faster than `readUInt32LE`, whose bounds were checked before. */
export function uint32At(bytes: Buffer, at: number): number {
  return int32At(bytes, at) >>> 0;
}

export function int32At(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** Whole milliseconds of the nanoseconds (fixed64) at `at`, exact: a plain division would round up near the next one. */
export function millisAt(bytes: Buffer, at: number): number {
  const high = uint32At(bytes, at + 4);
  const rest = (high % 1e6) * 4294967296 + uint32At(bytes, at);
  return Math.floor(high / 1e6) * 4294967296 + (rest - (rest % 1e6)) / 1e6;
}

/** What {@link millisAt} has left: the nanoseconds after `millis`. They are fewer than 2^32, so the lower halves are enough. */
export function nanosAfter(bytes: Buffer, at: number, millis: number): number {
  return (int32At(bytes, at) - Math.imul(millis, 1_000_000)) >>> 0;
}

/** Whether every byte in the range is zero: OpenTelemetry's "invalid id". */
export function isZero(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0) return false;
  return true;
}
