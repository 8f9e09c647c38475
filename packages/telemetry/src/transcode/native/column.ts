import { RowWriter } from '../row-writer.ts';

/**
 * A column of a block in ClickHouse's Native format (`src/DataTypes/Serializations`). Rows with the default of their
 * type (zero, empty text, an empty list) need not be written: they are filled in with a later row or at the end, so an
 * unused column costs nothing per row.
 */
export interface Column {
  /** As ClickHouse spells it. */
  readonly type: string;
  /** Rows so far, without pending defaults. */
  readonly rows: number;
  /** Approximate size in bytes. */
  readonly size: number;
  /** Whether it follows from other columns: see {@link BlockLimits.countsDerived}. */
  readonly isDerived?: true;
  /**
   * Was added after the first release: a block in which no row has a value lacks it, and it never counts towards the bytes of a block, so that
   * segments of before are divided as before.
   */
  readonly isLater?: true;
  /** Fills in defaults up to `rows`. */
  fill(rows: number): void;
  /** Appends the last row `times` more times. */
  repeat(times: number): void;
  /** Sets the point for a rollback; only one at a time. */
  mark(): void;
  rollback(): void;
  clear(): void;
  /**
   * Exchanges memory with an empty column of the same type, where that column has more. So one column that is being filled and one that
   * was written do not both have the memory of a whole block.
   */
  takeRoom(from: this): void;
  /** The prefix before the values, over all nested columns. */
  writePrefix(out: RowWriter): void;
  /** The values of all rows. */
  writeValues(out: RowWriter): void;
}

/** Most columns are never written; buffers of the others grow and are reused. */
export const FIRST_BYTES = 1024;

/** Numbers of a fixed width, bytes of a fixed length, or text: values encoded as in RowBinary, one after the other. */
export class PlainColumn implements Column {
  readonly type: string;
  readonly #width: number;
  readonly #values = new RowWriter(Buffer.allocUnsafeSlow(FIRST_BYTES));
  #rows = 0;
  /** Start of the last row. */
  #last = 0;
  #markedRows = 0;
  #markedLength = 0;

  /** @param width bytes of a default, all of them zero: 1 for text. */
  constructor(type: string, width: number) {
    this.type = type;
    this.#width = width;
  }

  get rows(): number {
    return this.#rows;
  }

  get size(): number {
    return this.#values.length;
  }

  /** Begins row `row`. Its value is then written to the returned writer, which has reserved the width of a default. */
  at(row: number): RowWriter {
    if (this.#rows < row) this.fill(row);
    return this.next();
  }

  /** Begins the row after the last one. */
  next(): RowWriter {
    const values = this.#values;
    this.#rows++;
    this.#last = values.length;
    values.reserve(this.#width);
    return values;
  }

  fill(rows: number): void {
    const count = (rows - this.#rows) * this.#width;
    if (count <= 0) return;
    this.#values.reserve(count);
    this.#values.zeros(count);
    this.#rows = rows;
    this.#last = this.#values.length - this.#width;
  }

  repeat(times: number): void {
    const length = this.#values.length - this.#last;
    this.repeatFrom(this.#last, 1, times);
    this.#last = this.#values.length - length;
  }

  /** Start of the next row. */
  get end(): number {
    return this.#values.length;
  }

  /** Appends the `rows` last rows, which begin at `start`, `times` more times. */
  repeatFrom(start: number, rows: number, times: number): void {
    this.#values.repeat(start, times);
    this.#rows += rows * times;
  }

  mark(): void {
    this.#markedRows = this.#rows;
    this.#markedLength = this.#values.length;
  }

  rollback(): void {
    this.#rows = this.#markedRows;
    this.#values.length = this.#markedLength;
  }

  clear(): void {
    this.#rows = this.#last = this.#values.length = 0;
  }

  takeRoom(from: this): void {
    this.#values.takeRoom(from.#values);
  }

  writePrefix(): void {}

  writeValues(out: RowWriter): void {
    out.reserve(this.#values.length);
    out.copy(this.#values.bytes, 0, this.#values.length);
  }
}

/** Running totals: the end of each row's elements. */
export class Offsets {
  readonly #ends = new RowWriter(Buffer.allocUnsafeSlow(FIRST_BYTES));
  #rows = 0;
  #markedRows = 0;

  get rows(): number {
    return this.#rows;
  }

  get size(): number {
    return this.#ends.length;
  }

  /** Ends every open row up to `rows` at `total`. */
  fill(rows: number, total: number): void {
    const missing = rows - this.#rows;
    if (missing <= 0) return;
    this.#ends.reserve(8 * missing);
    this.#ends.integer64(total);
    this.#ends.repeat(this.#ends.length - 8, missing - 1);
    this.#rows = rows;
  }

  mark(): void {
    this.#markedRows = this.#rows;
  }

  rollback(): void {
    this.#rows = this.#markedRows;
    this.#ends.length = this.#rows * 8;
  }

  clear(): void {
    this.#rows = this.#ends.length = 0;
  }

  takeRoom(from: Offsets): void {
    this.#ends.takeRoom(from.#ends);
  }

  write(out: RowWriter): void {
    out.reserve(this.#ends.length);
    out.copy(this.#ends.bytes, 0, this.#ends.length);
  }
}

export type Columns = Readonly<Record<string, Column>>;
