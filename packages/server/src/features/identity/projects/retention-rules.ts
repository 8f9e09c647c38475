import { fail } from '../../../platform/fail.ts';
import { type Signal, signals } from './telemetry-rules.ts';

/** How long telemetry may be kept, in days. Only a few classes, since each has its own partitions in every table. */
export interface RetentionClasses {
  /** For projects that choose nothing; always among `allowed`. */
  readonly default: number;
  /** Ascending. */
  readonly allowed: readonly number[];
}

/** Days by signal. */
export type Retention = Readonly<Record<Signal, number>>;
/** In the form of the API; null: the server's default. */
export type ChosenRetention = Readonly<Record<Signal, number | null>>;
/** The project's own choice, as its row stores it. */
export type StoredRetention = Readonly<Partial<Record<string, number>>>;

export function chosenRetention(stored: StoredRetention): ChosenRetention {
  return bySignal((signal) => stored[signal] ?? null);
}

/** The retention of telemetry that arrives now. */
export function retentionOf(stored: StoredRetention, fallback: number): Retention {
  return bySignal((signal) => stored[signal] ?? fallback);
}

/**
 * What to store after a change, which may name only some signals; null restores the default. Throws `INVALID_INPUT` for
 * a number of days that is not a class.
 */
export function changeRetention(
  before: StoredRetention,
  change: Partial<Record<Signal, number | null | undefined>>,
  { allowed }: RetentionClasses,
): StoredRetention {
  const after: Partial<Record<Signal, number>> = {};
  for (const signal of signals) {
    const wanted = change[signal];
    const days = wanted === undefined ? before[signal] : wanted;
    if (typeof wanted === 'number' && !allowed.includes(wanted)) refuse(signal, allowed);
    if (typeof days === 'number') after[signal] = days;
  }
  return after;
}

function refuse(signal: Signal, allowed: readonly number[]): never {
  const path = `retention.${signal}`;
  const message = `one of ${allowed.join(', ')} days, or null for the default`;
  throw fail('INVALID_INPUT', { reason: `${path}: ${message}` }, { details: [{ path, message }] });
}

function bySignal<T>(value: (signal: Signal) => T): Record<Signal, T> {
  return {
    traces: value('traces'),
    logs: value('logs'),
    metrics: value('metrics'),
    profiles: value('profiles'),
  };
}
