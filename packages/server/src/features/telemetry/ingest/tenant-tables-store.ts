import type { TenantTable } from '../../feature.ts';

/** The tables that ingest and the views behind it fill. A series comes after its points, which hold it. */
export const ingestTables: readonly TenantTable[] = [
  { name: 'spans', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)' },
  // A trace is as old as its first span.
  { name: 'trace_index', isBefore: () => 'start < toDateTime64({before:UInt32}, 9)' },
  { name: 'logs', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)' },
  { name: 'metric_points', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)' },
  { name: 'metric_histograms', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)' },
  { name: 'exemplars', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)' },
  { name: 'profile_samples', isBefore: () => 'time < toDateTime64({before:UInt32}, 9)' },
  // What a later environment of the same name may share stays: only whole days and hours of before are deleted.
  { name: 'profile_stacks', isBefore: () => 'day < toDate(toDateTime({before:UInt32}))' },
  { name: 'ingest_refusals', isBefore: () => 'hour < toStartOfHour(toDateTime({before:UInt32}))' },
  // An arrival is as old as its last item.
  { name: 'arrivals', isBefore: () => 'last_at < toDateTime64({before:UInt32}, 3)' },
  {
    name: 'metric_series',
    // A series is written once a day and shared by the points of that day: where points stay, so does their series.
    isBefore: (place) =>
      `day <= toDate(toDateTime({before:UInt32})) AND series NOT IN (SELECT series FROM metric_points WHERE ${place} UNION ALL SELECT series FROM metric_histograms WHERE ${place})`,
    isHidden: 'day < toDate(toDateTime({before:UInt32}))',
  },
];
