import { createHash } from 'node:crypto';

/** A longer name is remembered by its hash, so that what is kept stays small whatever callers send. */
const LONGEST = 200;

/**
 * Which names have come lately: two generations, of which the older one goes when the younger is full or its time is over.
 * So memory is bounded, and nothing is swept.
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

  /** Whether the name has not come within the time (or was pushed out by others since); it has from now on. */
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
