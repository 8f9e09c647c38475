import type { RecentAggregate } from './question.ts';

/** Sums beyond this might overflow in another order of adding, which the engine may use. */
const LARGEST = 1e290;
/** Most groups times buckets, of up to 48 bytes each. */
const MOST_CELLS = 1_000_000;

/** The aggregates of each group and bucket, while numbers are added to them. */
export class Groups {
  /** False where the answer depends on the order in which the engine adds numbers, or is too large. */
  sound = true;
  readonly #buckets: number;
  readonly #aggregates: readonly RecentAggregate[];
  readonly #sums: boolean;
  readonly #extremes: boolean;
  #counts = new Float64Array(0);
  #plain = new Float64Array(0);
  #totals = new Float64Array(0);
  #corrections = new Float64Array(0);
  #minima = new Float64Array(0);
  #maxima = new Float64Array(0);

  constructor(buckets: number, aggregates: readonly RecentAggregate[]) {
    this.#buckets = buckets;
    this.#aggregates = aggregates;
    this.#sums = aggregates.includes('sum') || aggregates.includes('avg');
    this.#extremes = aggregates.includes('min') || aggregates.includes('max');
  }

  /** Makes room for this number of groups. */
  makeRoom(groups: number): void {
    const wanted = groups * this.#buckets;
    if (wanted > MOST_CELLS) this.sound = false;
    if (wanted <= this.#counts.length || !this.sound) return;
    const length = Math.min(Math.max(wanted, this.#counts.length * 2, 1024), Math.max(MOST_CELLS, wanted));
    const grown = (of: Float64Array<ArrayBuffer>) => {
      const larger = new Float64Array(length);
      larger.set(of);
      return larger;
    };
    this.#counts = grown(this.#counts);
    if (this.#sums) {
      this.#plain = grown(this.#plain);
      this.#totals = grown(this.#totals);
      this.#corrections = grown(this.#corrections);
    }
    if (this.#extremes) {
      this.#minima = grown(this.#minima);
      this.#maxima = grown(this.#maxima);
    }
  }

  /** Adds values to a bucket of a group: those from `begin` up to `end`, exclusive. */
  add(group: number, bucket: number, values: Float64Array, begin: number, end: number): void {
    const at = group * this.#buckets + bucket;
    if (this.#sums) this.#addToSum(at, values, begin, end);
    if (this.#extremes) this.#addToExtremes(at, values, begin, end);
    this.#counts[at] = (this.#counts[at] ?? 0) + end - begin;
  }

  /** Neumaier's sum, which keeps at least the digits that the engine's compensated sum does, and the plain one. */
  #addToSum(at: number, values: Float64Array, begin: number, end: number): void {
    let [total, correction, plain] = [this.#totals[at] ?? 0, this.#corrections[at] ?? 0, this.#plain[at] ?? 0];
    for (let i = begin; i < end; i++) {
      const value = values[i] ?? 0;
      if (Math.abs(value) > LARGEST && Number.isFinite(value)) this.sound = false;
      const before = total;
      total += value;
      correction += Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before;
      plain += value;
    }
    this.#totals[at] = total;
    this.#corrections[at] = correction;
    this.#plain[at] = plain;
  }

  #addToExtremes(at: number, values: Float64Array, begin: number, end: number): void {
    const isFirst = (this.#counts[at] ?? 0) === 0;
    let lowest = isFirst ? Number.POSITIVE_INFINITY : (this.#minima[at] ?? 0);
    let highest = isFirst ? Number.NEGATIVE_INFINITY : (this.#maxima[at] ?? 0);
    for (let i = begin; i < end; i++) {
      const value = values[i] ?? 0;
      // What the engine returns depends on where the NaN stands.
      if (Number.isNaN(value)) this.sound = false;
      if (value < lowest) lowest = value;
      if (value > highest) highest = value;
    }
    this.#minima[at] = lowest;
    this.#maxima[at] = highest;
  }

  has(group: number, bucket: number): boolean {
    return (this.#counts[group * this.#buckets + bucket] ?? 0) > 0;
  }

  /** Writes the aggregates of a group and bucket into a row after its keys, in the form in which the engine sends them. */
  write(row: (string | number | null)[], keys: number, group: number, bucket: number): void {
    const at = group * this.#buckets + bucket;
    for (const [i, aggregate] of this.#aggregates.entries()) row[keys + i] = this.#read(aggregate, at);
  }

  #read(aggregate: RecentAggregate, at: number): string | number | null {
    const count = this.#counts[at] ?? 0;
    if (aggregate === 'count') return String(count);
    if (aggregate === 'sum') return written(this.#sumAt(at));
    if (count === 0) return null;
    if (aggregate === 'avg') return written(this.#sumAt(at) / count);
    return written((aggregate === 'min' ? this.#minima : this.#maxima)[at] ?? 0);
  }

  #sumAt(at: number): number {
    const sum = (this.#totals[at] ?? 0) + (this.#corrections[at] ?? 0);
    return Number.isFinite(sum) ? sum : (this.#plain[at] ?? 0);
  }
}

/** JSON has no NaN and no infinities: the engine quotes them. */
function written(value: number): number | string {
  if (Number.isFinite(value)) return value;
  return value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan';
}
