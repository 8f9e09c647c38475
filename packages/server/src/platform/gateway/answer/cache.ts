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

/**
 * Caches answers by statement and evicts the least recently used first. An answer is reused only for callers that
 * accept its age, counted from the start of its statement, since it may miss data stored later. Callers of the same
 * statement share a running one; it ends early when the last of them disconnects.
 * @param maxBytes 0: caches nothing
 */
export function createAnswerCache<T>({
  clock,
  maxBytes,
  sizeOf,
}: {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly sizeOf: (value: T) => number;
}) {
  const entries = new Map<string, Entry<T>>();
  const pending = new Map<string, Pending<T>>();
  let bytes = 0;
  const counted = { hits: 0, misses: 0 };

  function drop(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  function keep(key: string, value: T, askedAt: number): void {
    const size = sizeOf(value);
    // One answer must not empty the cache.
    if (size > maxBytes / 8) return;
    drop(key);
    entries.set(key, { value, bytes: size, askedAt });
    bytes += size;
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
  }

  function begin(key: string, ask: (signal: AbortSignal) => Promise<T>): Pending<T> {
    const controller = new AbortController();
    const askedAt = clock.now();
    const answer = ask(controller.signal).then((value) => {
      keep(key, value, askedAt);
      return value;
    });
    const one: Pending<T> = { answer, askedAt, controller, askers: 0 };
    pending.set(key, one);
    const done = () => {
      if (pending.get(key) === one) pending.delete(key);
    };
    answer.then(done, done);
    return one;
  }

  return {
    /** The answer to `key` if it is at most `maxAgeMs` old, else a new one from `ask`. */
    async get(
      key: string,
      maxAgeMs: number,
      signal: AbortSignal,
      ask: (signal: AbortSignal) => Promise<T>,
    ): Promise<Aged<T>> {
      signal.throwIfAborted();
      const now = clock.now();
      const known = entries.get(key);
      if (known !== undefined && now - known.askedAt <= maxAgeMs) {
        counted.hits++;
        entries.delete(key);
        entries.set(key, known);
        return { value: known.value, ageMs: now - known.askedAt };
      }
      const running = pending.get(key);
      const isShared = running !== undefined && now - running.askedAt <= maxAgeMs && !running.controller.signal.aborted;
      if (isShared) counted.hits++;
      else counted.misses++;
      const one = isShared ? running : begin(key, ask);
      return shared(one, signal).then((value) => ({ value, ageMs: clock.now() - one.askedAt }));
    },
    state: (): CacheState => ({ bytes, ...counted }),
  };
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
