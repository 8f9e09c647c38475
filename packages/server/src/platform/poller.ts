export interface PollerOptions {
  /** Looks for work and does it. Returns the milliseconds until the next look. */
  readonly look: () => Promise<number>;
  readonly onError: (error: unknown) => void;
  /** Milliseconds from a failed look to the next one. */
  readonly retryMs: number;
}

/** Looks for work again and again, one look at a time. A wake-up during a look starts another look after it. */
export class Poller {
  readonly #options: PollerOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #isStopped = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Looks now. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    clearTimeout(this.#timer);
    const { look, onError, retryMs } = this.#options;
    this.#looking = look()
      .catch((error: unknown) => {
        onError(error);
        return retryMs;
      })
      .then((waitMs) => {
        this.#looking = undefined;
        if (this.#isStopped) return;
        if (!this.#lookAgain) this.#timer = setTimeout(() => this.wake(), waitMs);
        else {
          this.#lookAgain = false;
          this.wake();
        }
      });
  }

  /** Starts no more looks, and waits for the one in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }
}
