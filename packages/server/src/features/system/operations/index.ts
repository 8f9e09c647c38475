/**
 * What operators need to know now: this server's own metrics (`figures-rules.ts`), and what all servers share in the
 * control plane → state → what is wrong and what mends it (`problem-rules.ts`).
 */
import { operationsRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { findLateJobs } from '../../../platform/jobs/index.ts';
import type { Registry } from '../../../platform/own-metrics.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { findReplicas } from '../../../platform/replicas/index.ts';
import { findOperatorsWorkspace, findOwnProject } from '../self-telemetry/index.ts';
import type { Health } from '../status/index.ts';
import { type Figures, figuresOf } from './figures-rules.ts';
import { problemsOf, type State } from './problem-rules.ts';

export interface OperationsDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly health: Pick<Health, 'dependencies'>;
  readonly metrics: Registry;
  /** This server. */
  readonly replica: string;
  readonly selfTelemetry: { readonly isOn: boolean; readonly projectId: string | undefined };
  readonly areBackupsScheduled: boolean;
}

/** A job counts as late after this time: jobs are looked for every second. */
const lateAfterMs = 60_000;
const mostRefusals = 20;
const mostJobs = 50;

export function operationsFeature(dependencies: OperationsDependencies): MountedRoute[] {
  const { db, clock, selfTelemetry } = dependencies;
  return implement(operationsRoutes, {
    async getOperations({ workspace }) {
      if ((await findOperatorsWorkspace({ db, projectId: selfTelemetry.projectId })) !== workspace.id)
        return { operations: null };
      const state = await readState(dependencies);
      return { operations: { problems: problemsOf(state, clock.now()), ...state } };
    },
  });
}

async function readState(dependencies: OperationsDependencies): Promise<State> {
  const { db, clock, health, metrics, replica, selfTelemetry, areBackupsScheduled } = dependencies;
  const now = dateOf(clock);
  const [stores, servers, jobs, project, measured] = await Promise.all([
    health.dependencies(),
    findReplicas(db),
    findLateJobs(db, { now, lateAfterMs, limit: mostJobs }),
    findOwnProject({ db, projectId: selfTelemetry.projectId }),
    metrics.getMetricsAsJSON(),
  ]);
  const figures = figuresOf(measured);
  return {
    servers: servers.map((server) => ({
      id: server.id,
      roles: server.roles.split(',').filter((role) => role !== ''),
      version: server.version,
      started_at: server.startedAt.toISOString(),
      silent_seconds: server.silentSeconds,
      answers: server.id === replica,
    })),
    stores: stores.map((store) => ({ ...store })),
    ingest: ingestOf(figures),
    late_jobs: jobs.map(({ name, lateMs, failures, error }) => ({
      ...{ name, failures, error },
      late_seconds: lateMs / 1_000,
    })),
    ...alertingOf(figures),
    backups: {
      scheduled: areBackupsScheduled,
      failed: figures.sum('fanion_backups_total', { result: 'failure' }),
      last_success_at: timeOf(figures.value('fanion_backup_last_success_timestamp_seconds')),
    },
    certificate_expires_at: timeOf(figures.value('fanion_tls_certificate_expires_timestamp_seconds')),
    self_telemetry: {
      on: selfTelemetry.isOn,
      project: project === undefined ? null : { id: project.projectId, key: project.key },
      stored: figures.sum('fanion_self_telemetry_items_total'),
      dropped: figures.sum('fanion_self_telemetry_dropped_total'),
    },
  };
}

function ingestOf(figures: Figures): State['ingest'] {
  const refused = figures.each('fanion_ingest_refused_total').map(({ labels, value }) => ({
    signal: labels.signal ?? '',
    kind: labels.kind ?? '',
    reason: labels.reason ?? '',
    count: value,
  }));
  return {
    log_bytes: figures.sum('fanion_wal_bytes'),
    log_max_bytes: figures.sum('fanion_wal_max_bytes'),
    log_age_seconds: figures.sum('fanion_wal_age_seconds'),
    disk_free_bytes: figures.sum('fanion_data_disk_free_bytes'),
    disk_free_ratio: figures.sum('fanion_data_disk_free_ratio'),
    insert_seconds: figures.mean('fanion_ingest_insert_duration_seconds') ?? null,
    refused: refused.sort((a, b) => b.count - a.count).slice(0, mostRefusals),
  };
}

function alertingOf(figures: Figures): Pick<State, 'alerts' | 'notifications'> {
  const attempts = (outcome: string) => figures.sum('fanion_notification_attempts_total', { outcome });
  return {
    alerts: {
      evaluated: figures.sum('fanion_alert_evaluations_total'),
      failed: figures.sum('fanion_alert_evaluations_total', { outcome: 'failed' }),
      lag_seconds: figures.mean('fanion_alert_evaluation_lag_seconds') ?? null,
    },
    notifications: {
      delivered: attempts('delivered'),
      retried: attempts('to be tried again'),
      given_up: attempts('given up'),
    },
  };
}

/** @param seconds Unix time; 0: none */
function timeOf(seconds: number | undefined): string | null {
  return seconds === undefined || seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}
