import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { RowWriter } from '../row-writer.ts';
import { type Column, FIRST_BYTES } from './column.ts';

/** `SerializationLowCardinality`: dictionaries of this block only, without a shared one. */
const KEYS_VERSION = 1;
const HAS_ADDITIONAL_KEYS = 1 << 9;
const NO_INDEX = -1;
const NOTHING = Buffer.alloc(0);
const FIRST_SLOTS = 64;
/** Dictionaries that were begun so far. */
let generations = 0;
/** Random, so that nobody can choose names that collide in one slot. */
const seed = randomBytes(4).readInt32LE();

/** LowCardinality(String): each distinct text once, and an index per row. */
export class DictionaryColumn implements Column {
  readonly type = 'LowCardinality(String)';
  /** The texts as Strings, in order of arrival; the first one is empty, the default. */
  readonly #texts = new RowWriter(Buffer.allocUnsafeSlow(FIRST_BYTES));
  #starts = new Int32Array(FIRST_SLOTS);
  #lengths = new Int32Array(FIRST_SLOTS);
  /** The text that followed this one last time, since attributes mostly come in the same order. */
  #followers = new Int32Array(FIRST_SLOTS);
  #count = 0;
  #slots = new Int32Array(2 * FIRST_SLOTS);
  #indexes = new Int32Array(FIRST_SLOTS);
  #rows = 0;
  #last = 0;
  #markedRows = 0;
  #generation = 0;

  constructor() {
    this.clear();
  }

  get rows(): number {
    return this.#rows;
  }

  get size(): number {
    return this.#texts.length + this.#rows * (this.#count > 256 ? 2 : 1);
  }

  at(row: number, source: Buffer, start: number, length: number): void {
    if (this.#rows < row) this.fill(row);
    this.push(source, start, length);
  }

  /** Appends a row with the text in this range. */
  push(source: Buffer, start: number, length: number): void {
    this.#pushIndex(this.#find(source, start, length));
  }

  /** Another number where {@link DictionaryColumn.indexOf} counts in another dictionary, also in that of another column. */
  get generation(): number {
    return this.#generation;
  }

  /** The number of a text, for rows that {@link DictionaryColumn.atIndex} writes. */
  indexOf(source: Buffer, start: number, length: number): number {
    return this.#find(source, start, length);
  }

  atIndex(row: number, index: number): void {
    if (this.#rows < row) this.fill(row);
    this.#pushIndex(index);
  }

  #pushIndex(index: number): void {
    if (this.#rows === this.#indexes.length) this.#growIndexes(this.#rows + 1);
    this.#indexes[this.#rows++] = index;
  }

  fill(rows: number): void {
    if (rows <= this.#rows) return;
    if (rows > this.#indexes.length) this.#growIndexes(rows);
    this.#indexes.fill(0, this.#rows, rows);
    this.#rows = rows;
  }

  repeat(times: number): void {
    this.repeatLast(1, times);
  }

  /** Appends the `rows` last rows `times` more times. */
  repeatLast(rows: number, times: number): void {
    const end = this.#rows + rows * times;
    if (end > this.#indexes.length) this.#growIndexes(end);
    const from = this.#rows - rows;
    if (rows === 1) this.#indexes.fill(this.#indexes[from] as number, this.#rows, end);
    else for (let at = this.#rows; at < end; at += rows) this.#indexes.copyWithin(at, from, from + rows);
    this.#rows = end;
  }

  mark(): void {
    this.#markedRows = this.#rows;
  }

  /** New texts stay in the dictionary, where they are harmless. */
  rollback(): void {
    this.#rows = this.#markedRows;
  }

  clear(): void {
    this.#generation = ++generations;
    this.#rows = this.#last = this.#count = this.#texts.length = 0;
    this.#slots.fill(NO_INDEX);
    this.#add(NOTHING, 0, 0, this.#slotOf(hashOf(NOTHING, 0, 0), NOTHING, 0, 0));
  }

  /** Of what grows with rows and texts; the tables that find texts stay. The empty text is the first one of both. */
  takeRoom(from: this): void {
    this.#texts.takeRoom(from.#texts);
    if (from.#indexes.length <= this.#indexes.length) return;
    const indexes = this.#indexes;
    from.#indexes.set(indexes.subarray(0, this.#rows));
    this.#indexes = from.#indexes;
    from.#indexes = indexes;
  }

  writePrefix(out: RowWriter): void {
    out.reserve(8);
    out.uint64(KEYS_VERSION, 0);
  }

  writeValues(out: RowWriter): void {
    const width = this.#count <= 1 << 8 ? 0 : this.#count <= 1 << 16 ? 1 : 2;
    out.reserve(24 + this.#texts.length + (this.#rows << width));
    out.uint64(HAS_ADDITIONAL_KEYS | width, 0);
    out.integer64(this.#count);
    out.copy(this.#texts.bytes, 0, this.#texts.length);
    out.integer64(this.#rows);
    const { bytes } = out;
    let at = out.length;
    for (let row = 0; row < this.#rows; row++) {
      const index = this.#indexes[row] as number;
      bytes[at++] = index;
      if (width > 0) bytes[at++] = index >>> 8;
      if (width === 2) {
        bytes[at++] = index >>> 16;
        bytes[at++] = index >>> 24;
      }
    }
    out.length = at;
  }

  #find(source: Buffer, start: number, length: number): number {
    const guess = this.#followers[this.#last] as number;
    if (this.#isAt(guess, source, start, length)) {
      this.#last = guess;
      return guess;
    }
    const slot = this.#slotOf(hashOf(source, start, length), source, start, length);
    const known = this.#slots[slot] as number;
    const index = known === NO_INDEX ? this.#addText(source, start, length, slot) : known;
    this.#followers[this.#last] = index;
    this.#last = index;
    return index;
  }

  /** The slot of this text, or the free slot for it. */
  #slotOf(hash: number, source: Buffer, start: number, length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const index = this.#slots[slot] as number;
      if (index === NO_INDEX || this.#isAt(index, source, start, length)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isAt(index: number, source: Buffer, start: number, length: number): boolean {
    if (this.#lengths[index] !== length) return false;
    const { bytes } = this.#texts;
    const at = this.#starts[index] as number;
    // Names of equal length often share a prefix, so compare from the end.
    for (let i = length - 1; i >= 0; i--) if (bytes[at + i] !== source[start + i]) return false;
    return true;
  }

  #addText(source: Buffer, start: number, length: number, slot: number): number {
    if (isUtf8(source.subarray(start, start + length))) return this.#add(source, start, length, slot);
    const text = Buffer.from(source.toString('utf8', start, start + length));
    const other = this.#slotOf(hashOf(text, 0, text.length), text, 0, text.length);
    const known = this.#slots[other] as number;
    return known === NO_INDEX ? this.#add(text, 0, text.length, other) : known;
  }

  #add(source: Buffer, start: number, length: number, slot: number): number {
    const index = this.#count++;
    if (index === this.#starts.length) {
      this.#starts = larger(this.#starts, index * 2);
      this.#lengths = larger(this.#lengths, index * 2);
      this.#followers = larger(this.#followers, index * 2);
    }
    const texts = this.#texts;
    texts.reserve(length + 5);
    texts.varint(length);
    this.#starts[index] = texts.length;
    this.#lengths[index] = length;
    this.#followers[index] = 0;
    texts.copy(source, start, length);
    this.#slots[slot] = index;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(NO_INDEX);
    const { bytes } = this.#texts;
    for (let index = 0; index < this.#count; index++) {
      const start = this.#starts[index] as number;
      const length = this.#lengths[index] as number;
      this.#slots[this.#slotOf(hashOf(bytes, start, length), bytes, start, length)] = index;
    }
  }

  #growIndexes(needed: number): void {
    this.#indexes = larger(this.#indexes, Math.max(needed, this.#indexes.length * 2));
  }
}

function larger(old: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const array = new Int32Array(length);
  array.set(old);
  return array;
}

/** FNV-1a with a seed, its high bits mixed into the low ones. */
function hashOf(source: Buffer, start: number, length: number): number {
  let hash = seed ^ length;
  for (let at = start; at < start + length; at++) hash = Math.imul(hash ^ (source[at] as number), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca6b) >>> 7;
}
