import type { Clock } from './clock.ts';

/** Rate limits of one sender, on average over {@link BURST_SECONDS}. */
export interface Rate {
  /** Items of telemetry, or milliseconds of work on bodies. */
  itemsPerSecond: number;
  bytesPerSecond: number;
}

/** Unused allowance of this many seconds may be used at once. */
const BURST_SECONDS = 10;
/** Maximum number of senders remembered; evicts the one that has been idle longest. */
const MAX_SENDERS = 10_000;

interface Bucket {
  items: number;
  bytes: number;
  filledAt: number;
}

/**
 * Token buckets of items and bytes for each sender. The size of a request is known only after it is accepted, so a
 * bucket may go into debt by one request. While it is in debt, further requests are rejected.
 */
export class RateLimiter<Sender = number> {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #buckets = new Map<Sender, Bucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Whole seconds, at least one, after which the sender may send again; 0 means now. */
  secondsToWait(sender: Sender): number {
    const bucket = this.#buckets.get(sender);
    if (bucket === undefined) return 0;
    this.#fill(bucket);
    const { itemsPerSecond, bytesPerSecond } = this.#rate;
    const debt = Math.max(-bucket.items / itemsPerSecond, -bucket.bytes / bytesPerSecond);
    return debt < 0 ? 0 : Math.max(1, Math.ceil(debt));
  }

  take(sender: Sender, items: number, bytes: number): void {
    let bucket = this.#buckets.get(sender);
    if (bucket === undefined) {
      const [oldest] = this.#buckets.keys();
      if (this.#buckets.size === MAX_SENDERS && oldest !== undefined) this.#buckets.delete(oldest);
      bucket = { items: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, filledAt: this.#clock.now() };
    }
    // The most recent sender comes last.
    this.#buckets.delete(sender);
    this.#buckets.set(sender, bucket);
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
