import type { StoredTo } from '../../../platform/replicas/index.ts';

/** Rows of the telemetry store to delete. */
export interface TelemetryPlace {
  /** Id of the removal; the store's mutations carry it, so that none is ordered twice. */
  readonly removal: string;
  /** `workspaces.number`. */
  readonly workspace: number;
  /** `projects.number`; undefined: every project. */
  readonly project: number | undefined;
  /** The environment's key, as rows have it; undefined: every environment. */
  readonly environment: string | undefined;
  /**
   * Only rows whose time is before this. Numbers of workspaces and projects are never reused, but the key of an
   * environment can be: the telemetry of a new environment with the same key must stay.
   */
  readonly before: Date | undefined;
  /** Only rows that have this attribute with this value; undefined: all rows. */
  readonly holds?: { readonly attribute: string; readonly value: string } | undefined;
}

/** By then, every request that any server accepted before it heard of the removal is in its log. */
const acceptedMs = 5 * 60_000;
/** A last pass for what was in the log of a server that was down. */
const lastPassMs = 12 * 3_600_000;
/** How long to wait for servers that have not stored their logs yet. */
const waitMs = 30_000;

/**
 * Until when a pass over all tables has to wait; undefined: it can begin.
 * @param stored up to when servers have stored what they acknowledged
 */
export function waitBeforeSweep(removedAt: Date, now: number, stored: StoredTo): Date | undefined {
  const accepted = removedAt.getTime() + acceptedMs;
  if (now < accepted) return undefined;
  const storedTo = now < removedAt.getTime() + lastPassMs ? stored.running : stored.all;
  return storedTo < accepted ? new Date(now + waitMs) : undefined;
}

/**
 * When to pass over all tables again, after a pass that has cleared them; undefined: nothing can come any longer.
 * @param sweepAt when the pass began
 */
export function nextSweep(removedAt: Date, sweepAt: Date): Date | undefined {
  return [acceptedMs, lastPassMs].map((ms) => new Date(removedAt.getTime() + ms)).find((at) => sweepAt < at);
}

/** Whether a pass that began at a time has deleted all that was acknowledged by servers that run. */
export function isComplete(removedAt: Date, sweepAt: Date): boolean {
  return sweepAt.getTime() >= removedAt.getTime() + acceptedMs;
}

/** Groups partitions, so that neither a statement nor what it reads becomes too large. */
export function inGroups<T extends { readonly rows: number }>(
  partitions: readonly T[],
  most: { readonly partitions: number; readonly rows: number },
): T[][] {
  const groups: T[][] = [];
  let rows = 0;
  for (const one of partitions) {
    const last = groups.at(-1);
    rows += one.rows;
    if (last === undefined || last.length >= most.partitions || rows > most.rows) {
      groups.push([one]);
      rows = one.rows;
    } else last.push(one);
  }
  return groups;
}
