export interface BatcherOptions<T> {
  /** Sends one batch; rejects where it could not be delivered, after whatever retries it makes. */
  send: (items: T[]) => Promise<void>;
  maxItems: number;
  maxInFlight: number;
  /** So many batches may wait for a place in flight; beyond that the oldest is given up. */
  maxWaiting: number;
  /** Told of every batch that was not delivered. */
  onLost: (count: number, error: Error) => void;
}

/**
 * Collects items into batches and sends a few of them at a time. It is what the SDK's batch processors are, with two
 * differences that history needs: a producer can wait until there is room, and what is lost is told.
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

  /** Sends what has been collected, without waiting for a full batch. */
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

  /** Sends what has been collected if a place is free; else it goes on growing, as it should while a server is away. */
  offer(): void {
    if (this.#waiting.length === 0 && this.#inFlight.size < this.#options.maxInFlight) this.cut();
  }

  /** Resolves once no batch waits for a place in flight. */
  async room(): Promise<void> {
    while (this.#waiting.length > 0) await Promise.race(this.#inFlight);
  }

  /** Resolves once everything pushed so far was delivered or given up. */
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
