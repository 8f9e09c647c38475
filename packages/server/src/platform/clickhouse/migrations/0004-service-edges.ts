const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * Calls between services, per minute. A minute is derived from its spans some time after it has ended, and again for
 * late spans. The derivation with the highest `version` counts; the rows of earlier ones are never changed. A row
 * without a source contains everything that arrived at the service.
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

/** Complete derivations: written after their rows, so an interrupted one is not visible. */
const serviceEdgeMinutes = `CREATE TABLE IF NOT EXISTS service_edge_minutes (
  minute DateTime('UTC'), version UInt64
) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS ${durable}`;

export const serviceEdges0004 = {
  id: 4,
  name: 'service-edges',
  statements: [serviceEdges, serviceEdgeMinutes],
} as const;
