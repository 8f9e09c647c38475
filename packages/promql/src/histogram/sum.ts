import { CompensatedSum } from '../numbers.ts';
import { combinedReset, divide } from './arithmetic.ts';
import { bucketsOf, compacted } from './buckets.ts';
import type { Buckets, CounterReset, NativeHistogram } from './native-histogram.ts';
import { haveSameBounds, reconciled } from './reconcile.ts';

/** A compensated sum of each bucket. */
type Cells = Map<number, CompensatedSum>;

/** The sum or average of histograms, each number of which is compensated as a float's would be. */
export class HistogramSum {
  readonly #of: 'sum' | 'average';
  #layout: NativeHistogram;
  #counterReset: CounterReset;
  #positive: Cells;
  #negative: Cells;
  readonly #count: CompensatedSum;
  readonly #sum: CompensatedSum;
  #zero: CompensatedSum;
  #added = 1;
  /** An average whose sum would be infinite: the numbers are those of the average of what was added so far. */
  #isMean = false;
  /** Custom bounds differed. */
  changedBounds = false;
  readonly #resets = new Set<CounterReset>();

  constructor(first: NativeHistogram, of: 'sum' | 'average') {
    this.#of = of;
    this.#layout = first;
    this.#counterReset = first.counterReset;
    this.#positive = cellsOf(first.positive);
    this.#negative = cellsOf(first.negative);
    this.#count = cellOf(first.count);
    this.#sum = cellOf(first.sum);
    this.#zero = cellOf(first.zeroCount);
    this.#resets.add(first.counterReset);
  }

  /** One histogram knew of a reset, and another that there was none. */
  get collision(): boolean {
    return this.#resets.has('reset') && this.#resets.has('not-reset');
  }

  /** @returns false where its buckets are exponential and those so far are custom ones, or the reverse */
  add(histogram: NativeHistogram): boolean {
    this.#resets.add(histogram.counterReset);
    const both = hasLayout(histogram, this.#layout)
      ? { a: this.#layout, b: histogram, changedBounds: false }
      : reconciled(this.#current(), histogram);
    if (both === undefined) return false;
    this.changedBounds ||= both.changedBounds;
    if (both.a !== this.#layout) this.#relayout(both.a);
    this.#counterReset = combinedReset(this.#counterReset, histogram.counterReset).counterReset;
    this.#added++;
    if (this.#of === 'average' && !this.#isMean && this.#overflowsWith(both.b)) {
      this.#isMean = true;
      this.#scale(1 / (this.#added - 1));
    }
    if (this.#isMean) this.#scale((this.#added - 1) / this.#added);
    this.#increase(this.#isMean ? divide(both.b, this.#added) : both.b);
    return true;
  }

  #increase({ count, sum, zeroCount, positive, negative }: NativeHistogram): void {
    this.#count.add(count);
    this.#sum.add(sum);
    this.#zero.add(zeroCount);
    addTo(this.#positive, positive);
    addTo(this.#negative, negative);
  }

  get result(): NativeHistogram {
    return this.#of === 'sum' || this.#isMean ? this.#current() : divide(this.#current(), this.#added);
  }

  /** Buckets can only overflow with the count. */
  #overflowsWith({ count, sum, zeroCount }: NativeHistogram): boolean {
    const sums = [this.#count.total + count, this.#sum.total + sum, this.#zero.total + zeroCount];
    return sums.some((one) => Math.abs(one) === Number.POSITIVE_INFINITY);
  }

  #scale(factor: number): void {
    for (const cell of [this.#count, this.#sum, this.#zero, ...this.#positive.values(), ...this.#negative.values()]) {
      cell.total *= factor;
      cell.rest *= factor;
    }
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
    this.#zero = cellOf(histogram.zeroCount);
  }
}

function cellOf(value: number): CompensatedSum {
  const cell = new CompensatedSum();
  cell.total = value;
  return cell;
}

function hasLayout(a: NativeHistogram, b: NativeHistogram): boolean {
  return a.schema === b.schema && a.zeroThreshold === b.zeroThreshold && haveSameBounds(a, b);
}

function cellsOf({ indexes, counts }: Buckets): Cells {
  const cells: Cells = new Map();
  indexes.forEach((index, i) => {
    cells.set(index, cellOf(counts[i] ?? 0));
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
