import type { TenantTable } from '../../feature.ts';

/** The name of OpenTelemetry for the unit of a flag's evaluation. */
export const ofHeldUnit = () => `{attribute:String} = 'feature_flag.context.id' AND unit = {value:String}`;

export const exposureTables: readonly TenantTable[] = [
  { name: 'flag_events', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)', holds: ofHeldUnit },
  { name: 'exposures', isBefore: () => 'first_at < toDateTime64({before:UInt32}, 9)', holds: ofHeldUnit },
  { name: 'flag_evaluations', isBefore: () => 'minute < toStartOfMinute(toDateTime({before:UInt32}))' },
];
