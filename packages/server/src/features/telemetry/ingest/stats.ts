import { SIGNALS, type Signal } from '@fanion/telemetry';
import type { WalStats } from '../../../platform/wal/index.ts';

/** Counts of one signal since the start. */
export interface SignalStats {
  requests: number;
  accepted: number;
  rejected: number;
  /** Inflated. */
  bytes: number;
  /** Requests that had been stored before; not counted in the others. */
  repeated: number;
}

export interface IngestStats {
  signals: Record<Signal, SignalStats>;
  /** Rows acknowledged by the store, by table. */
  storedRows: Record<string, number>;
  /** Of these, by whether they could be queried within 5 s of their acknowledgement; a segment counts by its oldest entry. */
  queryableRows: { withinFiveSeconds: number; later: number };
  quarantined: number;
  quarantinedItems: number;
  /** Inserts that failed and were sent to the store again. */
  insertsRepeated: number;
  /** Why the store rejects inserts; `undefined` while it accepts them. */
  storeError: string | undefined;
  wal: WalStats;
  /** Bytes of requests in progress. */
  bodyBytes: number;
}

/** All counts at zero. */
export function emptyStats(): Omit<IngestStats, 'storeError' | 'wal' | 'bodyBytes'> {
  const signals = Object.fromEntries(
    SIGNALS.map((signal) => [signal, { requests: 0, accepted: 0, rejected: 0, bytes: 0, repeated: 0 }]),
  ) as Record<Signal, SignalStats>;
  return {
    signals,
    storedRows: {},
    queryableRows: { withinFiveSeconds: 0, later: 0 },
    quarantined: 0,
    quarantinedItems: 0,
    insertsRepeated: 0,
  };
}
