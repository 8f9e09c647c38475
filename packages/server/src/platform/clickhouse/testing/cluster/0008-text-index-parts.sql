CREATE TABLE IF NOT EXISTS fanion.text_index_parts ON CLUSTER 'telemetry' (
  table LowCardinality(String), partition_id String, parts Array(String), at DateTime64(3, 'UTC')
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/fanion/text_index_parts', '{shard}-{replica}', at) ORDER BY (table, partition_id)
TTL toDateTime(at) + INTERVAL 800 DAY SETTINGS fsync_after_insert = 1;
