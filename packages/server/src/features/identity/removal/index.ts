import type { ClickHouse, Cluster } from '../../../platform/clickhouse/index.ts';
import type { Feature, TenantTable } from '../../feature.ts';
import { telemetryRemovalJob } from './telemetry-job.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';

interface RemovalParts {
  readonly clickhouse: ClickHouse;
  readonly tenantTables: readonly TenantTable[];
  readonly cluster: Cluster | undefined;
}

/** Deletes the telemetry of what was removed. */
export const removalFeature = {
  name: 'identity/removal',
  jobs: ({ clickhouse, tenantTables, cluster }: RemovalParts) => [
    telemetryRemovalJob(deleteTelemetryFrom(clickhouse, tenantTables, cluster)),
  ],
} satisfies Feature;
