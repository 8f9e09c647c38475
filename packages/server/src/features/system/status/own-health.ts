import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ClockGuard } from '../../../platform/replicas/index.ts';
import type { Rulesets } from '../../flags/evaluation/index.ts';
import type { Ingest } from '../../telemetry/ingest/index.ts';
import { type DependencyState, type Health, watchHealth } from './health.ts';

interface ObservedParts {
  readonly db: Database;
  readonly log: Log;
  readonly clickhouse: ClickHouse;
  readonly rulesets: Rulesets;
  readonly ingest: Ingest;
  /** Undefined: the control plane is on this machine. */
  readonly clockGuard: ClockGuard | undefined;
}

/** The state of this server's dependencies, for `/readyz`. */
export function watchOwnHealth({ db, log, clickhouse, rulesets, ingest, clockGuard }: ObservedParts): Health {
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
      ...(clockGuard === undefined ? [] : [{ name: 'clock' as const, check: async () => clockState(clockGuard) }]),
    ],
    { log },
  );
}

function clockState(guard: ClockGuard): Omit<DependencyState, 'name'> {
  if (guard.isTrusted()) return { status: 'up' };
  const aheadMs = guard.aheadMs();
  const idle = 'this server runs no jobs, alert rules and notifications';
  if (aheadMs === undefined) return { status: 'degraded', detail: `not compared with PostgreSQL yet: ${idle}` };
  const by = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} PostgreSQL`;
  return { status: 'degraded', detail: `${by}: ${idle}` };
}
