/**
 * The parts of a partition that had text indexes after the last build. The store does not report which indexes a part
 * has, and merges leave them out.
 */
const textIndexParts = `CREATE TABLE IF NOT EXISTS text_index_parts (
  table LowCardinality(String), partition_id String, parts Array(String), at DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree(at) ORDER BY (table, partition_id)
TTL toDateTime(at) + INTERVAL 800 DAY SETTINGS fsync_after_insert = 1`;

export const textIndexParts0008 = {
  id: 8,
  name: 'text-index-parts',
  statements: [textIndexParts],
} as const;
