const encoder = new TextEncoder();
const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

/**
 * MurmurHash3, x86, 32 bits, of the UTF-8 bytes of a text, as an unsigned integer. Unleash and flagd bucket units by
 * it. Written from the description of the algorithm, which its author placed in the public domain.
 */
export function murmur3(text: string, seed = 0): number {
  const bytes = encoder.encode(text);
  const whole = bytes.length & ~3;
  let hash = seed;
  for (let i = 0; i < whole; i += 4) {
    const word =
      byteAt(bytes, i) | (byteAt(bytes, i + 1) << 8) | (byteAt(bytes, i + 2) << 16) | (byteAt(bytes, i + 3) << 24);
    hash ^= scramble(word);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (whole < bytes.length) {
    // Bytes beyond the end read as zero.
    hash ^= scramble(byteAt(bytes, whole) | (byteAt(bytes, whole + 1) << 8) | (byteAt(bytes, whole + 2) << 16));
  }
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  const mixed = Math.imul(word, C1);
  return Math.imul((mixed << 15) | (mixed >>> 17), C2);
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
