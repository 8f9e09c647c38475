/**
 * Buffers of the files of a new part of log records begin small and grow up to the size of before. A part has about a hundred files, most
 * of them nearly empty, and each had two buffers of 1 MiB from the start. With the least memory that a server may have, no insert of a
 * full block succeeded: `docs/decisions/0108`.
 *
 * They begin with 128 KiB. With the engine's own 16 KiB, the small first blocks of each column take 0.2 bytes more of a record.
 */
export const writeBuffers0027 = {
  id: 27,
  name: 'write-buffers',
  statements: [
    `ALTER TABLE logs MODIFY SETTING min_columns_to_activate_adaptive_write_buffer = 1, adaptive_write_buffer_initial_size = ${128 * 1024}`,
  ],
} as const;
