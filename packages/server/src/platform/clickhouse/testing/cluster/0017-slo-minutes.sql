CREATE TABLE IF NOT EXISTS fanion.slo_minutes_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), slo UUID, minute DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version UInt64 COMMENT 'revision of the SLO · 2^40 + epoch of the job run' CODEC(T64, ZSTD(1)), good Float64 CODEC(ZSTD(1)), total Float64 CODEC(ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/fanion/slo_minutes_local', '{replica}', version) PARTITION BY toYYYYMM(minute) ORDER BY (workspace, project, slo, minute)
TTL minute + INTERVAL 400 DAY SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.slo_minutes ON CLUSTER 'telemetry' AS fanion.slo_minutes_local
ENGINE = Distributed('telemetry', 'fanion', 'slo_minutes_local', cityHash64(workspace, slo));
