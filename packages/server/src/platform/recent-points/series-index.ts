const FIRST_SLOTS = 64;
const FREE = -1;

/**
 * Numbers the series of a metric, 0, 1, … in the order in which they come. Ids are hashes, so their low half is a slot. A table of whole numbers
 * takes a fifth of the time of a map of `bigint`.
 */
export class SeriesIndex {
  #lows = new Uint32Array(FIRST_SLOTS);
  #highs = new Uint32Array(FIRST_SLOTS);
  #slots = new Int32Array(2 * FIRST_SLOTS).fill(FREE);
  count = 0;

  /**
   * The number of a series, -1 if it is not known.
   * @param guess a number that is looked at first: points mostly come in the same order of series
   */
  find(low: number, high: number, guess: number): number {
    if (guess < this.count && this.#lows[guess] === low && this.#highs[guess] === high) return guess;
    return this.#slots[this.#slotOf(low, high)] as number;
  }

  /** Adds a series that is not known, and returns its number. */
  add(low: number, high: number): number {
    const index = this.count++;
    if (index === this.#lows.length) {
      this.#lows = larger(this.#lows);
      this.#highs = larger(this.#highs);
      this.#slots = new Int32Array(4 * index).fill(FREE);
      for (let i = 0; i < index; i++) this.#slots[this.#slotOf(this.#lows[i] as number, this.#highs[i] as number)] = i;
    }
    this.#lows[index] = low;
    this.#highs[index] = high;
    this.#slots[this.#slotOf(low, high)] = index;
    return index;
  }

  /** The slot of a series, or the free slot for it. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] as number;
      if (index === FREE || (this.#lows[index] === low && this.#highs[index] === high)) return slot;
    }
  }
}

function larger(old: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const array = new Uint32Array(old.length * 2);
  array.set(old);
  return array;
}
