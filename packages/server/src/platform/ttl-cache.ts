import type { Clock } from './clock.ts';

/** A bounded cache: entries expire after `ttlMs`, and the oldest is evicted when `max` is reached. */
export class TtlCache<K, V> {
  readonly #entries = new Map<K, { value: V; expiresAt: number }>();
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #max: number;

  constructor(options: { clock: Clock; ttlMs: number; max: number }) {
    this.#clock = options.clock;
    this.#ttlMs = options.ttlMs;
    this.#max = options.max;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > this.#clock.now() ? entry.value : undefined;
  }

  /** Also returns expired entries, which are better than nothing while a store is down. */
  getStale(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: this.#clock.now() + this.#ttlMs });
    if (this.#entries.size > this.#max) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  deleteWhere(matches: (value: V) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value)) this.#entries.delete(key);
  }

  /** Visits expired entries too. */
  forEach(visit: (value: V) => void): void {
    for (const { value } of this.#entries.values()) visit(value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
