import type { TenantTable } from '../../feature.ts';

export const exposureTables: readonly TenantTable[] = [
  { name: 'flag_events', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)' },
  { name: 'exposures', isBefore: () => 'first_at < toDateTime64({before:UInt32}, 9)' },
  { name: 'flag_evaluations', isBefore: () => 'minute < toStartOfMinute(toDateTime({before:UInt32}))' },
];
