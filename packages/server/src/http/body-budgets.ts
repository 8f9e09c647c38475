import type { Clock } from '../platform/clock.ts';
import { type Failure, fail } from '../platform/fail.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import type { HttpSettings } from './settings.ts';

/**
 * Limits how many bytes of bodies are read for one sender, and how long they may occupy the server. A limit of requests does
 * not see the difference between a body of 100 bytes and one of megabytes.
 */
export interface BodyBudgets {
  /** `BODIES_LIMITED` if the sender has used more than its share. */
  refusal(sender: string): Failure | undefined;
  spend(sender: string, bytes: number, milliseconds: number): void;
}

/** Bodies of evaluations up to this size are not counted: each costs less than an ordinary request. */
export const uncountedBytes = 4_096;

/** Senders without a credential have the name of an address; see `rateKey`. */
const isAnonymous = (sender: string) => sender.startsWith('address ');

export function createBodyBudgets(rates: HttpSettings['bodyRates'], clock: Clock): BodyBudgets {
  const limiter = ({ bytesPerSecond, millisecondsPerSecond }: HttpSettings['bodyRates']['caller']) =>
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
