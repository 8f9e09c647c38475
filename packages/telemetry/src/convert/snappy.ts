import { TooLarge } from '../scan/outcome.ts';
import { WireError } from '../wire/reader.ts';

/**
 * Unpacks Snappy's block format (github.com/google/snappy, `format_description.txt`): the length of the text as a
 * varint, then literals and copies of what came before.
 * @throws {WireError} when it is not Snappy, or of another length than it says.
 * @throws {TooLarge} before anything is unpacked.
 */
export function unpackSnappy(packed: Buffer, limit: number): Buffer {
  const { length, start } = readLength(packed);
  if (length > limit) throw new TooLarge(`the body inflates to more than ${limit} bytes`);
  // A copy of 64 bytes takes two: whatever claims to be more is not even worth the memory.
  if (length > packed.length * 64) throw broken();
  const text = Buffer.allocUnsafe(length);
  let at = 0;
  let from = start;
  while (from < packed.length) {
    const tag = packed[from++] as number;
    const kind = tag & 3;
    if (kind === 0) {
      let size = (tag >>> 2) + 1;
      if (size > 60) {
        const extra = size - 60;
        size = littleEndian(packed, from, extra) + 1;
        from += extra;
      }
      if (from + size > packed.length || at + size > length) throw broken();
      packed.copy(text, at, from, from + size);
      from += size;
      at += size;
      continue;
    }
    const size = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const width = kind === 3 ? 4 : kind;
    const distance = (kind === 1 ? (tag >>> 5) * 256 : 0) + littleEndian(packed, from, width);
    from += width;
    if (distance === 0 || distance > at || at + size > length) throw broken();
    // A copy may run into what it writes itself, and repeats it then.
    if (distance >= size) text.copyWithin(at, at - distance, at - distance + size);
    else for (let i = 0; i < size; i++) text[at + i] = text[at + i - distance] as number;
    at += size;
  }
  if (at !== length) throw broken();
  return text;
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
