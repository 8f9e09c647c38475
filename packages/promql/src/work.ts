import { PromqlError } from './error.ts';

/** Steps of arithmetic that take about 10 ms (a window of a range function counts with its samples). */
const UNITS_BETWEEN_PAUSES = 250_000;

/** Work of computing one set of labels from another. */
export const LABEL_UNITS = 200;

/** Lets other work of the process run while an evaluation goes on, and ends it at its limits. */
export class Work {
  readonly #signal: AbortSignal;
  readonly #maxSamples: number;
  #units = 0;

  constructor(signal: AbortSignal, maxSamples: number) {
    this.#signal = signal;
    this.#maxSamples = maxSamples;
  }

  /** Counts work; when this returns true, the caller awaits {@link Work.pause}. */
  isDue(units: number): boolean {
    this.#units += units + 1;
    return this.#units > UNITS_BETWEEN_PAUSES;
  }

  /** @throws PromqlError when the evaluation was canceled */
  async pause(): Promise<void> {
    this.#units = 0;
    await new Promise((resolve) => setImmediate(resolve));
    this.check();
  }

  /** Maps with pauses; `units` is the work for each. Nothing is left out of the result but undefined. */
  async map<T, R>(all: readonly T[], units: number, of: (one: T) => R | undefined): Promise<R[]> {
    const results: R[] = [];
    for (const one of all) {
      const result = of(one);
      if (result !== undefined) results.push(result);
      if (this.isDue(units)) await this.pause();
    }
    return results;
  }

  check(): void {
    if (this.#signal.aborted) throw new PromqlError('canceled', 'query was canceled in expression evaluation');
  }

  /** @throws PromqlError where a result has more points than the limit */
  checkPoints(points: number): void {
    if (points > this.#maxSamples)
      throw new PromqlError(
        'limit',
        `query processing would load too many samples into memory in expression evaluation: the limit is ${this.#maxSamples}`,
      );
  }
}
