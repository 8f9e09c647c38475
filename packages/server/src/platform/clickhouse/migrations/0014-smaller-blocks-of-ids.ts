/**
 * Ids were compressed in blocks of 4 MiB, all of which is decompressed for one row: twenty log records in as many granules
 * took 160 MB of ids. Lines of a trace lie side by side, so small blocks cost nothing; spans of a trace lie apart by their
 * names, so theirs stay larger: `docs/decisions/0041`. It holds for parts that are written from now on.
 */
const repeatedId = (bytes: number, kib: number) =>
  `FixedString(${bytes}) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = ${kib * 1024}, max_compress_block_size = ${kib * 1024})`;

export const smallerBlocksOfIds0014 = {
  id: 14,
  name: 'smaller-blocks-of-ids',
  statements: [
    `ALTER TABLE spans MODIFY COLUMN trace_id ${repeatedId(16, 1024)}`,
    `ALTER TABLE spans MODIFY COLUMN parent_span_id ${repeatedId(8, 512)}`,
    `ALTER TABLE logs MODIFY COLUMN trace_id ${repeatedId(16, 256)}`,
    `ALTER TABLE logs MODIFY COLUMN span_id ${repeatedId(8, 128)}`,
  ],
} as const;
