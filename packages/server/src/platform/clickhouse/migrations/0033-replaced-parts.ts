/**
 * The engine may remove the parts that a merge replaced after ten seconds. By default it keeps them for eight minutes, because a merged
 * part is only in the system's buffers, and a power failure could lose it: at full speed, replaced parts took nearly as much of the disk
 * as all others. So merged parts are synced, as inserted ones are (`docs/decisions/0041`). Reads that have begun keep their parts.
 */
const tables = [
  'spans',
  'trace_index',
  'span_minutes',
  'logs',
  'metric_series',
  'metric_points',
  'metric_histograms',
  'metric_rollups',
  'metric_rollup_hours',
  'exemplars',
  'arrivals',
  'profile_stacks',
  'profile_samples',
  'field_usage',
  'service_edges',
  'slo_minutes',
  'ingest_refusals',
  'flag_events',
  'flag_evaluations',
  'exposures',
  'experiment_units',
];

/**
 * Merges of spans and log records wait for ten parts of a size, not five: while telemetry arrives at full speed, a span costs the engine a
 * quarter less, and there are up to twice as many parts (`bench/notes/2026-11-30-growth.md`).
 */
const wideMerges = ['spans', 'logs'];

export const replacedParts0033 = {
  id: 33,
  name: 'replaced-parts',
  statements: [
    ...tables.map(
      (table) => `ALTER TABLE ${table} MODIFY SETTING min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 10`,
    ),
    ...wideMerges.map((table) => `ALTER TABLE ${table} MODIFY SETTING merge_selector_base = 10`),
  ],
} as const;
