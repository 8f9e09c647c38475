import { CompensatedSum } from '../numbers.ts';
import { add, combinedReset, divide } from './arithmetic.ts';
import { usesCustomBuckets } from './bounds.ts';
import { bucketsOf, compacted } from './buckets.ts';
import type { Buckets, CounterReset, NativeHistogram } from './native-histogram.ts';
import { haveSameBounds, reconciled } from './reconcile.ts';

/** A compensated sum of each bucket. */
type Cells = Map<number, CompensatedSum>;

/** The sum or average of histograms, each number of which is compensated as a float's would be. */
export class HistogramSum {
  #layout: NativeHistogram;
  #counterReset: CounterReset;
  #positive: Cells;
  #negative: Cells;
  readonly #count = new CompensatedSum();
  readonly #sum = new CompensatedSum();
  #zero = new CompensatedSum();
  /** Set where the plain sum would be infinite: the average of what was added so far. */
  #mean: NativeHistogram | undefined;
  #added = 1;
  /** Custom bounds differed. */
  changedBounds = false;
  #resets = new Set<CounterReset>();

  constructor(first: NativeHistogram) {
    this.#layout = first;
    this.#counterReset = first.counterReset;
    this.#positive = cellsOf(first.positive);
    this.#negative = cellsOf(first.negative);
    this.#count.total = first.count;
    this.#sum.total = first.sum;
    this.#zero.total = first.zeroCount;
    this.#resets.add(first.counterReset);
  }

  /** One histogram knew of a reset, and another that there was none. */
  get collision(): boolean {
    return this.#resets.has('reset') && this.#resets.has('not-reset');
  }

  /** @returns false where its buckets are exponential and those so far are custom ones, or the reverse */
  add(histogram: NativeHistogram): boolean {
    this.#resets.add(histogram.counterReset);
    if (this.#mean !== undefined) return this.#addToMean(histogram);
    const both = hasLayout(histogram, this.#layout)
      ? { a: this.#layout, b: histogram, changedBounds: false }
      : reconciled(this.#current(), histogram);
    if (both === undefined) return false;
    if (this.#overflowsWith(both.b)) {
      this.#mean = divide(this.#current(), this.#added);
      return this.#addToMean(histogram);
    }
    this.#added++;
    this.changedBounds ||= both.changedBounds;
    if (both.a !== this.#layout) this.#relayout(both.a);
    this.#counterReset = combinedReset(this.#counterReset, histogram.counterReset).counterReset;
    this.#count.add(histogram.count);
    this.#sum.add(histogram.sum);
    if (!usesCustomBuckets(histogram)) this.#zero.add(both.b.zeroCount);
    addTo(this.#positive, both.b.positive);
    addTo(this.#negative, both.b.negative);
    return true;
  }

  sum(): NativeHistogram {
    return this.#current();
  }

  average(): NativeHistogram {
    return this.#mean ?? divide(this.#current(), this.#added);
  }

  /** Buckets can only overflow with the count. */
  #overflowsWith({ count, sum, zeroCount }: NativeHistogram): boolean {
    const sums = [this.#count.total + count, this.#sum.total + sum, this.#zero.total + zeroCount];
    return sums.some((one) => Math.abs(one) === Number.POSITIVE_INFINITY);
  }

  #addToMean(histogram: NativeHistogram): boolean {
    const mean = this.#mean;
    if (mean === undefined) return false;
    this.#added++;
    const share = (this.#added - 1) / this.#added;
    const next = add(divide(mean, 1 / share), divide(histogram, this.#added));
    if (next === undefined) return false;
    this.changedBounds ||= next.changedBounds;
    this.#mean = next.histogram;
    return true;
  }

  #current(): NativeHistogram {
    return {
      ...this.#layout,
      counterReset: this.#counterReset,
      count: this.#count.sum,
      sum: this.#sum.sum,
      zeroCount: this.#zero.sum,
      positive: compacted(bucketsFrom(this.#positive)),
      negative: compacted(bucketsFrom(this.#negative)),
    };
  }

  /** Takes the sums over into another layout of the buckets, which is rare. */
  #relayout(histogram: NativeHistogram): void {
    this.#layout = histogram;
    this.#positive = cellsOf(histogram.positive);
    this.#negative = cellsOf(histogram.negative);
    this.#zero = new CompensatedSum();
    this.#zero.total = histogram.zeroCount;
  }
}

function hasLayout(a: NativeHistogram, b: NativeHistogram): boolean {
  return a.schema === b.schema && a.zeroThreshold === b.zeroThreshold && haveSameBounds(a, b);
}

function cellsOf({ indexes, counts }: Buckets): Cells {
  const cells: Cells = new Map();
  indexes.forEach((index, i) => {
    const cell = new CompensatedSum();
    cell.total = counts[i] ?? 0;
    cells.set(index, cell);
  });
  return cells;
}

function addTo(cells: Cells, { indexes, counts }: Buckets): void {
  indexes.forEach((index, i) => {
    let cell = cells.get(index);
    if (cell === undefined) {
      cell = new CompensatedSum();
      cells.set(index, cell);
    }
    cell.add(counts[i] ?? 0);
  });
}

function bucketsFrom(cells: Cells): Buckets {
  const indexes = [...cells.keys()].sort((a, b) => a - b);
  return bucketsOf(
    indexes,
    indexes.map((index) => cells.get(index)?.sum ?? 0),
  );
}
