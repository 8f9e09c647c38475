export interface BatcherOptions<T> {
  /** Sends one batch; rejects if it could not be delivered after its retries. */
  send: (items: T[]) => Promise<void>;
  maxItems: number;
  maxInFlight: number;
  /** Number of batches that may wait; beyond it the oldest is dropped. */
  maxWaiting: number;
  /** Called for every batch that was not delivered. */
  onLost: (count: number, error: Error) => void;
}

/**
 * Collects items into batches and sends a few of them at a time. Like the SDK's batch processors, with two differences
 * that history needs: a producer can wait until there is room, and losses are reported.
 */
export class Batcher<T> {
  readonly #options: BatcherOptions<T>;
  #current: T[] = [];
  #waiting: T[][] = [];
  #inFlight = new Set<Promise<void>>();
  #delivered = 0;

  constructor(options: BatcherOptions<T>) {
    this.#options = options;
  }

  /** Items that the server has acknowledged. */
  get delivered(): number {
    return this.#delivered;
  }

  push(item: T): void {
    this.#current.push(item);
    if (this.#current.length >= this.#options.maxItems) this.cut();
  }

  /** Sends the collected items without waiting for a full batch. */
  cut(): void {
    if (this.#current.length === 0) return;
    this.#waiting.push(this.#current);
    this.#current = [];
    if (this.#waiting.length > this.#options.maxWaiting) {
      const given = this.#waiting.shift() ?? [];
      this.#options.onLost(given.length, new Error('the server takes less than the shop sends'));
    }
    this.#dispatch();
  }

  /**
   * Sends the collected items if a slot is free; otherwise the batch keeps growing, for example while a server is down.
   */
  offer(): void {
    if (this.#waiting.length === 0 && this.#inFlight.size < this.#options.maxInFlight) this.cut();
  }

  /** Resolves when no batch waits. */
  async room(): Promise<void> {
    while (this.#waiting.length > 0) await Promise.race(this.#inFlight);
  }

  /** Resolves when everything pushed so far was delivered or dropped. */
  async flush(): Promise<void> {
    this.cut();
    while (this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }

  #dispatch(): void {
    while (this.#inFlight.size < this.#options.maxInFlight) {
      const batch = this.#waiting.shift();
      if (!batch) return;
      const sending = this.#send(batch).finally(() => {
        this.#inFlight.delete(sending);
        this.#dispatch();
      });
      this.#inFlight.add(sending);
    }
  }

  async #send(batch: T[]): Promise<void> {
    try {
      await this.#options.send(batch);
      this.#delivered += batch.length;
    } catch (error) {
      this.#options.onLost(batch.length, error instanceof Error ? error : new Error(String(error)));
    }
  }
}
