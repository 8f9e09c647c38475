import { Identities } from '../remote-write/identities.ts';
import { Fingerprints } from './fingerprints.ts';

const EMPTY = 0;

/**
 * The series that this process has described, per day and retention class, so that a description is written once a day
 * and not with every point. An open-addressing table of 64-bit series ids: sixteen bytes per series, and no work for
 * the garbage collector. Forgetting is harmless (the description is written again and merged), so a full table starts
 * over.
 */
export class SeriesCache {
  readonly #slots: number;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  /** day × 65536 + retention class; 0 marks a free slot. */
  readonly #partition: Float64Array;
  /** What the series of remote write are, by their labels. */
  readonly identities = new Identities();
  /** What the series of OTLP number points are, by their attributes. */
  readonly fingerprints = new Fingerprints();
  #count = 0;
  #generation = 0;

  /** @param capacity a power of two; it starts over at three quarters of it. */
  constructor(capacity = 1 << 19) {
    this.#slots = capacity;
    this.#low = new Uint32Array(capacity);
    this.#high = new Uint32Array(capacity);
    this.#partition = new Float64Array(capacity);
  }

  /** Adds a series; returns whether it is new. */
  add(low: number, high: number, partition: number): boolean {
    const mask = this.#slots - 1;
    const lowBits = low >>> 0;
    const highBits = high >>> 0;
    let slot = firstSlot(low, partition, mask);
    while (this.#partition[slot] !== EMPTY) {
      if (this.#low[slot] === lowBits && this.#high[slot] === highBits && this.#partition[slot] === partition) {
        return false;
      }
      slot = (slot + 1) & mask;
    }
    if (this.#count >= this.#slots * 0.75) {
      this.clear();
      return this.add(low, high, partition);
    }
    this.#low[slot] = lowBits;
    this.#high[slot] = highBits;
    this.#partition[slot] = partition;
    this.#count++;
    return true;
  }

  has(low: number, high: number, partition: number): boolean {
    const mask = this.#slots - 1;
    let slot = firstSlot(low, partition, mask);
    while (this.#partition[slot] !== EMPTY) {
      if (this.#low[slot] === low >>> 0 && this.#high[slot] === high >>> 0 && this.#partition[slot] === partition) {
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  /** Another number whenever everything was forgotten. */
  get generation(): number {
    return this.#generation;
  }

  clear(): void {
    this.#generation++;
    this.#partition.fill(EMPTY);
    this.#count = 0;
  }
}

function firstSlot(low: number, partition: number, mask: number): number {
  return (low ^ Math.imul(partition | 0, 0x9e3779b1)) & mask;
}
