/** One sample of a series. Times are milliseconds since the epoch. */
export interface Sample {
  readonly at: number;
  readonly receivedAt: number;
  readonly storedAt: number;
  readonly isHigh: boolean;
}

export interface FeedOptions {
  readonly fromMs: number;
  readonly sampleMs: number;
  /** How long after its own time a sample is received, at least and at most. */
  readonly lateMs: readonly [number, number];
  /** The shortest time for which it stays high, and below. */
  readonly leastMs: number;
  /** Longest time for which it is high without an alert; 0: every such time is an alert. */
  readonly blipMs: number;
  readonly random: () => number;
}

/** What is received is stored with the next whole second, and a moment for the insert. */
const batchMs = 1_000;
const insertMs = 50;
const lookbackMs = 300_000;
const silentMs = 480_000;
const silences = 0.03;
const blips = 0.2;

/** The samples of one series, which is high and low alternately, and silent for minutes now and then. */
export class Feed {
  readonly #options: FeedOptions;
  #samples: Sample[] = [];
  #next: number;
  #until: number;
  #state: 'high' | 'low' | 'silent' = 'low';

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#next = options.fromMs + Math.floor(options.random() * options.sampleMs);
    this.#until = options.fromMs + 2 * options.leastMs;
  }

  /** Makes the samples up to a time, and forgets old ones; returns those that were received since the last call. */
  advance(nowMs: number): readonly Sample[] {
    const { sampleMs, lateMs, random } = this.#options;
    for (; this.#next <= nowMs; this.#next += sampleMs) {
      while (this.#next >= this.#until) this.#turn();
      if (this.#state === 'silent') continue;
      const at = this.#next;
      const receivedAt = at + lateMs[0] + Math.floor(random() * (lateMs[1] - lateMs[0]));
      const storedAt = (Math.floor(receivedAt / batchMs) + 1) * batchMs + insertMs;
      this.#samples.push({ at, receivedAt, storedAt, isHigh: this.#state === 'high' });
    }
    const before = nowMs - lookbackMs - 60_000;
    if ((this.#samples[0]?.at ?? nowMs) < before - 60_000)
      this.#samples = this.#samples.filter(({ at }) => at >= before);
    return this.#samples;
  }

  #turn(): void {
    const { leastMs, blipMs, random } = this.#options;
    const length = leastMs * (1 + 3 * random());
    if (this.#state === 'low' && random() < silences) {
      this.#state = 'silent';
      this.#until += silentMs;
    } else if (this.#state === 'low') {
      this.#state = 'high';
      this.#until += blipMs > 0 && random() < blips ? blipMs : length;
    } else {
      // Now and then a series falls silent while it is high.
      const isSilent = this.#state === 'high' && random() < silences;
      this.#state = isSilent ? 'silent' : 'low';
      this.#until += isSilent ? silentMs : length;
    }
  }

  /** The latest sample of the five minutes before a time, of those that are known. */
  latest(at: number, isKnown: (sample: Sample) => boolean): Sample | undefined {
    return this.#samples.findLast((sample) => sample.at <= at && sample.at > at - lookbackMs && isKnown(sample));
  }

  /** When the oldest sample was received that is not stored at a time; Infinity: there is none. */
  unstoredSince(nowMs: number): number {
    const waiting = this.#samples
      .slice(-10)
      .find(({ receivedAt, storedAt }) => receivedAt <= nowMs && storedAt > nowMs);
    return waiting?.receivedAt ?? Number.POSITIVE_INFINITY;
  }
}
