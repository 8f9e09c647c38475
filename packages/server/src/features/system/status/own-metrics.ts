import type { Pool } from 'pg';
import type { Tls } from '../../../http/tls.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';
import { byLabel, type ReadMetric, type Registry, readMetrics } from '../../../platform/own-metrics.ts';
import type { Stores } from '../../../stores.ts';
import type { Rulesets, Streams } from '../../flags/evaluation/index.ts';
import type { ExposureStats, Exposures } from '../../flags/exposures/index.ts';
import type { RollUpLag } from '../../telemetry/roll-ups/index.ts';

type Metrics = Readonly<Record<string, ReadMetric>>;

interface MeasuredParts extends Flags {
  readonly tls: Pick<Tls, 'file' | 'expiresAt'> | undefined;
  readonly registry: Registry;
  readonly build: { readonly version: string; readonly commit: string | null };
  readonly stores: Pick<Stores, 'restarts'>;
  readonly pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
  readonly outbox: Pick<Outbox, 'toldUntil'>;
  readonly gateway: Pick<Gateway, 'state' | 'compiler'>;
  readonly rollUpLag: RollUpLag;
  /** The file system of the data directory. */
  readonly disk: () => { readonly freeBytes: number; readonly bytes: number };
}

interface Flags {
  readonly clock: { now(): number };
  readonly rulesets: Pick<Rulesets, 'fromDisk' | 'comparedAt'>;
  readonly streams: Pick<Streams, 'count'>;
  readonly exposures: Pick<Exposures, 'stats'>;
  /** What the process that evaluates flags has counted, if there is one. */
  readonly evaluator: () => { readonly exposures: ExposureStats; readonly restarts: number } | undefined;
}

/** Declares the metrics of parts that do not declare their own; `docs/metrics.md` lists all. */
export function declareOwnMetrics(parts: MeasuredParts): void {
  const { registry, build, stores, pool, outbox, clock, gateway, rollUpLag, evaluator, tls, disk } = parts;
  readMetrics(registry, {
    ...serverMetrics(build, () => evaluator()?.restarts ?? 0),
    fanion_tls_certificate_expires_timestamp_seconds: {
      help: 'When the certificate of the listeners expires',
      labels: ['file'],
      read: () => (tls === undefined ? [] : [[{ file: tls.file }, tls.expiresAt() / 1_000]]),
    },
    fanion_tls_certificate_valid_seconds: {
      help: 'Time until then; below 0: it has expired',
      labels: ['file'],
      read: () => (tls === undefined ? [] : [[{ file: tls.file }, (tls.expiresAt() - clock.now()) / 1_000]]),
    },
    ...diskMetrics(disk),
    ...storeMetrics(stores, pool),
    fanion_outbox_lag_seconds: {
      help: 'Time since which changes may exist that this server has not read',
      read: () => since(outbox.toldUntil(), clock.now()),
    },
    ...queryMetrics(gateway),
    ...rollUpMetrics(rollUpLag),
    ...flagMetrics(parts),
  });
}

function serverMetrics({ version, commit }: MeasuredParts['build'], restarts: () => number): Metrics {
  return {
    fanion_build_info: {
      help: 'Always 1; its labels tell what runs',
      labels: ['version', 'commit', 'node'],
      read: () => [[{ version, commit: commit ?? '', node: process.version }, 1]],
    },
    fanion_server_restarts_total: {
      help: 'Restarts of the server by the process that evaluates flags',
      read: restarts,
    },
  };
}

function diskMetrics(disk: MeasuredParts['disk']): Metrics {
  return {
    fanion_data_disk_free_bytes: {
      help: 'Bytes that are free in the file system of the data directory',
      read: () => disk().freeBytes,
    },
    fanion_data_disk_free_ratio: {
      help: 'Their share of that file system',
      read: () => {
        const { freeBytes, bytes } = disk();
        return bytes === 0 ? 0 : freeBytes / bytes;
      },
    },
  };
}

function storeMetrics(stores: MeasuredParts['stores'], pool: MeasuredParts['pool']): Metrics {
  return {
    fanion_store_restarts_total: {
      help: 'Restarts of embedded stores: control (plane) and telemetry',
      labels: ['store'],
      read: () => byLabel('store', stores.restarts()),
    },
    fanion_postgres_connections: {
      help: 'Connections to the control plane',
      labels: ['state'],
      read: () => byLabel('state', { idle: pool.idleCount, busy: pool.totalCount - pool.idleCount }),
    },
    fanion_postgres_waiting: {
      help: 'Statements and transactions that wait for a connection to the control plane',
      read: () => pool.waitingCount,
    },
  };
}

function queryMetrics({ state, compiler }: MeasuredParts['gateway']): Metrics {
  const byLane = (of: 'running' | 'waiting' | 'refused') => () =>
    byLabel('lane', Object.fromEntries(Object.entries(state().lanes).map(([lane, { [of]: value }]) => [lane, value])));
  return {
    fanion_queries_total: {
      help: 'Statements that the telemetry store was asked',
      labels: ['lane'],
      read: () => byLabel('lane', state().begun),
    },
    fanion_queries_running: { help: 'Queries that run now', labels: ['lane'], read: byLane('running') },
    fanion_queries_waiting: { help: 'Queries that wait for their turn', labels: ['lane'], read: byLane('waiting') },
    fanion_queries_refused_total: { help: 'Queries rejected with 429', labels: ['lane'], read: byLane('refused') },
    fanion_query_cache_bytes: { help: 'Bytes of kept answers', read: () => state().cache.bytes },
    fanion_query_cache_hits_total: {
      help: 'Queries answered from a kept or running answer',
      read: () => state().cache.hits,
    },
    fanion_query_cache_misses_total: {
      help: 'Queries that accepted an older answer and found none',
      read: () => state().cache.misses,
    },
    fanion_queries_asked_again_total: {
      help: 'Statements that were asked again, by what they had assumed and did not hold',
      labels: ['assumption'],
      read: () => byLabel('assumption', state().refuted),
    },
    fanion_recent_points_bytes: { help: 'Bytes of recent points in memory', read: () => state().recent?.bytes ?? 0 },
    fanion_recent_points_answers_total: {
      help: 'Queries answered from recent points in memory',
      read: () => state().recent?.answered ?? 0,
    },
    fanion_compilations_in_thread_total: {
      help: 'OQL texts compiled in the worker thread',
      read: () => compiler.stats().inThread,
    },
    fanion_compilations_stopped_total: {
      help: 'OQL texts that took longer to compile than allowed',
      read: () => compiler.stats().stopped,
    },
  };
}

function rollUpMetrics({ read }: RollUpLag): Metrics {
  return {
    fanion_metric_rollup_hours_waiting: {
      help: 'Hours of single metrics that the last run of roll-ups on this server left; their points are read instead',
      read: () => read().hours,
    },
    fanion_metric_rollup_lag_seconds: {
      help: 'Age of the oldest of these hours when the run began; 0: none was left',
      read: () => read().seconds,
    },
  };
}

function flagMetrics({ clock, rulesets, streams, exposures, evaluator }: Flags): Metrics {
  const counted = (of: keyof ExposureStats) => () => exposures.stats()[of] + (evaluator()?.exposures[of] ?? 0);
  return {
    fanion_flag_evaluations_total: { help: 'Evaluations of single flags', read: counted('counted') },
    fanion_flag_evaluations_logged_total: {
      help: 'Of these, the ones whose counts are in the write-ahead log',
      read: counted('logged'),
    },
    fanion_flag_evaluations_waiting_bytes: {
      help: 'Counts of evaluations that the write-ahead log has not taken yet',
      read: counted('waitingBytes'),
    },
    fanion_flag_evaluations_lost_total: {
      help: 'Evaluations that were not counted: there was no room',
      read: counted('lost'),
    },
    fanion_flag_exposures_unseen_total: {
      help: 'Evaluations that were counted without their unit and trace: there were too many at once',
      read: counted('unseen'),
    },
    fanion_flag_events_ignored_total: {
      help: "Custom events of LaunchDarkly's and GrowthBook's SDKs, which are not stored",
      read: counted('ignored'),
    },
    fanion_flag_streams: { help: 'Open streams of flags', read: () => streams.count() },
    fanion_rulesets_from_disk: {
      help: 'Environments whose ruleset is from disk and was not compared with the control plane since the start',
      read: () => rulesets.fromDisk(),
    },
    fanion_ruleset_age_seconds: {
      help: 'Time since rulesets in memory were compared with the control plane',
      read: () => since(rulesets.comparedAt(), clock.now()),
    },
  };
}

/** @returns seconds; 0 before the first time */
function since(at: number, now: number): number {
  return at === 0 ? 0 : Math.max(0, now - at) / 1_000;
}
