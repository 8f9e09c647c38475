import { SIGNALS, type Signal } from '@fanion/telemetry';
import type { WalStats } from '../../../platform/wal/index.ts';

/** What came of one signal since the start. */
export interface SignalStats {
  requests: number;
  accepted: number;
  rejected: number;
  /** Inflated. */
  bytes: number;
}

export interface IngestStats {
  signals: Record<Signal, SignalStats>;
  /** Rows that the store has acknowledged, by table. */
  storedRows: Record<string, number>;
  quarantined: number;
  quarantinedItems: number;
  /** Why the store takes no inserts; `undefined`: it does. */
  storeError: string | undefined;
  wal: WalStats;
  /** Of requests under way. */
  bodyBytes: number;
}

/** Nothing yet. */
export function emptyStats(): Pick<IngestStats, 'signals' | 'storedRows' | 'quarantined' | 'quarantinedItems'> {
  const signals = Object.fromEntries(
    SIGNALS.map((signal) => [signal, { requests: 0, accepted: 0, rejected: 0, bytes: 0 }]),
  ) as Record<Signal, SignalStats>;
  return { signals, storedRows: {}, quarantined: 0, quarantinedItems: 0 };
}
