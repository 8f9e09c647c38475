import { randomBytes } from 'node:crypto';

const maxBorrowedMs = 100;
let lastMs = -1;
let sequence = 0;

/**
 * UUIDv7 (RFC 9562, section 6.2, method 1): ordered by time, and within a millisecond by a counter of 12 bits that
 * starts in its lower half, so that rows are in order of creation.
 */
export function newId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  // Never goes back behind a borrowed millisecond.
  let ms = nowMs < lastMs && lastMs - nowMs <= maxBorrowedMs ? lastMs : nowMs;
  sequence = ms === lastMs ? sequence + 1 : bytes.readUInt16BE(6) & 0x7ff;
  if (sequence > 0xfff) {
    // More than two thousand in one millisecond: borrow the next.
    ms += 1;
    sequence = 0;
  }
  lastMs = ms;
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a path parameter is a well-formed id. Anything else is looked up as a slug or returns 404, never a database
 * error.
 */
export function isId(text: string): boolean {
  return uuid.test(text);
}
