import { createHash } from 'node:crypto';

/** Above this length, the native digest is faster. */
const shortBytes = 1_024;

/**
 * A short text that differs where the bytes differ, for entity tags. It is no protection: somebody who finds two
 * contexts with the same one gets "not modified" for an answer of their own. Short bodies are hashed here, two lanes of
 * 32 bits with the constants and the final mixing of MurmurHash3, since a digest of `node:crypto` costs more than
 * evaluating the flags.
 */
export function fingerprint(bytes: Uint8Array): string {
  if (bytes.length > shortBytes) return createHash('sha1').update(bytes).digest('base64url');
  let a = bytes.length ^ 0x9747b28c;
  let b = 0x1b873593;
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x85ebca6b);
    b = Math.imul(b ^ byte, 0xc2b2ae35);
    a ^= b >>> 13;
    b ^= a >>> 16;
  }
  return `${mixed(a ^ (b >>> 16)).toString(36)}${mixed(b ^ (a >>> 13)).toString(36)}`;
}

function mixed(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
