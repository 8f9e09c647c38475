const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * Profiles: stacks are stored separately from samples. A stack is written once a day and identified by a hash of its
 * frames, so that a sample is a few bytes however deep its stack is.
 */
const stacks = `CREATE TABLE IF NOT EXISTS profile_stacks (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16, day Date,
  stack_id UInt64 COMMENT 'hash of frames, files and lines',
  frames Array(LowCardinality(String)) COMMENT 'names of functions, the root first, the leaf last',
  files Array(LowCardinality(String)) COMMENT 'as many as frames', lines Array(UInt32) COMMENT 'as many as frames; 0: not known'
) ENGINE = ReplacingMergeTree PARTITION BY (day, retention_days) ORDER BY (workspace, stack_id, project, environment)
TTL day + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const samples = `CREATE TABLE IF NOT EXISTS profile_samples (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  profile_type LowCardinality(String) COMMENT 'type and unit, such as cpu:nanoseconds',
  service LowCardinality(String), time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
  stack_id UInt64, value Int64 CODEC(T64, ZSTD(1)),
  trace_id FixedString(16), span_id FixedString(8),
  resource_hash UInt64, resource Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  attributes Map(LowCardinality(String), String) COMMENT 'all values as text' CODEC(ZSTD(1)),
  INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = MergeTree PARTITION BY (toDate(time), retention_days)
ORDER BY (workspace, profile_type, service, toStartOfFiveMinutes(time), stack_id)
TTL toDateTime(time) + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

export const profiles0002 = { id: 2, name: 'profiles', statements: [stacks, samples] } as const;
