export const signals = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof signals)[number];

export interface Arrived {
  readonly project: number;
  readonly signal: string;
  readonly items_in_window: number;
  readonly bytes_in_window: number;
  readonly items_kept: number;
  readonly last_ms: string;
}
export interface Stored {
  readonly signal: Signal;
  readonly rows: number;
  readonly bytes: number;
}
export interface Refused {
  readonly project: number;
  readonly signal: string;
  readonly kind: string;
  readonly reason: string;
  readonly items: number;
}

/** What a project has sent of each signal, and what became of it; all signals, also those that never came. */
export function usageOfSignals(
  project: number,
  facts: {
    readonly arrived: readonly Arrived[];
    readonly stored: readonly Stored[];
    readonly refused: readonly Refused[];
  },
  retentionDays: number,
) {
  return signals.map((signal) => {
    const arrived = facts.arrived.find((row) => row.project === project && row.signal === signal);
    const stored = facts.stored.find((row) => row.signal === signal);
    const refused = facts.refused.filter((row) => row.project === project && row.signal === signal);
    const refusedAs = (kind: string) =>
      refused.filter((row) => row.kind === kind).reduce((sum, { items }) => sum + items, 0);
    return {
      signal,
      items: arrived?.items_in_window ?? 0,
      bytes: arrived?.bytes_in_window ?? 0,
      bytes_stored: storedBytes(arrived?.items_kept ?? 0, stored),
      retention_days: retentionDays,
      last_at: arrived === undefined ? null : new Date(Number(arrived.last_ms)).toISOString(),
      rejected: refusedAs('rejected'),
      quarantined: refusedAs('quarantined'),
      dropped: refusedAs('dropped'),
      reasons: refused.slice(0, 20).map(({ kind, reason, items }) => ({ kind, reason, items })),
    };
  });
}

/** What items take on disk if each is like the average; never more than there is. */
function storedBytes(items: number, stored: Stored | undefined): number {
  if (stored === undefined || stored.rows === 0) return 0;
  return Math.round(Math.min(items, stored.rows) * (stored.bytes / stored.rows));
}
