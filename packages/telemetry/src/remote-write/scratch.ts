import { unpackSnappy } from '../convert/snappy.ts';

const FIRST_BYTES = 64 * 1024;
/** What is larger is not kept. */
const KEPT_BYTES = 4 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(FIRST_BYTES);

/**
 * Unpacks Snappy into memory that the next call uses again: fresh memory costs a page fault for every 4 KiB.
 * @throws {WireError | TooLarge}
 */
export function unpackScratch(packed: Buffer, limit = Number.MAX_SAFE_INTEGER): Buffer {
  const text = unpackSnappy(packed, limit, scratch);
  if (text.buffer !== scratch.buffer && text.length * 2 <= KEPT_BYTES)
    scratch = Buffer.allocUnsafeSlow(text.length * 2);
  return text;
}
