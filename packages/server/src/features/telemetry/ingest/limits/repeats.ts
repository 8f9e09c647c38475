import { createHash, webcrypto } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import type { IngestAnswer, IngestRequest } from '../receiver.ts';

/** How long an acknowledged request is remembered: longer than exporters try again. */
const rememberedMs = 15 * 60_000;
/** Larger bodies are digested in another thread: at 1.8 GB/s this takes half a millisecond. */
const longBytes = 1024 ** 2;

interface Remembered {
  readonly answer: IngestAnswer;
  readonly until: number;
}

/**
 * Recognises requests that a client repeats because it lost the answer. Only acknowledged requests count: of equal ones at the same time
 * one is stored, and the others wait for it. Remembers in memory, so not over a restart nor for other servers.
 * docs/decisions/0004
 */
export class Repeats {
  readonly #max: number;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #running = new Map<string, Promise<IngestAnswer | undefined>>();

  /** @param max how many requests are remembered; 0: none, and every request is stored */
  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** The answer to an equal request that was acknowledged, or that of `store`. */
  async once(
    request: IngestRequest,
    store: () => Promise<{ readonly answer: IngestAnswer; readonly isOnce: boolean }>,
  ): Promise<{ readonly answer: IngestAnswer; readonly isRepeat: boolean }> {
    if (this.#max === 0) return { answer: (await store()).answer, isRepeat: false };
    const key = request.body.length > longBytes ? await longDigest(request) : digest(request);
    for (;;) {
      const known = this.#find(key);
      if (known !== undefined) return { answer: known, isRepeat: true };
      const running = this.#running.get(key);
      if (running === undefined) break;
      // Undefined: it was not stored, or may be stored again.
      const answer = await running;
      if (answer !== undefined) return { answer, isRepeat: true };
    }
    const stored = store();
    this.#running.set(
      key,
      stored.then(
        ({ answer, isOnce }) => (isOnce ? answer : undefined),
        () => undefined,
      ),
    );
    try {
      const { answer, isOnce } = await stored;
      if (isOnce) this.#remember(key, answer);
      return { answer, isRepeat: false };
    } finally {
      this.#running.delete(key);
    }
  }

  #find(key: string): IngestAnswer | undefined {
    const known = this.#remembered.get(key);
    return known !== undefined && known.until > this.#clock.now() ? known.answer : undefined;
  }

  #remember(key: string, answer: IngestAnswer): void {
    const now = this.#clock.now();
    this.#remembered.delete(key);
    this.#remembered.set(key, { answer, until: now + rememberedMs });
    for (const [oldest, { until }] of this.#remembered) {
      if (until > now && this.#remembered.size <= this.#max) break;
      this.#remembered.delete(oldest);
    }
  }
}

/** Equal requests of one token have the same: 128 bits as text. */
function digest(request: IngestRequest): string {
  return shortened(createHash('sha1').update(senderOf(request)).update(request.body).digest());
}

async function longDigest(request: IngestRequest): Promise<string> {
  const body = await webcrypto.subtle.digest('SHA-1', request.body);
  return shortened(createHash('sha1').update(senderOf(request)).update(new Uint8Array(body)).digest());
}

function senderOf({ principal, signal, format, resource = {} }: IngestRequest): string {
  return JSON.stringify([principal.tokenId, principal.project, principal.environment, signal, format, resource]);
}

function shortened(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 16);
}
