import { randomBytes } from 'node:crypto';

/** Keys that a table remembers, and the bytes that they may take. */
const MAX_KEYS = 131_072;
const MAX_BYTES = 16 * 1024 * 1024;
const FIRST_KEYS = 1024;
const FIRST_BYTES = 16 * 1024;
/** A key that finds no slot within so many is not found again: keys may be chosen so that they meet. */
const MAX_PROBES = 32;
/** No number of a key. */
export const NO_KEY = -1;
const seed = randomBytes(4).readInt32LE();

/** Where a key is. */
export interface KeyRange {
  words: DataView;
  start: number;
  end: number;
}

/**
 * Numbers for keys: bytes with an owner of 64 bits. Bounded: {@link KeyTable.isFull} tells when it has to forget, after
 * which numbers begin again. Keys mostly come in the same order, so each knows which one came after it.
 */
export class KeyTable {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #words = wordsOf(this.#bytes);
  #length = 0;
  #count = 0;
  #start = new Int32Array(FIRST_KEYS);
  #end = new Int32Array(FIRST_KEYS);
  #ownerLow = new Int32Array(FIRST_KEYS);
  #ownerHigh = new Int32Array(FIRST_KEYS);
  #hashes = new Int32Array(FIRST_KEYS);
  #next = new Int32Array(FIRST_KEYS);
  #slots = new Int32Array(FIRST_KEYS * 2).fill(NO_KEY);
  readonly #range: KeyRange = { words: this.#words, start: 0, end: 0 };

  /** Numbers are below this; what is kept by number grows with it. */
  get capacity(): number {
    return this.#start.length;
  }

  /** The number of a key, or {@link NO_KEY}. */
  find(ownerLow: number, ownerHigh: number, words: DataView, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    const hash = hashOf(ownerLow, ownerHigh, words, start, end);
    for (let probe = 0, slot = hash & mask; probe < MAX_PROBES; probe++, slot = (slot + 1) & mask) {
      const index = this.#slots[slot] as number;
      if (index === NO_KEY) return NO_KEY;
      if (this.#hashes[index] === hash && this.isKey(index, ownerLow, ownerHigh, words, start, end)) return index;
    }
    return NO_KEY;
  }

  isKey(index: number, ownerLow: number, ownerHigh: number, words: DataView, start: number, end: number): boolean {
    const from = this.#start[index] as number;
    return (
      this.#ownerLow[index] === ownerLow &&
      this.#ownerHigh[index] === ownerHigh &&
      (this.#end[index] as number) - from === end - start &&
      isSame(words, start, this.#words, from, end - start)
    );
  }

  /** Whether a key of so many bytes more is too much. */
  isFull(bytes: number): boolean {
    return this.#count === MAX_KEYS || this.#length + bytes > MAX_BYTES;
  }

  forget(): void {
    this.#count = this.#length = 0;
    this.#slots.fill(NO_KEY);
  }

  /** Gives a new key its number. */
  add(ownerLow: number, ownerHigh: number, key: Buffer, words: DataView, start: number, end: number): number {
    if (this.#count === this.#start.length) this.#grow();
    const index = this.#count++;
    this.#start[index] = this.#length;
    this.#copy(key, start, end);
    this.#end[index] = this.#length;
    this.#ownerLow[index] = ownerLow;
    this.#ownerHigh[index] = ownerHigh;
    this.#hashes[index] = hashOf(ownerLow, ownerHigh, words, start, end);
    this.#next[index] = NO_KEY;
    this.#place(index);
    return index;
  }

  /** The number of the key that came after this one the last time, or {@link NO_KEY}. */
  after(index: number): number {
    return index === NO_KEY ? NO_KEY : (this.#next[index] as number);
  }

  follow(before: number, index: number): void {
    if (before !== NO_KEY) this.#next[before] = index;
  }

  /** Where the key is; valid until the next call. */
  rangeOf(index: number): KeyRange {
    this.#range.words = this.#words;
    this.#range.start = this.#start[index] as number;
    this.#range.end = this.#end[index] as number;
    return this.#range;
  }

  #copy(key: Buffer, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, length));
      this.#bytes.copy(bytes, 0, 0, this.#length);
      this.#bytes = bytes;
      this.#words = wordsOf(bytes);
    }
    key.copy(this.#bytes, this.#length, start, end);
    this.#length = length;
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[index] as number) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & mask) {
      if (this.#slots[slot] !== NO_KEY) continue;
      this.#slots[slot] = index;
      return;
    }
  }

  #grow(): void {
    const size = this.capacity * 2;
    this.#start = larger(this.#start, size);
    this.#end = larger(this.#end, size);
    this.#ownerLow = larger(this.#ownerLow, size);
    this.#ownerHigh = larger(this.#ownerHigh, size);
    this.#hashes = larger(this.#hashes, size);
    this.#next = larger(this.#next, size);
    this.#slots = new Int32Array(size * 2).fill(NO_KEY);
    for (let index = 0; index < this.#count; index++) this.#place(index);
  }
}

export function larger(old: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const array = new Int32Array(size);
  array.set(old);
  return array;
}

/** A view of the same memory that reads words. */
export function wordsOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

export function isSame(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  // Keys of neighbours often begin alike: the end tells them apart sooner.
  let left = length;
  for (; left >= 4; left -= 4) {
    if (a.getInt32(aStart + left - 4) !== b.getInt32(bStart + left - 4)) return false;
  }
  for (; left > 0; left--) if (a.getUint8(aStart + left - 1) !== b.getUint8(bStart + left - 1)) return false;
  return true;
}

/** MurmurHash3 (x86, 32 bit) with a seed of this process. */
function hashOf(ownerLow: number, ownerHigh: number, words: DataView, start: number, end: number): number {
  let hash = mix(mix(seed, ownerLow), ownerHigh);
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mix(hash, words.getInt32(at));
  let tail = 0;
  for (let shift = 0; at < end; at++, shift += 8) tail |= words.getUint8(at) << shift;
  hash = mix(hash, tail) ^ (end - start);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mix(hash: number, word: number): number {
  const k = Math.imul(word, 0xcc9e2d51);
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}
