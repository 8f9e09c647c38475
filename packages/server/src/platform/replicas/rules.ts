export interface Replica {
  readonly id: string;
  /** Its roles: `api,ingest,flags,jobs` or some of them. */
  readonly roles: string;
  /** `embedded`: its own telemetry store, which no other replica can read. */
  readonly telemetryStore: 'embedded' | 'external';
  readonly version: string;
}

export interface SeenReplica extends Replica {
  readonly startedAt: Date;
  /** Seconds since its last heartbeat, by the control plane's clock. */
  readonly silentSeconds: number;
}

export const heartbeatMs = 5_000;
/** A replica that was silent for longer than this counts as gone. */
const staleSeconds = 30;

export function isLive(replica: Pick<SeenReplica, 'silentSeconds'>): boolean {
  return replica.silentSeconds <= staleSeconds;
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
