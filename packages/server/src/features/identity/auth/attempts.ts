import { createHash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type AttemptLimit, windowAt } from './rules.ts';
import * as store from './store.ts';

/** Limits on attempts, counted in PostgreSQL so that they hold across replicas and restarts. */
export interface Attempts {
  /**
   * Counts an attempt before it is made, so that attempts at the same moment cannot all pass. Throws `LOGIN_LIMITED`
   * with the seconds until the next window.
   */
  take(limit: AttemptLimit, subject: string): Promise<void>;
  /** Counts an attempt, and returns the number of attempts in this window, this one included. */
  count(limit: AttemptLimit, subject: string): Promise<number>;
  /** Takes back an attempt that succeeded. */
  giveBack(limit: AttemptLimit, subject: string): Promise<void>;
  /** Forgets earlier failures, once the subject has proved who it is. */
  clear(limit: AttemptLimit, subject: string): Promise<void>;
}

export function createAttempts(db: Database, clock: Clock): Attempts {
  return {
    async take(limit, subject) {
      const { start, secondsLeft } = windowAt(limit, clock.now());
      const count = await store.countAttempt(db, { kind: limit.kind, subject: digest(subject), windowStart: start });
      if (count > limit.attempts)
        throw fail('LOGIN_LIMITED', { seconds: secondsLeft }, { retryAfterSeconds: secondsLeft });
    },
    async count(limit, subject) {
      const { start } = windowAt(limit, clock.now());
      return store.countAttempt(db, { kind: limit.kind, subject: digest(subject), windowStart: start });
    },
    async giveBack(limit, subject) {
      const { start } = windowAt(limit, clock.now());
      await store.uncountAttempt(db, { kind: limit.kind, subject: digest(subject), windowStart: start });
    },
    async clear(limit, subject) {
      await store.clearAttempts(db, limit.kind, digest(subject));
    },
  };
}

/** Hashed, so that the length is bounded and the table reveals no addresses. */
function digest(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
