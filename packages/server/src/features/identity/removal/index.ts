/**
 * A removed project or environment: the transaction marks its rows, revokes its tokens and writes `telemetry_removals`
 * (`removal.ts`). From then on the gateway hides its telemetry (`hidden-places.ts`). A job deletes it table by table
 * and reports its progress (`telemetry-job.ts`).
 */

import { removalsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { pinOf } from '../../../http/pins.ts';
import type { ClickHouse, Cluster } from '../../../platform/clickhouse/index.ts';
import { isId } from '../../../platform/ids.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredTo } from '../../../platform/replicas/index.ts';
import type { Feature, TenantTable } from '../../feature.ts';
import type { RemovedPlaces } from './hidden-places.ts';
import { telemetryRemoved } from './removal.ts';
import { type ListedRemoval, listRemovals } from './removals-store.ts';
import { removalJobPrefix, telemetryRemovalJob } from './telemetry-job.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

export { createRemovedPlaces, type RemovedPlaces } from './hidden-places.ts';
export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';

interface RemovalParts {
  readonly db: Database;
  readonly clickhouse: ClickHouse;
  readonly tenantTables: readonly TenantTable[];
  readonly cluster: Cluster | undefined;
  readonly storedTo: () => Promise<StoredTo>;
  readonly removedPlaces: RemovedPlaces;
}

/** Deletes the telemetry of what was removed, and shows how far that is. */
export const removalFeature = {
  name: 'identity/removal',
  routes: ({ db, tenantTables }: RemovalParts): MountedRoute[] =>
    implement(removalsRoutes, {
      async listRemovals({ workspace, caller, query: { limit, cursor } }) {
        const options = { projectId: pinOf(caller)?.projectId, after: decodeCursor(cursor, isId), limit: limit + 1 };
        const rows = await listRemovals(db, workspace.id, { ...options, jobOf: removalJobPrefix });
        const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
        return page(
          items.map((row) => present(row, tenantTables)),
          nextCursor,
        );
      },
    }),
  jobs: ({ db, clickhouse, tenantTables, cluster, storedTo }: RemovalParts) => [
    telemetryRemovalJob({
      db,
      tables: tenantTables,
      deleteTelemetry: deleteTelemetryFrom(clickhouse, cluster),
      storedTo,
    }),
  ],
  subscriptions: ({ removedPlaces }: RemovalParts) => [
    {
      topic: telemetryRemoved,
      on: ({ payload }) => removedPlaces.changed(workspaceOf(payload)),
      missed: () => removedPlaces.changed(undefined),
    },
  ],
} satisfies Feature<RemovalParts>;

function workspaceOf(payload: unknown): number | undefined {
  const known =
    typeof payload === 'object' && payload !== null && 'workspace' in payload ? payload.workspace : undefined;
  return typeof known === 'number' ? known : undefined;
}

function present(row: ListedRemoval, tables: readonly TenantTable[]) {
  const { id, key, name, environment, project_id, removed_at, finished_at, swept, next_table, parts_left } = row;
  const type = environment !== null ? 'environment' : project_id !== null ? 'project' : 'workspace';
  const isCleared = swept || finished_at !== null;
  return {
    id,
    resource: { type, key, name, project_id } as const,
    state: finished_at === null ? ('removing' as const) : ('removed' as const),
    tables: { removed: isCleared ? tables.length : next_table, total: tables.length },
    current: isCleared || parts_left === null ? null : { table: tables[next_table]?.name ?? '', parts_left },
    error: row.last_error,
    removed_at: removed_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
}
