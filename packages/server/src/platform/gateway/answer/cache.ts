import type { Clock } from '../../clock.ts';

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  /** Unix milliseconds at which its statement began. */
  readonly askedAt: number;
}

interface Pending<T> {
  readonly answer: Promise<T>;
  readonly askedAt: number;
  readonly controller: AbortController;
  askers: number;
}

export interface CacheState {
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

/** An answer, and the milliseconds since its statement began. */
export interface Aged<T> {
  readonly value: T;
  readonly ageMs: number;
}

interface AnswerCacheOptions<T> {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly sizeOf: (value: T) => number;
}

/**
 * Caches answers by statement and evicts the least recently used first. An answer is reused only for callers that
 * accept its age, counted from the start of its statement, since it may miss data stored later. Callers of the same
 * statement share a running one; it ends early when the last of them disconnects.
 * @param maxBytes 0: caches nothing
 */
export class AnswerCache<T> {
  readonly #options: AnswerCacheOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #pending = new Map<string, Pending<T>>();
  #bytes = 0;
  readonly #counted = { hits: 0, misses: 0 };

  constructor(options: AnswerCacheOptions<T>) {
    this.#options = options;
  }

  /** The answer to `key` if it is at most `maxAgeMs` old, else a new one from `ask`. */
  async get(
    key: string,
    maxAgeMs: number,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<Aged<T>> {
    signal.throwIfAborted();
    const now = this.#options.clock.now();
    const known = this.#entries.get(key);
    if (known !== undefined && now - known.askedAt <= maxAgeMs) {
      this.#counted.hits++;
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return { value: known.value, ageMs: now - known.askedAt };
    }
    const running = this.#pending.get(key);
    const isShared = running !== undefined && now - running.askedAt <= maxAgeMs && !running.controller.signal.aborted;
    if (isShared) this.#counted.hits++;
    else this.#counted.misses++;
    const one = isShared ? running : this.#begin(key, ask);
    return shared(one, signal).then((value) => ({ value, ageMs: this.#options.clock.now() - one.askedAt }));
  }

  state(): CacheState {
    return { bytes: this.#bytes, ...this.#counted };
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #keep(key: string, value: T, askedAt: number): void {
    const { sizeOf, maxBytes } = this.#options;
    const size = sizeOf(value);
    // One answer must not empty the cache.
    if (size > maxBytes / 8) return;
    this.#drop(key);
    this.#entries.set(key, { value, bytes: size, askedAt });
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest);
    }
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<T>): Pending<T> {
    const controller = new AbortController();
    const askedAt = this.#options.clock.now();
    const answer = ask(controller.signal).then((value) => {
      this.#keep(key, value, askedAt);
      return value;
    });
    const one: Pending<T> = { answer, askedAt, controller, askers: 0 };
    this.#pending.set(key, one);
    const done = () => {
      if (this.#pending.get(key) === one) this.#pending.delete(key);
    };
    answer.then(done, done);
    return one;
  }
}

/** Waits for a shared answer. */
function shared<T>(one: Pending<T>, signal: AbortSignal): Promise<T> {
  one.askers++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      if (--one.askers === 0) one.controller.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    const settled = () => signal.removeEventListener('abort', leave);
    one.answer.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
