import { setTimeout as delay } from 'node:timers/promises';
import { S3Failure } from './failure.ts';

export interface S3Limits {
  /** Of one request, the first one included. */
  readonly attempts: number;
  /** Before the second attempt; doubles up to 30 s. */
  readonly firstWaitMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** Of one attempt altogether. */
  readonly attemptMs: number;
}

/** An outage of half a minute does not fail a backup. */
export const S3_LIMITS: S3Limits = { attempts: 8, firstWaitMs: 250, idleMs: 60_000, attemptMs: 900_000 };
const LONGEST_WAIT_MS = 30_000;

/**
 * Repeats what failed for a reason that may pass.
 * @param progress grows while attempts achieve something; then the count of attempts begins again
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { limits, signal, progress = () => 0 }: { limits: S3Limits; signal: AbortSignal; progress?: () => number },
): Promise<T> {
  let achieved = progress();
  for (let tried = 1; ; tried++) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof S3Failure && error.isTemporary)) throw error;
      if (progress() > achieved) [achieved, tried] = [progress(), 1];
      if (tried >= limits.attempts) throw new S3Failure(`${error.message} (tried ${tried} times)`, error);
      // Half of it by chance, so that requests that failed together do not return together.
      const longest = Math.min(LONGEST_WAIT_MS, limits.firstWaitMs * 2 ** (tried - 1));
      await delay(longest * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
