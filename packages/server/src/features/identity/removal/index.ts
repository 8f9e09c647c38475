/**
 * A removed project or environment: the transaction marks its rows, revokes its tokens and writes `telemetry_removals`
 * (`removal.ts`). From then on the gateway hides its telemetry (`hidden-places.ts`). A job deletes it table by table
 * and reports its progress (`telemetry-job.ts`).
 *
 * An erasure of a person's telemetry (`erasure.ts`) goes the same way for the rows that have an attribute with a value, and hides nothing.
 */

import { removalsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { pinOf, refuseEnvironmentPin } from '../../../http/pins.ts';
import type { ClickHouse, Cluster } from '../../../platform/clickhouse/index.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { isId } from '../../../platform/ids.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredTo } from '../../../platform/replicas/index.ts';
import type { Feature, TenantTable } from '../../feature.ts';
import { eraseAttribute } from './erasure.ts';
import type { RemovedPlaces } from './hidden-places.ts';
import { type ListedRemoval, listRemovals } from './removals-store.ts';
import { removalJobPrefix, telemetryRemovalJob, telemetryRemoved } from './telemetry-job.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

export { createRemovedPlaces, type RemovedPlaces } from './hidden-places.ts';
export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';

interface RemovalParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly clickhouse: ClickHouse;
  readonly tenantTables: readonly TenantTable[];
  readonly cluster: Cluster | undefined;
  readonly storedTo: () => Promise<StoredTo>;
  readonly removedPlaces: RemovedPlaces;
}

/** Deletes the telemetry of what was removed, and shows how far that is. */
export const removalFeature = {
  name: 'identity/removal',
  routes: ({ db, clock, outbox, removedPlaces, tenantTables }: RemovalParts): MountedRoute[] =>
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
      async createErasure({ workspace, project, caller, body, origin }) {
        refuseEnvironmentPin(caller, 'projects:write');
        const row = await db
          .transaction()
          .execute((trx) => eraseAttribute(trx, { workspace, project }, body, origin, dateOf(clock)));
        removedPlaces.changed(workspace.number);
        outbox.wake();
        return present({ ...row, last_error: null }, tenantTables);
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
  const { id, key, name, project_id, removed_at, finished_at, swept, next_table, parts_left } = row;
  const type = typeOf(row);
  const isCleared = swept || finished_at !== null;
  return {
    id,
    resource: { type, key, name, project_id },
    state: finished_at === null ? ('removing' as const) : ('removed' as const),
    tables: { removed: isCleared ? tables.length : next_table, total: tables.length },
    current: isCleared || parts_left === null ? null : { table: tables[next_table]?.name ?? '', parts_left },
    error: row.last_error,
    removed_at: removed_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
}

function typeOf({
  attribute,
  environment,
  project_id,
}: ListedRemoval): 'attribute' | 'environment' | 'project' | 'workspace' {
  if (attribute !== null) return 'attribute';
  if (environment !== null) return 'environment';
  return project_id === null ? 'workspace' : 'project';
}
