CREATE TABLE IF NOT EXISTS fanion.service_edges_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  minute DateTime('UTC'), version UInt64 COMMENT 'of the derivation, of all rows of a minute',
  source_kind LowCardinality(String), source LowCardinality(String),
  target_kind LowCardinality(String), target LowCardinality(String), system LowCardinality(String) COMMENT 'database or messaging system',
  calls Float64 COMMENT 'sampled spans count for all that they stand for', errors Float64,
  duration AggregateFunction(quantilesDD(0.01, 0.5, 0.95, 0.99), UInt64) COMMENT 'nanoseconds, within one percent'
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/fanion/service_edges_local', '{replica}') PARTITION BY (toDate(minute), retention_days)
ORDER BY (workspace, minute, project, environment, source_kind, source, target_kind, target)
TTL minute + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.service_edges ON CLUSTER 'telemetry' AS fanion.service_edges_local
ENGINE = Distributed('telemetry', 'fanion', 'service_edges_local', cityHash64(workspace, minute));

CREATE TABLE IF NOT EXISTS fanion.service_edge_minutes ON CLUSTER 'telemetry' (
  minute DateTime('UTC'), version UInt64
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/fanion/service_edge_minutes', '{shard}-{replica}', version) PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;
