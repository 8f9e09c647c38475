import { KeyTable, larger, NO_KEY } from './key-table.ts';

/**
 * Ids of series by the bytes of their attributes and by the hash of all that stands before these (project, environment,
 * metric, resource, scope), so that a series that is exported again costs a comparison. Forgetting is harmless.
 */
export class Fingerprints {
  readonly #table = new KeyTable();
  low = new Int32Array(this.#table.capacity);
  high = new Int32Array(this.#table.capacity);
  /** Where the description of the series was seen to be known last: a partition. */
  describedIn = new Float64Array(this.#table.capacity);
  #last = NO_KEY;
  #generation = 0;

  /** The number of the series, which then comes after the one that was asked for before; {@link NO_KEY} for a new one. */
  find(ownerLow: number, ownerHigh: number, words: DataView, start: number, end: number): number {
    const table = this.#table;
    const expected = table.after(this.#last);
    const isExpected = expected !== NO_KEY && table.isKey(expected, ownerLow, ownerHigh, words, start, end);
    const index = isExpected ? expected : table.find(ownerLow, ownerHigh, words, start, end);
    if (index === NO_KEY) return NO_KEY;
    if (!isExpected) table.follow(this.#last, index);
    this.#last = index;
    return index;
  }

  /** Remembers a series that was not found. */
  add(
    ownerLow: number,
    ownerHigh: number,
    bytes: Buffer,
    words: DataView,
    range: { readonly attributesStart: number; readonly attributesEnd: number },
    low: number,
    high: number,
  ): number {
    const { attributesStart: start, attributesEnd: end } = range;
    const table = this.#table;
    if (table.isFull(end - start)) {
      table.forget();
      this.#last = NO_KEY;
    }
    const index = table.add(ownerLow, ownerHigh, bytes, words, start, end);
    if (table.capacity > this.low.length) {
      this.low = larger(this.low, table.capacity);
      this.high = larger(this.high, table.capacity);
      const described = this.describedIn;
      this.describedIn = new Float64Array(table.capacity);
      this.describedIn.set(described);
    }
    this.low[index] = low;
    this.high[index] = high;
    this.describedIn[index] = 0;
    table.follow(this.#last, index);
    this.#last = index;
    return index;
  }

  /** @param generation of the cache that knows which series are described; it has forgotten them when it is another one. */
  describedSince(generation: number): void {
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.describedIn.fill(0);
  }
}
