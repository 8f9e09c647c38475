import type { ErrorState } from '@fanion/contract';
import type { Window } from '../../../platform/time-window.ts';

/** What somebody decided about an error. */
export interface Decision {
  readonly state: ErrorState;
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly comment: string | null;
}

/**
 * The state of an error at the end of the window that was read: a resolved one that occurred again is open.
 * @param lastSeenMs its last occurrence
 */
export function stateOf(decision: Decision | undefined, lastSeenMs: number) {
  const isRegression = decision?.state === 'resolved' && lastSeenMs > decision.changedAt.getTime();
  return {
    state: isRegression ? ('open' as const) : (decision?.state ?? 'open'),
    is_regression: isRegression,
    changed_at: decision?.changedAt.toISOString() ?? null,
    changed_by: decision?.changedBy ?? null,
    comment: decision?.comment ?? null,
  };
}

export interface Deploy {
  readonly service: string;
  readonly version: string;
  readonly atMs: number;
}

/**
 * The last deploy of one of the services, if the error was first seen after it, in that service's version or a later one.
 * @param deploys in any order
 */
export function newSince(
  { services, firstSeenMs }: { readonly services: readonly string[]; readonly firstSeenMs: number },
  deploys: readonly Deploy[],
): { readonly service: string; readonly version: string; readonly at: string } | null {
  const last = deploys
    .filter(({ service }) => services.includes(service))
    .reduce<Deploy | undefined>(
      (latest, one) => (latest === undefined || one.atMs > latest.atMs ? one : latest),
      undefined,
    );
  if (last === undefined || firstSeenMs < last.atMs) return null;
  return { service: last.service, version: last.version, at: new Date(last.atMs).toISOString() };
}

/** The end of a page: its window, so that a relative one stays fixed, and the last row's rank and id. */
export interface Position {
  readonly window: Window;
  /** What the rows are sorted by, a whole number. */
  readonly rank: string;
  readonly id: string;
}

const POSITION = /^(\d{1,19}) (\d{1,19}) (\d{1,19}) ([0-9a-f]{32})$/;

export function positionKey({ window, rank, id }: Position): string {
  return [window.fromNs, window.toNs, rank, id].join(' ');
}

export function readPosition(key: string): Position | undefined {
  const [, from, to, rank, id] = POSITION.exec(key) ?? [];
  if (from === undefined || to === undefined || rank === undefined || id === undefined) return undefined;
  const window = { fromNs: BigInt(from), toNs: BigInt(to) };
  return window.fromNs < window.toNs ? { window, rank, id } : undefined;
}

export function isPositionKey(key: string): boolean {
  return readPosition(key) !== undefined;
}

export function isGroupId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
