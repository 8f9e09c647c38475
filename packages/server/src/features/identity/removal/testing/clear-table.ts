import { until } from '../../../../testing/test-client.ts';
import type { TenantTable } from '../../../feature.ts';
import type { TelemetryPlace } from '../telemetry-rules.ts';
import type { DeleteTelemetry } from '../telemetry-store.ts';

/** Deletes a place from a table to the end. */
export async function clearTable(remove: DeleteTelemetry, table: TenantTable, place: TelemetryPlace): Promise<void> {
  await until(async () => (await remove(table, place, new AbortController().signal)).state === 'nothing');
}
