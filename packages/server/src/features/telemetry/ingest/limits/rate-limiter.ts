import type { Clock } from '../../../../platform/clock.ts';

/** Rate limits of one project, on average over {@link BURST_SECONDS}. */
export interface ProjectRate {
  itemsPerSecond: number;
  /** Inflated. */
  bytesPerSecond: number;
}

/** Unused allowance of this many seconds may be used at once. */
const BURST_SECONDS = 10;
/** Maximum number of projects remembered; evicts the one that has been idle longest. */
const MAX_PROJECTS = 10_000;

interface Bucket {
  items: number;
  bytes: number;
  filledAt: number;
}

/**
 * Token buckets of items and bytes for each project. The size of a request is known only after it is accepted, so a
 * bucket may go into debt by one request. While it is in debt, further requests are rejected.
 */
export class RateLimiter {
  readonly #rate: ProjectRate;
  readonly #clock: Clock;
  readonly #buckets = new Map<number, Bucket>();

  constructor(rate: ProjectRate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Whole seconds, at least one, after which the project may send again; 0 means now. */
  secondsToWait(project: number): number {
    const bucket = this.#buckets.get(project);
    if (bucket === undefined) return 0;
    this.#fill(bucket);
    const { itemsPerSecond, bytesPerSecond } = this.#rate;
    const debt = Math.max(-bucket.items / itemsPerSecond, -bucket.bytes / bytesPerSecond);
    return debt < 0 ? 0 : Math.max(1, Math.ceil(debt));
  }

  take(project: number, items: number, bytes: number): void {
    let bucket = this.#buckets.get(project);
    if (bucket === undefined) {
      const [oldest] = this.#buckets.keys();
      if (this.#buckets.size === MAX_PROJECTS && oldest !== undefined) this.#buckets.delete(oldest);
      bucket = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, filledAt: this.#clock.now() };
    }
    // The most recent sender comes last.
    this.#buckets.delete(project);
    this.#buckets.set(project, bucket);
    this.#fill(bucket);
    bucket.items -= items;
    bucket.bytes -= bytes;
  }

  #fill(bucket: Bucket): void {
    const { itemsPerSecond, bytesPerSecond } = this.#rate;
    const now = this.#clock.now();
    const seconds = Math.max(0, now - bucket.filledAt) / 1000;
    bucket.items = Math.min(itemsPerSecond * BURST_SECONDS, bucket.items + seconds * itemsPerSecond);
    bucket.bytes = Math.min(bytesPerSecond * BURST_SECONDS, bucket.bytes + seconds * bytesPerSecond);
    bucket.filledAt = now;
  }
}
