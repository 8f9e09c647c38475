import type { ClickHouse, Cluster } from '../../../platform/clickhouse/index.ts';
import type { Feature } from '../../feature.ts';
import { telemetryRemovalJob } from './telemetry-job.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

export { environmentRemoved, removeEverythingIn, requireConfirmation } from './removal.ts';

/** Deletes the telemetry of what was removed. */
export const removalFeature = {
  name: 'identity/removal',
  jobs: ({ clickhouse, cluster }: { clickhouse: ClickHouse; cluster: Cluster | undefined }) => [
    telemetryRemovalJob(deleteTelemetryFrom(clickhouse, cluster)),
  ],
} satisfies Feature;
