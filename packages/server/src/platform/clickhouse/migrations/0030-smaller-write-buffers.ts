/**
 * The write buffers of new parts start small in the other tables with many files, too (see migration 27): a part of spans has about 150
 * files, which took 300 MiB of buffers in each insert and 400 MiB in each merge, nearly all of them untouched. So the engine refused inserts
 * for memory that it did not use: `docs/decisions/0108`.
 *
 * Not `metric_points`, which has few files: its rows are the ones that larger first blocks make smaller (`docs/decisions/0019`).
 */
const tables = [
  'spans',
  'profile_samples',
  'profile_stacks',
  'metric_series',
  'metric_histograms',
  'exemplars',
  'flag_events',
];

export const smallerWriteBuffers0030 = {
  id: 30,
  name: 'smaller-write-buffers',
  statements: tables.map(
    (table) =>
      `ALTER TABLE ${table} MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = ${128 * 1024}`,
  ),
} as const;
