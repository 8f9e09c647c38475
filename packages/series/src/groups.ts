import { type Column, placeOf, type Samples, type Span, type Steps } from './samples.ts';

/** Count, sum, average and extremes of each group and step, while numbers are added to them. */
export class Groups {
  readonly #steps: number;
  readonly #sums: boolean;
  readonly #extremes: boolean;
  #counts = new Float64Array(0);
  #plain = new Float64Array(0);
  #totals = new Float64Array(0);
  #corrections = new Float64Array(0);
  #minima = new Float64Array(0);
  #maxima = new Float64Array(0);

  /** @param of what will be read beside counts: each takes memory and time */
  constructor(steps: number, of: { readonly sums: boolean; readonly extremes: boolean }) {
    this.#steps = steps;
    this.#sums = of.sums;
    this.#extremes = of.extremes;
  }

  /** Makes room for this number of groups, with up to 48 bytes for each step. */
  makeRoom(groups: number): void {
    const wanted = groups * this.#steps;
    if (wanted <= this.#counts.length) return;
    const length = Math.max(wanted, this.#counts.length * 2);
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

  /** Adds the numbers of a series to the steps of a group. */
  addColumn(group: number, { values, has }: Column): void {
    for (let step = 0; step < has.length; step++) if (has[step] === 1) this.#add(group, step, values, step, step + 1);
  }

  /** Adds samples of a series to the bucket of a group that each is in; the steps are the beginnings of the buckets. */
  addSamples(group: number, { times, values }: Samples, { begin, end }: Span, { firstMs, stepMs }: Steps): void {
    let [at, inBucket] = [begin, 0];
    while (at < end) {
      const bucket = Math.floor(((times[at] ?? 0) - firstMs) / stepMs);
      const next = placeOf(times, { begin: at + 1, end }, firstMs + (bucket + 1) * stepMs, at + inBucket);
      this.#add(group, bucket, values, at, next);
      inBucket = next - at;
      at = next;
    }
  }

  /** Adds several values to one step of a group: those from `begin` up to `end`, exclusive. */
  #add(group: number, step: number, values: Float64Array, begin: number, end: number): void {
    const at = group * this.#steps + step;
    if (this.#sums) this.#addToSum(at, values, begin, end);
    if (this.#extremes) this.#addToExtremes(at, values, begin, end);
    this.#counts[at] = (this.#counts[at] ?? 0) + end - begin;
  }

  /** Neumaier's compensated sum (ZAMM 54, 1974), as Prometheus' `kahanSumInc`, and the plain one. */
  #addToSum(at: number, values: Float64Array, begin: number, end: number): void {
    let [total, correction, plain] = [this.#totals[at] ?? 0, this.#corrections[at] ?? 0, this.#plain[at] ?? 0];
    for (let i = begin; i < end; i++) {
      const value = values[i] ?? 0;
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
    let [lowest, highest] = isFirst ? [Number.NaN, Number.NaN] : [this.#minima[at] ?? 0, this.#maxima[at] ?? 0];
    for (let i = begin; i < end; i++) {
      const value = values[i] ?? 0;
      if (value < lowest || Number.isNaN(lowest)) lowest = value;
      if (value > highest || Number.isNaN(highest)) highest = value;
    }
    this.#minima[at] = lowest;
    this.#maxima[at] = highest;
  }

  /** How many numbers were added. */
  count(group: number, step: number): number {
    return this.#counts[group * this.#steps + step] ?? 0;
  }

  /** 0 of nothing. Infinities have no compensation: their sum is the plain one. */
  sum(group: number, step: number): number {
    const at = group * this.#steps + step;
    const sum = (this.#totals[at] ?? 0) + (this.#corrections[at] ?? 0);
    return Number.isFinite(sum) ? sum : (this.#plain[at] ?? 0);
  }

  /** The least number; NaN only where all are, as Prometheus' `min`. Not defined of nothing. */
  least(group: number, step: number): number {
    return this.#minima[group * this.#steps + step] ?? 0;
  }

  /** The largest number, like {@link Groups.least}. */
  largest(group: number, step: number): number {
    return this.#maxima[group * this.#steps + step] ?? 0;
  }
}
