import { byLabel, Histogram, type Labeled, type Registry, readMetrics } from '../../../platform/own-metrics.ts';
import type { IngestStats, SignalStats } from './stats.ts';

interface Counted {
  readonly stats: () => IngestStats;
  /** Segments that are closed and not stored. */
  readonly pending: () => number;
  /** Unix milliseconds; undefined: everything is stored. */
  readonly unstoredSince: () => number | undefined;
  readonly refused: () => readonly Labeled[];
  readonly now: () => number;
}

export interface IngestDurations {
  /** Seconds of one sync of the write-ahead log. */
  synced(seconds: number): void;
  /** Seconds of each insert that the store took. */
  inserted(seconds: readonly number[]): void;
}

/** Declares the metrics of the write-ahead log and of what goes through it. */
export function declareIngestMetrics(registry: Registry, counted: Counted): IngestDurations {
  const { stats, pending, unstoredSince, refused, now } = counted;
  const bySignal = (of: keyof SignalStats) => () => countsOf(stats(), of);
  const signal = ['signal'];
  readMetrics(registry, {
    fanion_ingest_requests_total: { help: 'Acknowledged requests', labels: signal, read: bySignal('requests') },
    fanion_ingest_requests_repeated_total: {
      help: 'Requests that had been acknowledged before, and were not stored again',
      labels: signal,
      read: bySignal('repeated'),
    },
    fanion_ingest_bytes_total: { help: 'Bytes of these requests, inflated', labels: signal, read: bySignal('bytes') },
    fanion_ingest_items_accepted_total: {
      help: 'Acknowledged spans, log records, points and samples',
      labels: signal,
      read: bySignal('accepted'),
    },
    fanion_ingest_refused_total: {
      help: 'Items that were rejected, dropped or quarantined, and whole requests that were refused, by reason',
      labels: ['signal', 'kind', 'reason'],
      read: refused,
    },
    fanion_ingest_rows_stored_total: {
      help: 'Rows that the telemetry store has acknowledged',
      labels: ['table'],
      read: () => byLabel('table', stats().storedRows),
    },
    fanion_ingest_rows_queryable_total: {
      help: 'Of these, by whether they could be queried within 5 s of their acknowledgement; rows stored together count by the oldest of them',
      labels: ['within_5s'],
      read: () => queryableRows(stats()),
    },
    fanion_ingest_items_quarantined_total: {
      help: 'Acknowledged items that could not be stored and were set aside',
      read: () => stats().quarantinedItems,
    },
    fanion_ingest_inserts_repeated_total: {
      help: 'Inserts that the telemetry store refused and that were sent again',
      read: () => stats().insertsRepeated,
    },
    fanion_ingest_body_bytes: { help: 'Bytes of telemetry requests under way', read: () => stats().bodyBytes },
    fanion_ingest_pending_segments: { help: 'Segments that are not stored yet', read: pending },
    fanion_wal_bytes: { help: 'Bytes in the write-ahead log', read: () => stats().wal.bytes },
    fanion_wal_max_bytes: {
      help: 'Bytes at which the write-ahead log is full and ingest answers 503',
      read: () => stats().wal.maxBytes,
    },
    fanion_wal_full_ratio: {
      help: 'The share of the bytes in the log in those at which it is full',
      read: () => stats().wal.bytes / stats().wal.maxBytes,
    },
    fanion_wal_age_seconds: {
      help: 'Time since the oldest telemetry was acknowledged that is not stored yet; 0: all is stored',
      read: () => Math.max(0, now() - (unstoredSince() ?? now())) / 1_000,
    },
  });
  return declareDurations(registry);
}

function countsOf({ signals }: IngestStats, of: keyof SignalStats): readonly Labeled[] {
  return byLabel('signal', Object.fromEntries(Object.entries(signals).map(([name, { [of]: count }]) => [name, count])));
}

function queryableRows({ queryableRows: { withinFiveSeconds, later } }: IngestStats): readonly Labeled[] {
  return byLabel('within_5s', { yes: withinFiveSeconds, no: later });
}

function declareDurations(registry: Registry): IngestDurations {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers: [registry] });
  const sync = histogram(
    'fanion_wal_sync_duration_seconds',
    'Syncs of the write-ahead log to disk; each request waits for one',
    [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25, 1],
  );
  const insert = histogram(
    'fanion_ingest_insert_duration_seconds',
    'Inserts that the telemetry store took',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  );
  return {
    synced: (seconds) => sync.observe(seconds),
    inserted: (seconds) => {
      for (const one of seconds) insert.observe(one);
    },
  };
}
