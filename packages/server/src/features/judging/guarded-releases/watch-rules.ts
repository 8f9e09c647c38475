import type { GuardedLook, MetricDefinition } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';

/** The longest watch. */
export const longestWatch = '30d';

/** Parts of a watch that are judged by themselves, so that the hours before do not hide harm that begins late. */
export const watchParts = 4;

export interface Watch {
  /** `0s`: none. */
  readonly watch: string;
  /** Since when everybody gets the variant; null before. */
  readonly watchedSince: Date | null;
}

/** When the watch is over; null while there is none. */
export function watchEndsAt({ watch, watchedSince }: Watch): Date | null {
  return watchedSince === null ? null : new Date(watchedSince.getTime() + durationMs(watch));
}

/** When the part of the watch began in which `nowMs` is. */
export function partStartMs(watch: string, watchedSince: Date, nowMs: number): number {
  const length = durationMs(watch) / watchParts;
  const part = Math.floor((nowMs - watchedSince.getTime()) / length);
  return watchedSince.getTime() + Math.min(watchParts - 1, Math.max(0, part)) * length;
}

/**
 * Whether a metric of one time can be compared with that of another. A unit that is a person does more the longer it is watched, and the units of the steps
 * had more time; the mean of rows, and what happens within one trace, do not depend on it.
 */
export function isTimeless({ kind, unit }: Pick<MetricDefinition, 'kind' | 'unit'>): boolean {
  return unit === 'trace_id' || kind === 'mean' || kind === 'ratio' || kind === 'quantile';
}

/** Why a release is complete after its watch, with what its guards could not say. */
export function watchedText(watch: string, look: GuardedLook): string {
  const unsure = look.guards.filter(({ verdict }) => verdict !== 'no_harm');
  const found = `Everybody has had the variant for ${watch}, and no guard has found harm against the control before 100 %.`;
  if (unsure.length === 0) return found;
  const told = unsure.map(({ name, error }) => (error === null ? name : `${name} (${error})`));
  return `${found} Not sure at the end: ${told.join(', ')}.`;
}
