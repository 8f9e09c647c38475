export const signals = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof signals)[number];

/**
 * Why data was not stored. `refused` counts whole requests, `repeated` has the reasons `requests` and `items`, the others count items.
 */
export type RefusalKind = 'rejected' | 'quarantined' | 'dropped' | 'refused' | 'repeated';

export interface Arrived {
  readonly project: number;
  readonly signal: Signal;
  readonly items_in_window: number;
  readonly bytes_in_window: number;
  readonly last_ms: string;
}
/** Rows that are stored now. */
export interface Kept {
  readonly project: number;
  readonly signal: Signal;
  readonly rows: number;
}
export interface Stored {
  readonly signal: Signal;
  readonly rows: number;
  readonly bytes: number;
}
export interface Refused {
  readonly project: number;
  readonly signal: Signal;
  readonly kind: RefusalKind;
  readonly reason: string;
  readonly items: number;
  /** Of all reasons of this kind. */
  readonly total: number;
}
/** Evaluations of flags. */
export interface Evaluated {
  readonly project: number;
  /** In the window. */
  readonly answered: number;
  readonly reported: number;
  /** Rows that are stored now. */
  readonly rows: number;
  /** 0: none. */
  readonly last_ms: string;
}
/** What arrived in one hour or day. */
export interface Interval {
  readonly project: number;
  readonly signal: Signal;
  /** Unix seconds. */
  readonly at: number;
  readonly items: number;
  readonly bytes: number;
  /** Items that were not stored. */
  readonly lost: number;
}

const hour = 3600;
const day = 24 * hour;
/** Beyond three days, usage is reported by day. */
const hourlyUpTo = 3 * day;

/** Seconds per step of a window's history. */
export function stepOf(windowSeconds: number): number {
  return windowSeconds <= hourlyUpTo ? hour : day;
}

/** What a project has sent of each signal and what was stored of it, for all signals, also those without data. */
export function usageOfSignals(
  project: number,
  facts: {
    readonly arrived: readonly Arrived[];
    readonly kept: readonly Kept[];
    readonly stored: readonly Stored[];
    readonly refused: readonly Refused[];
  },
  retentionDays: Readonly<Record<Signal, number>>,
) {
  return signals.map((signal) => {
    const isOwn = (row: { project: number; signal: Signal }) => row.project === project && row.signal === signal;
    const arrived = facts.arrived.find(isOwn);
    const kept = facts.kept.find(isOwn);
    const stored = facts.stored.find((row) => row.signal === signal);
    const refused = facts.refused.filter(isOwn);
    const repeated = (what: 'requests' | 'items') =>
      refused.find(({ kind, reason }) => kind === 'repeated' && reason === what)?.items ?? 0;
    const totalOf = (kind: RefusalKind) => refused.find((row) => row.kind === kind)?.total ?? 0;
    return {
      signal,
      items: arrived?.items_in_window ?? 0,
      bytes: arrived?.bytes_in_window ?? 0,
      bytes_stored: storedBytes(kept?.rows ?? 0, stored),
      retention_days: retentionDays[signal],
      last_at: arrived === undefined ? null : new Date(Number(arrived.last_ms)).toISOString(),
      rejected: totalOf('rejected'),
      quarantined: totalOf('quarantined'),
      dropped: totalOf('dropped'),
      refused_requests: totalOf('refused'),
      repeated: { requests: repeated('requests'), items: repeated('items') },
      reasons: refused.flatMap(({ kind, reason, items }) => (kind === 'repeated' ? [] : [{ kind, reason, items }])),
    };
  });
}

/** The number of flag evaluations of a project, and what is stored of them. */
export function usageOfEvaluations(
  project: number,
  evaluated: readonly Evaluated[],
  stored: { readonly rows: number; readonly bytes: number },
  retentionDays: number,
) {
  const own = evaluated.find((row) => row.project === project);
  const lastMs = Number(own?.last_ms ?? 0);
  return {
    answered: own?.answered ?? 0,
    reported: own?.reported ?? 0,
    bytes_stored: storedBytes(own?.rows ?? 0, stored),
    retention_days: retentionDays,
    last_at: lastMs > 0 ? new Date(lastMs).toISOString() : null,
  };
}

/** Bytes on disk of a number of rows of average size; never more than the total. */
function storedBytes(rows: number, stored: Pick<Stored, 'rows' | 'bytes'> | undefined): number {
  if (stored === undefined || stored.rows === 0) return 0;
  return Math.round(Math.min(rows, stored.rows) * (stored.bytes / stored.rows));
}
