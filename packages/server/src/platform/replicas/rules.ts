export interface Replica {
  readonly id: string;
  /** Its roles: `api,ingest,flags,jobs` or some of them. */
  readonly roles: string;
  /** `embedded`: its own telemetry store, which no other replica can read. */
  readonly telemetryStore: 'embedded' | 'external';
  readonly version: string;
}

export interface SeenReplica extends Replica {
  /** Up to when what it has acknowledged can be queried, as it said with its last heartbeat; null: not said yet. */
  readonly storedTo: Date | null;
  readonly startedAt: Date;
  /** Seconds since its last heartbeat, by the control plane's clock. */
  readonly silentSeconds: number;
}

export const heartbeatMs = 5_000;
/** Servers that share a telemetry store wait for what is in each other's logs, which heartbeats publish. */
const sharedHeartbeatMs = 1_000;

export function heartbeatOf({ telemetryStore }: Pick<Replica, 'telemetryStore'>): number {
  return telemetryStore === 'external' ? sharedHeartbeatMs : heartbeatMs;
}
/** A replica that was silent for longer than this counts as gone. */
const staleSeconds = 30;

export function isLive(replica: Pick<SeenReplica, 'silentSeconds'>): boolean {
  return replica.silentSeconds <= staleSeconds;
}

/** What a replica that ended without notice may have in its log counts for this long. */
const forgottenAfterSeconds = 600;

/** Up to when what servers have acknowledged can be queried, in milliseconds since the epoch. */
export interface StoredTo {
  /** By the servers that run: what is missing will be there soon. */
  readonly running: number;
  /** By servers that ended lately too: what is missing will be there when they start again. */
  readonly all: number;
}

/** @param own of this server, in milliseconds since the epoch */
export function storedToOf(own: number, others: readonly Pick<SeenReplica, 'storedTo' | 'silentSeconds'>[]): StoredTo {
  const within = (seconds: number) =>
    Math.min(
      own,
      ...others.flatMap(({ storedTo, silentSeconds }) =>
        storedTo === null || silentSeconds > seconds ? [] : [storedTo.getTime()],
      ),
    );
  return { running: within(staleSeconds), all: within(forgottenAfterSeconds) };
}

/**
 * Why a replica cannot join the live ones, as a message for the operator; undefined if it can. Each embedded telemetry
 * store belongs to one server, so with two servers half of the data would be missing from every answer.
 */
export function conflictWith(joining: Replica, others: readonly SeenReplica[]): string | undefined {
  const live = others.filter((other) => other.id !== joining.id && isLive(other));
  const embedded = live.find((other) => other.telemetryStore === 'embedded');
  const other = joining.telemetryStore === 'embedded' ? live[0] : embedded;
  if (other === undefined) return undefined;
  const who = `server ${other.id} (version ${other.version}, heard of ${Math.round(other.silentSeconds)} s ago)`;
  const what =
    joining.telemetryStore === 'embedded'
      ? `CLICKHOUSE_URL is not set, and ${who} uses this control plane (DATABASE_URL) already`
      : `${who} uses this control plane (DATABASE_URL) already and was started without CLICKHOUSE_URL`;
  return `${what}. Servers that share a control plane have to share a telemetry store too: set CLICKHOUSE_URL to the same store on each of them. If that server has stopped, start again in ${staleSeconds} s.`;
}

/** The roles that a replica fills now: without `jobs` while its clock is wrong, so that the others share all of that work. */
export function rolesOf({ roles }: Pick<Replica, 'roles'>, isClockTrusted: boolean): string {
  const all = roles.split(',');
  return all.filter((role) => isClockTrusted || role !== 'jobs').join(',');
}

/**
 * How much a clock is ahead of another at least, in milliseconds; negative: behind. The other was read at a moment between two of this
 * one, so a slow answer is no difference.
 */
export function aheadOf({ before, after, other }: { before: number; after: number; other: number }): number {
  if (other < before) return before - other;
  return other > after ? after - other : 0;
}

/** What people and commands still call the same time; that of `fanion doctor`. */
const clockToleranceMs = 5_000;

/** @param aheadMs how much one clock is ahead of another */
export function areApart(aheadMs: number): boolean {
  return Math.abs(aheadMs) > clockToleranceMs;
}
