/**
 * SHA-1 (FIPS 180-4) for one purpose: the first 60 bits of the digest of a constant prefix and a short text, on the
 * hot path, synchronously, in Node and browsers alike. `node:crypto` takes 3 to 4 times as long for strings of this
 * length, most of it for the hash object and the crossing into C++ (`bench/flags/engine.ts` has the figures).
 *
 * The module's scratch arrays are safe because nothing here is asynchronous or calls back.
 */

/** The digest's state after a constant prefix, so that only the rest is hashed. */
export interface HashPrefix {
  /** State after the prefix's complete blocks. */
  readonly state: Int32Array;
  /** The prefix's last, partial block as big-endian words. */
  readonly tail: Int32Array;
  /** Length of the prefix in bytes. */
  readonly length: number;
}

const words = new Int32Array(80);
const state = new Int32Array(5);
const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
const encoder = new TextEncoder();

export function hashPrefix(prefix: string): HashPrefix {
  state.set(INITIAL);
  words.fill(0, 0, 16);
  const length = absorbBytes(encoder.encode(prefix), 0);
  return { state: state.slice(), tail: words.slice(0, 16), length };
}

/** The first 60 bits of SHA-1 over the UTF-8 bytes of prefix and text, as a fraction of 2^60 (rounded to a double). */
export function hashFraction(prefix: HashPrefix, text: string): number {
  // Loops, not TypedArray.set: for so few elements the call costs more than the copy.
  for (let i = 0; i < 5; i++) state[i] = prefix.state[i] ?? 0;
  for (let i = 0; i < 16; i++) words[i] = prefix.tail[i] ?? 0;
  finish(absorbText(text, prefix.length));
  // 15 hex digits are h0 and the upper 28 bits of h1. The sum rounds once, as parseInt of the digits does.
  return ((stateAt(0) >>> 0) * 0x10000000 + (stateAt(1) >>> 4)) / 0x1000000000000000;
}

/** Adds text that begins at byte `position` of the message; returns the message's length in bytes. */
function absorbText(text: string, position: number): number {
  let end = position;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // From the first non-ASCII character on, the platform's encoder handles the rest; it also replaces lone surrogates,
    // as Node does. This cannot split a surrogate pair, since everything before is ASCII.
    if (code >= 0x80) return absorbBytes(encoder.encode(text.slice(i)), end);
    end = absorbByte(code, end);
  }
  return end;
}

function absorbBytes(bytes: Uint8Array, position: number): number {
  let end = position;
  for (const byte of bytes) end = absorbByte(byte, end);
  return end;
}

function absorbByte(byte: number, position: number): number {
  const index = (position >> 2) & 15;
  words[index] = (words[index] ?? 0) | (byte << (24 - ((position & 3) << 3)));
  const end = position + 1;
  if ((end & 63) === 0) takeBlock();
  return end;
}

/** Pads a message of `length` bytes and processes its last block. */
function finish(length: number): void {
  const index = (length >> 2) & 15;
  words[index] = (words[index] ?? 0) | (0x80 << (24 - ((length & 3) << 3)));
  if ((length & 63) >= 56) takeBlock();
  words[14] = Math.floor(length / 0x20000000);
  words[15] = length << 3;
  compress();
}

function takeBlock(): void {
  compress();
  words.fill(0, 0, 16);
}

function stateAt(index: number): number {
  return state[index] ?? 0;
}

/**
 * One loop for each of the standard's four functions: V8 compiles a choice in every round to slower code. What does not depend on the
 * round before is added first, so that each waits for a rotation and one sum only.
 */
function compress(): void {
  const w = words;
  for (let t = 16; t < 80; t++) {
    const x = (w[t - 3] ?? 0) ^ (w[t - 8] ?? 0) ^ (w[t - 14] ?? 0) ^ (w[t - 16] ?? 0);
    w[t] = (x << 1) | (x >>> 31);
  }
  let a = stateAt(0);
  let b = stateAt(1);
  let c = stateAt(2);
  let d = stateAt(3);
  let e = stateAt(4);
  let next: number;
  let t = 0;
  for (; t < 20; t++) {
    next = (((a << 5) | (a >>> 27)) + (((d ^ (b & (c ^ d))) + e + 0x5a827999 + (w[t] ?? 0)) | 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (; t < 40; t++) {
    next = (((a << 5) | (a >>> 27)) + (((b ^ c ^ d) + e + 0x6ed9eba1 + (w[t] ?? 0)) | 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (; t < 60; t++) {
    next = (((a << 5) | (a >>> 27)) + ((((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + (w[t] ?? 0)) | 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (; t < 80; t++) {
    next = (((a << 5) | (a >>> 27)) + (((b ^ c ^ d) + e + 0xca62c1d6 + (w[t] ?? 0)) | 0)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = stateAt(0) + a;
  state[1] = stateAt(1) + b;
  state[2] = stateAt(2) + c;
  state[3] = stateAt(3) + d;
  state[4] = stateAt(4) + e;
}
