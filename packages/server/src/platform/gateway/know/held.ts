import type { Clock } from '../../clock.ts';
import { TtlCache } from '../../ttl-cache.ts';

/** The longest wait for what is known. If the store is slower, nothing is. */
const patienceMs = 2_000;
const heldMs = 600_000;

interface Entry<T> {
  readonly askedAt: number;
  readonly answer: Promise<T | undefined>;
  /** The last one that the store gave; absent: none yet. */
  value?: T;
}

/** Lists of the store that are kept by a key: asked for again beside those who use them, and shared by those who ask at the same time. */
export class Held<T> {
  readonly #clock: Clock;
  readonly #entries: TtlCache<string, Entry<T>>;

  constructor({ clock, max }: { readonly clock: Clock; readonly max: number }) {
    this.#clock = clock;
    this.#entries = new TtlCache({ clock, ttlMs: heldMs, max });
  }

  /**
   * @param moment what the store said when it was asked then or later, in milliseconds since the epoch; undefined: what is held, however old
   * @returns undefined if the store does not answer
   */
  async get(
    key: string,
    moment: number | undefined,
    list: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const last = this.#entries.get(key);
    if (moment === undefined && last?.value !== undefined) return last.value;
    if (last && (moment === undefined || last.askedAt >= moment)) return last.answer;
    // Shared, so that no caller may abort it.
    const answer = list(AbortSignal.timeout(patienceMs)).then(
      (value) => {
        entry.value = value;
        return value;
      },
      () => {
        if (last && this.#entries.get(key) === entry) this.#entries.set(key, last);
        else this.#entries.delete(key);
        return undefined;
      },
    );
    const entry: Entry<T> = { ...last, askedAt: this.#clock.now(), answer };
    this.#entries.set(key, entry);
    return answer;
  }

  clear(): void {
    this.#entries.clear();
  }
}
