import { TooLarge } from '../scan/outcome.ts';
import { WireError } from '../wire/reader.ts';

/** Up to here a loop over words is faster than a call into the runtime. */
const SHORT_COPY = 64;
/** Bytes that are copied at once; of the last ones of a copy some are too many, and overwritten by what follows. */
const WORD = 4;

/**
 * Unpacks Snappy's block format (github.com/google/snappy, `format_description.txt`): the length of the text as a
 * varint, then literals and copies of earlier output.
 * @param into what to unpack into if it is larger than the text; the result is then a part of it.
 * @throws {WireError} when it is not Snappy, or its length does not match.
 * @throws {TooLarge} before anything is unpacked.
 */
export function unpackSnappy(packed: Buffer, limit: number, into?: Buffer): Buffer {
  const { length, start } = readLength(packed);
  if (length > limit) throw new TooLarge(`the body inflates to more than ${limit} bytes`);
  // A copy of 64 bytes takes two, so a larger length is impossible; do not allocate for it.
  if (length > packed.length * 64) throw broken();
  const room = length + WORD;
  const text = into !== undefined && into.length >= room ? into : Buffer.allocUnsafe(room);
  const words = new DataView(text.buffer, text.byteOffset, room);
  const packedWords = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const end = packed.length;
  let at = 0;
  let from = start;
  while (from < end) {
    const tag = packed[from++] as number;
    const kind = tag & 3;
    let size = (tag >>> 2) + 1;
    if (kind === 0) {
      if (size > 60) {
        const extra = size - 60;
        size = littleEndian(packed, from, extra) + 1;
        from += extra;
      }
      if (from + size > end || at + size > length) throw broken();
      if (size <= SHORT_COPY && from + size + WORD <= end) {
        for (let i = 0; i < size; i += WORD) words.setInt32(at + i, packedWords.getInt32(from + i));
      } else packed.copy(text, at, from, from + size);
      from += size;
      at += size;
      continue;
    }
    let distance: number;
    if (kind === 2) {
      if (from + 2 > end) throw broken();
      distance = (packed[from] as number) | ((packed[from + 1] as number) << 8);
      from += 2;
    } else if (kind === 1) {
      if (from === end) throw broken();
      size = ((tag >>> 2) & 7) + 4;
      distance = ((tag >>> 5) << 8) | (packed[from++] as number);
    } else {
      distance = littleEndian(packed, from, 4);
      from += 4;
    }
    if (distance === 0 || distance > at || at + size > length) throw broken();
    // A copy may overlap its own output, which it then repeats.
    const source = at - distance;
    if (distance >= WORD) {
      for (let i = 0; i < size; i += WORD) words.setInt32(at + i, words.getInt32(source + i));
    } else for (let i = 0; i < size; i++) text[at + i] = text[source + i] as number;
    at += size;
  }
  if (at !== length) throw broken();
  return text.subarray(0, length);
}

function readLength(packed: Buffer): { length: number; start: number } {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    const byte = packed[i];
    if (byte === undefined) throw broken();
    length += (byte & 127) * 128 ** i;
    if (byte < 128) return { length, start: i + 1 };
  }
  throw broken();
}

function littleEndian(packed: Buffer, at: number, width: number): number {
  if (at + width > packed.length) throw broken();
  return packed.readUIntLE(at, width);
}

function broken(): WireError {
  return new WireError('the body is not Snappy in block format');
}

const LITERAL_BYTES = 65_536;

/** Snappy's block format without compression: the length, then literals of at most 64 KiB. */
export function packSnappy(text: Uint8Array): Buffer {
  const head: number[] = [];
  for (let rest = text.length; ; rest = Math.floor(rest / 128)) {
    head.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  const parts: Uint8Array[] = [Buffer.from(head)];
  for (let from = 0; from < text.length; from += LITERAL_BYTES) {
    const literal = text.subarray(from, from + LITERAL_BYTES);
    const less = literal.length - 1;
    // 61 in the tag: the length is in the next two bytes.
    parts.push(Buffer.from([61 << 2, less & 255, less >>> 8]), literal);
  }
  return Buffer.concat(parts);
}
