CREATE TABLE IF NOT EXISTS fanion.experiment_units_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), experiment UUID, day Date, unit String CODEC(ZSTD(1)),
  first_arm SimpleAggregateFunction(min, String) COMMENT 'in the order of texts', last_arm SimpleAggregateFunction(max, String),
  at SimpleAggregateFunction(min, DateTime64(9, 'UTC')) CODEC(ZSTD(1))
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/fanion/experiment_units_local', '{replica}') PARTITION BY toYYYYMM(day) ORDER BY (workspace, project, experiment, day, environment, unit)
TTL day + INTERVAL 800 DAY SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.experiment_units ON CLUSTER 'telemetry' AS fanion.experiment_units_local
ENGINE = Distributed('telemetry', 'fanion', 'experiment_units_local', cityHash64(workspace, unit));
