const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * Who calls whom, per minute. A minute is derived from its spans a while after it has ended, and again later for spans
 * that came late: what counts is the derivation with the highest `version`, so the rows of an earlier one are never
 * changed. A row without a source tells of the service itself: what arrived at it.
 */
const serviceEdges = `CREATE TABLE IF NOT EXISTS service_edges (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  minute DateTime('UTC'), version UInt64 COMMENT 'of the derivation, of all rows of a minute',
  source_kind LowCardinality(String), source LowCardinality(String),
  target_kind LowCardinality(String), target LowCardinality(String), system LowCardinality(String) COMMENT 'database or messaging system',
  calls Float64 COMMENT 'sampled spans count for all that they stand for', errors Float64,
  duration AggregateFunction(quantilesDD(0.01, 0.5, 0.95, 0.99), UInt64) COMMENT 'nanoseconds, within one percent'
) ENGINE = MergeTree PARTITION BY (toDate(minute), retention_days)
ORDER BY (workspace, minute, project, environment, source_kind, source, target_kind, target)
TTL minute + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

/** The derivations that are complete: written after the rows, so one that was cut off is not seen. */
const serviceEdgeMinutes = `CREATE TABLE IF NOT EXISTS service_edge_minutes (
  minute DateTime('UTC'), version UInt64
) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS ${durable}`;

export const serviceEdges0004 = {
  id: 4,
  name: 'service-edges',
  statements: [serviceEdges, serviceEdgeMinutes],
} as const;
