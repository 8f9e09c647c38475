import { createHash } from 'node:crypto';

/** A longer name is remembered by its hash, so that memory stays small whatever callers send. */
const LONGEST = 200;

/**
 * Names seen recently, in two generations. The older one is dropped when the younger is full or expired. So memory is
 * bounded without a sweep.
 */
export class Recent {
  readonly #max: number;
  readonly #forMs: number;
  #young = new Set<string>();
  #old = new Set<string>();
  #since = 0;

  /** @param max names in one generation */
  constructor(max: number, forMs: number) {
    this.#max = max;
    this.#forMs = forMs;
  }

  /** Whether the name was not seen within the time (or was pushed out by others). Marks it as seen. */
  isNew(name: string, now: number): boolean {
    if (now - this.#since >= this.#forMs) {
      this.#young.clear();
      this.#old.clear();
      this.#since = now - (now % this.#forMs);
    }
    const key = name.length <= LONGEST ? name : createHash('sha256').update(name).digest('base64');
    if (this.#young.has(key)) return false;
    const isNew = !this.#old.has(key);
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
    return isNew;
  }
}
