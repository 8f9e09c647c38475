import type { Clock } from '../platform/clock.ts';
import { type Failure, fail } from '../platform/fail.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';

/** What one sender of bodies may use, on average over ten seconds. */
export interface BodyRate {
  readonly bytesPerSecond: number;
  /** Of parsing and checking them. */
  readonly millisecondsPerSecond: number;
}

export interface BodyRates {
  /** For each address that sends no credential. */
  readonly anonymous: BodyRate;
  /** For each user, token and SDK key. */
  readonly caller: BodyRate;
}

/**
 * Limits how many bytes of bodies are read for one sender, and how long they may occupy the server. A limit of requests does
 * not see the difference between a body of 100 bytes and one of megabytes.
 */
export interface BodyBudgets {
  /** `BODIES_LIMITED` if the sender has used more than its share. */
  refusal(sender: string): Failure | undefined;
  spend(sender: string, bytes: number, milliseconds: number): void;
}

/** Senders without a credential have the name of an address; see `rateKey`. */
const isAnonymous = (sender: string) => sender.startsWith('address ');

export function createBodyBudgets(rates: BodyRates, clock: Clock): BodyBudgets {
  const limiter = ({ bytesPerSecond, millisecondsPerSecond }: BodyRate) =>
    new RateLimiter<string>({ bytesPerSecond, itemsPerSecond: millisecondsPerSecond }, clock);
  const [anonymous, caller] = [limiter(rates.anonymous), limiter(rates.caller)];
  const limiterOf = (sender: string) => (isAnonymous(sender) ? anonymous : caller);
  return {
    refusal(sender) {
      const seconds = limiterOf(sender).secondsToWait(sender);
      return seconds === 0 ? undefined : fail('BODIES_LIMITED', { seconds }, { retryAfterSeconds: seconds });
    },
    spend: (sender, bytes, milliseconds) => limiterOf(sender).take(sender, milliseconds, bytes),
  };
}
