/** A list of 32-bit integers that grows, at four bytes each. */
export class NumberList {
  #numbers = new Int32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length++] = value;
  }

  replaceLast(value: number): void {
    this.#numbers[this.length - 1] = value;
  }

  /** 0 beyond the end. */
  at(index: number): number {
    return index < this.length ? (this.#numbers[index] as number) : 0;
  }
}
