import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Stores } from '../../../stores.ts';
import type { Rulesets, Streams } from '../../flags/evaluation/index.ts';
import type { ExposureStats, Exposures } from '../../flags/exposures/index.ts';
import type { Ingest } from '../../telemetry/ingest/index.ts';
import type { RollUpLag } from '../../telemetry/roll-ups/index.ts';
import { type Health, watchHealth } from './health.ts';
import { createMetrics } from './metrics.ts';

interface ObservedParts {
  readonly db: Database;
  readonly log: Log;
  readonly stores: Stores;
  readonly clickhouse: ClickHouse;
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly ingest: Ingest;
  readonly gateway: Gateway;
  readonly exposures: Pick<Exposures, 'stats'>;
  readonly rollUpLag: RollUpLag;
  /** What the process that evaluates flags has counted, if there is one. */
  readonly evaluator: () => { readonly exposures: ExposureStats; readonly restarts: number } | undefined;
}

/** The state of this server's dependencies, for `/readyz`. */
export function watchOwnHealth({ db, log, clickhouse, rulesets, ingest }: ObservedParts): Health {
  return watchHealth(
    [
      {
        name: 'control_plane',
        check: async () => {
          await db
            .selectNoFrom((eb) => eb.val(1).as('one'))
            .execute()
            .catch((error: unknown) => {
              const old = rulesets.fromDisk();
              if (old === 0) throw error;
              throw new Error(`away since the start: ${old} environments are served as they were, from disk`);
            });
          return { status: 'up' };
        },
      },
      { name: 'telemetry_store', check: async () => ({ status: (await clickhouse.ping()) ? 'up' : 'down' }) },
      {
        name: 'write_ahead_log',
        check: async () => {
          const { storeError } = ingest.stats();
          if (storeError === undefined) return { status: 'up' };
          return { status: 'degraded', detail: `waiting for the telemetry store: ${storeError.slice(0, 200)}` };
        },
      },
    ],
    { log },
  );
}

/** The gauges of `/internal/metrics`, apart from those of Node and of requests. */
export function createOwnMetrics({ ingest, streams, gateway, stores, exposures, rollUpLag, evaluator }: ObservedParts) {
  const counts = (of: keyof ExposureStats) => () => exposures.stats()[of] + (evaluator()?.exposures[of] ?? 0);
  const byLane = (of: 'running' | 'waiting' | 'refused') => () =>
    Object.fromEntries(Object.entries(gateway.state().lanes).map(([lane, state]) => [lane, state[of]]));
  return createMetrics({
    fanion_wal_bytes: { help: 'Bytes in the write-ahead log', read: () => ingest.stats().wal.bytes },
    fanion_ingest_pending_segments: { help: 'Segments that are not stored yet', read: () => ingest.pending() },
    fanion_ingest_inserts_repeated: {
      help: 'Inserts that the telemetry store refused and that were sent again, since the start',
      read: () => ingest.stats().insertsRepeated,
    },
    fanion_ingest_items_quarantined: {
      help: 'Acknowledged items that could not be stored and were set aside, since the start',
      read: () => ingest.stats().quarantinedItems,
    },
    fanion_flag_evaluations_counted: {
      help: 'Evaluations of single flags since the start',
      read: counts('counted'),
    },
    fanion_flag_evaluations_logged: {
      help: 'Of these, the ones whose counts are in the write-ahead log',
      read: counts('logged'),
    },
    fanion_flag_evaluations_waiting_bytes: {
      help: 'Counts of evaluations that the write-ahead log has not taken yet',
      read: counts('waitingBytes'),
    },
    fanion_flag_evaluations_lost: {
      help: 'Evaluations that were not counted: there was no room',
      read: counts('lost'),
    },
    fanion_flag_exposures_unseen: {
      help: 'Evaluations that were counted without their unit and trace: there were too many at once',
      read: counts('unseen'),
    },
    fanion_ingest_body_bytes: { help: 'Bytes of telemetry requests under way', read: () => ingest.stats().bodyBytes },
    fanion_flag_streams: { help: 'Open streams of flags', read: () => streams.count() },
    fanion_queries_running: { help: 'Queries that run now, by lane', label: 'lane', readEach: byLane('running') },
    fanion_queries_waiting: {
      help: 'Queries that wait for their turn, by lane',
      label: 'lane',
      readEach: byLane('waiting'),
    },
    fanion_queries_refused: {
      help: 'Queries rejected with 429 since the start, by lane',
      label: 'lane',
      readEach: byLane('refused'),
    },
    fanion_query_cache_bytes: { help: 'Bytes of kept answers', read: () => gateway.state().cache.bytes },
    fanion_query_cache_hits: {
      help: 'Queries answered from a kept or running answer since the start',
      read: () => gateway.state().cache.hits,
    },
    fanion_query_cache_misses: {
      help: 'Queries that accepted an older answer and found none, since the start',
      read: () => gateway.state().cache.misses,
    },
    fanion_queries_asked_again: {
      help: 'Statements that were asked again since the start, by what they had assumed and did not hold',
      label: 'assumption',
      readEach: () => gateway.state().refuted,
    },
    fanion_recent_points_bytes: {
      help: 'Bytes of recent points in memory',
      read: () => gateway.state().recent?.bytes ?? 0,
    },
    fanion_recent_points_answers: {
      help: 'Queries answered from recent points in memory since the start',
      read: () => gateway.state().recent?.answered ?? 0,
    },
    fanion_compilations_in_thread: {
      help: 'OQL texts compiled in the worker thread since the start',
      read: () => gateway.compiler.stats().inThread,
    },
    fanion_compilations_stopped: {
      help: 'OQL texts that took longer to compile than allowed, since the start',
      read: () => gateway.compiler.stats().stopped,
    },
    fanion_metric_rollup_hours_waiting: {
      help: 'Hours of single metrics that the last run of roll-ups on this server left; their points are read instead',
      read: () => rollUpLag.read().hours,
    },
    fanion_metric_rollup_lag_seconds: {
      help: 'Age of the oldest of these hours when the run began; 0: none was left',
      read: () => rollUpLag.read().seconds,
    },
    fanion_server_restarts: {
      help: 'Restarts of the server by the process that evaluates flags',
      read: () => evaluator()?.restarts ?? 0,
    },
    fanion_store_restarts_control: {
      help: 'Restarts of the embedded control plane',
      read: () => stores.restarts().control,
    },
    fanion_store_restarts_telemetry: {
      help: 'Restarts of the embedded telemetry store',
      read: () => stores.restarts().telemetry,
    },
  });
}
