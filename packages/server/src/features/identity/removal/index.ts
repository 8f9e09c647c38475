import type { ClickHouse, Cluster } from '../../../platform/clickhouse/index.ts';
import type { RecentPoints } from '../../../platform/recent-points/index.ts';
import type { Feature, TenantTable } from '../../feature.ts';
import { telemetryRemovalJob } from './telemetry-job.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';

interface RemovalParts {
  readonly clickhouse: ClickHouse;
  readonly tenantTables: readonly TenantTable[];
  readonly recentPoints: Pick<RecentPoints, 'changing'>;
  readonly cluster: Cluster | undefined;
}

/** Deletes the telemetry of what was removed. */
export const removalFeature = {
  name: 'identity/removal',
  jobs: ({ clickhouse, tenantTables, cluster, recentPoints }: RemovalParts) => {
    const remove = deleteTelemetryFrom(clickhouse, tenantTables, cluster);
    return [
      telemetryRemovalJob((place, signal) =>
        recentPoints.changing({ workspace: place.workspace }, () => remove(place, signal)),
      ),
    ];
  },
} satisfies Feature;
