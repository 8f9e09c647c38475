/** The average as Prometheus computes it: a compensated sum, or a running mean where that sum would be infinite. */
export class Average {
  #sum = 0;
  #rest = 0;
  #count = 0;
  #isMean = false;

  add(value: number): void {
    this.#count++;
    if (this.#count === 1) {
      this.#sum = value;
      return;
    }
    if (!this.#isMean) {
      const total = this.#sum + value;
      if (total !== Number.POSITIVE_INFINITY && total !== Number.NEGATIVE_INFINITY) {
        this.#increase(value);
        return;
      }
      this.#isMean = true;
      this.#sum /= this.#count - 1;
      this.#rest /= this.#count - 1;
    }
    const share = (this.#count - 1) / this.#count;
    this.#sum *= share;
    this.#rest *= share;
    this.#increase(value / this.#count);
  }

  #increase(value: number): void {
    const before = this.#sum;
    const total = before + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) this.#rest = 0;
    else this.#rest += Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before;
    this.#sum = total;
  }

  /** NaN of nothing. */
  get value(): number {
    return this.#isMean ? this.#sum + this.#rest : this.#sum / this.#count + this.#rest / this.#count;
  }
}

export function average(values: Float64Array, begin: number, until: number): number {
  const all = new Average();
  for (let i = begin; i < until; i++) all.add(values[i] ?? 0);
  return all.value;
}
