import { inScope } from '../../../platform/scoped-telemetry.ts';
import type { TelemetryDeriver } from '../../../platform/telemetry-writer.ts';
import type { TenantTable } from '../../feature.ts';
import { ofHeldUnit } from '../../flags/exposures/index.ts';
import type { Exposed } from './measure.ts';
import { seenWhere, unitParameters } from './units-store.ts';

export const experimentUnits: TenantTable = {
  name: 'experiment_units',
  isBefore: () => 'at < toDateTime64({before:UInt32}, 9)',
  holds: ofHeldUnit,
};

const limits = {
  max_execution_time: 50,
  max_memory_usage: String(1024 ** 3),
  max_bytes_before_external_group_by: String(512 * 1024 ** 2),
};

/**
 * Keeps the units of an experiment beside the exposures, which expire with the logs. A unit's rows are merged by minimum and maximum, so a
 * repetition changes nothing, whichever replica does it, and exposures that are reported late are added by a later run.
 *
 * @param exposed with `pinned`, the experiment, and with its start as `fromMs`
 * @param sinceMs exposures of this day and later are read
 */
export async function pinUnits(
  store: TelemetryDeriver,
  exposed: Exposed & { readonly pinned: string },
  sinceMs: number,
  signal: AbortSignal,
): Promise<void> {
  await store.command(
    `INSERT INTO experiment_units (workspace, project, environment, experiment, day, unit, first_arm, last_arm, at)
     SELECT workspace, project, environment, {pinned:UUID}, toDate(fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC')), unit,
       min(toString(exposures.variant)), max(toString(exposures.variant)), greatest(min(exposures.first_at), fromUnixTimestamp64Milli({seen_from:Int64}, 'UTC'))
     FROM exposures WHERE ${inScope(exposed.scope)} AND ${seenWhere('seen_flag')} AND exposures.day >= toDate(fromUnixTimestamp64Milli({pin_since:Int64}, 'UTC'))
     GROUP BY workspace, project, environment, unit`,
    {
      params: { ...exposed.scope, ...unitParameters(exposed), pin_since: String(Math.max(0, sinceMs)) },
      settings: limits,
      signal,
    },
  );
}
