import type { RowWriter } from '../row-writer.ts';
import { type Column, Offsets, type PlainColumn } from './column.ts';
import { DictionaryColumn } from './dictionary.ts';

/** Map(LowCardinality(String), …). */
export class MapColumn implements Column {
  readonly type: string;
  readonly #offsets = new Offsets();
  readonly #keys = new DictionaryColumn();
  readonly #values: PlainColumn;
  /** Start of the last row's pairs. */
  #firstPair = 0;
  #firstValue = 0;

  constructor(values: PlainColumn) {
    this.type = `Map(LowCardinality(String), ${values.type})`;
    this.#values = values;
  }

  get rows(): number {
    return this.#offsets.rows;
  }

  get size(): number {
    return this.#offsets.size + this.#keys.size + this.#values.size;
  }

  /** Begins row `row`, whose pairs are then added. */
  open(row: number): void {
    // A row ends at the start of the next, so its end is written then.
    this.#offsets.fill(row, this.#keys.rows);
    this.#firstPair = this.#keys.rows;
    this.#firstValue = this.#values.end;
  }

  /** Adds a pair to the row; its value is then written to the returned writer. */
  pair(source: Buffer, keyStart: number, keyLength: number): RowWriter {
    this.#keys.push(source, keyStart, keyLength);
    return this.#values.next();
  }

  fill(rows: number): void {
    this.#offsets.fill(rows, this.#keys.rows);
  }

  repeat(times: number): void {
    const pairs = this.#keys.rows - this.#firstPair;
    const row = this.#offsets.rows;
    if (pairs === 0) return;
    this.#keys.repeatLast(pairs, times);
    this.#values.repeatFrom(this.#firstValue, pairs, times);
    for (let i = 0; i < times; i++) this.#offsets.fill(row + i + 1, this.#firstPair + pairs * (i + 2));
  }

  mark(): void {
    this.#offsets.mark();
    this.#keys.mark();
    this.#values.mark();
  }

  rollback(): void {
    this.#offsets.rollback();
    this.#keys.rollback();
    this.#values.rollback();
  }

  clear(): void {
    this.#offsets.clear();
    this.#keys.clear();
    this.#values.clear();
  }

  takeRoom(from: this): void {
    this.#offsets.takeRoom(from.#offsets);
    this.#keys.takeRoom(from.#keys);
    this.#values.takeRoom(from.#values);
  }

  writePrefix(out: RowWriter): void {
    this.#keys.writePrefix(out);
  }

  writeValues(out: RowWriter): void {
    this.#offsets.write(out);
    if (this.#keys.rows === 0) return;
    this.#keys.writeValues(out);
    this.#values.writeValues(out);
  }
}

/** Array(…). */
export class ArrayColumn<Elements extends Column> implements Column {
  readonly type: string;
  readonly elements: Elements;
  readonly #offsets = new Offsets();

  constructor(elements: Elements) {
    this.type = `Array(${elements.type})`;
    this.elements = elements;
  }

  get rows(): number {
    return this.#offsets.rows;
  }

  get size(): number {
    return this.#offsets.size + this.elements.size;
  }

  /** Begins row `row` of `count` elements; returns the row of the first one in the column of elements. */
  open(row: number, count: number): number {
    const first = this.#total;
    this.#offsets.fill(row, first);
    this.#total += count;
    return first;
  }

  #total = 0;
  #markedTotal = 0;

  fill(rows: number): void {
    this.#offsets.fill(rows, this.#total);
  }

  repeat(): never {
    throw new Error('lists are not shared by rows');
  }

  mark(): void {
    this.elements.fill(this.#total);
    this.#markedTotal = this.#total;
    this.#offsets.mark();
    this.elements.mark();
  }

  rollback(): void {
    this.#total = this.#markedTotal;
    this.#offsets.rollback();
    this.elements.rollback();
  }

  clear(): void {
    this.#total = 0;
    this.#offsets.clear();
    this.elements.clear();
  }

  takeRoom(from: this): void {
    this.#offsets.takeRoom(from.#offsets);
    this.elements.takeRoom(from.elements);
  }

  writePrefix(out: RowWriter): void {
    this.elements.writePrefix(out);
  }

  writeValues(out: RowWriter): void {
    this.#offsets.write(out);
    if (this.#total === 0) return;
    this.elements.fill(this.#total);
    this.elements.writeValues(out);
  }
}
