CREATE TABLE IF NOT EXISTS fanion.metric_rollups_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  metric LowCardinality(String), width UInt16 COMMENT 'seconds', series UInt64 CODEC(ZSTD(1)),
  time DateTime64(3, 'UTC') COMMENT 'when the slot begins' CODEC(DoubleDelta, ZSTD(1)),
  version UInt64 COMMENT 'epoch of the job run' CODEC(T64, ZSTD(1)), points UInt32 CODEC(T64, ZSTD(1)),
  start_time DateTime64(3, 'UTC') COMMENT 'of the first point; the epoch: not given' CODEC(DoubleDelta, ZSTD(1)),
  value Float64 COMMENT 'of the first point' CODEC(Delta(8), ZSTD(1)),
  last_start_time DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)), last_value Float64 CODEC(Delta(8), ZSTD(1)),
  increase Float64 COMMENT 'from the first point to the last, with resets' CODEC(Delta(8), ZSTD(1)),
  difference Float64 COMMENT 'from the first point to the last' CODEC(Delta(8), ZSTD(1)),
  sum Float64 CODEC(Delta(8), ZSTD(1)), min Float64 CODEC(Delta(8), ZSTD(1)), max Float64 CODEC(Delta(8), ZSTD(1))
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/fanion/metric_rollups_local', '{replica}', version) PARTITION BY (toDate(time), retention_days) ORDER BY (workspace, metric, width, series, time)
TTL toDateTime(time) + toIntervalDay(retention_days + 1) SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.metric_rollups ON CLUSTER 'telemetry' AS fanion.metric_rollups_local
ENGINE = Distributed('telemetry', 'fanion', 'metric_rollups_local', series);

CREATE TABLE IF NOT EXISTS fanion.metric_rollup_hours_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), metric LowCardinality(String), hour DateTime('UTC'),
  version UInt64 COMMENT 'epoch of the job run', rows UInt64, made_at DateTime('UTC')
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/fanion/metric_rollup_hours_local', '{replica}', version) PARTITION BY toYYYYMM(hour) ORDER BY (workspace, project, environment, metric, hour)
TTL hour + INTERVAL 400 DAY SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.metric_rollup_hours ON CLUSTER 'telemetry' AS fanion.metric_rollup_hours_local
ENGINE = Distributed('telemetry', 'fanion', 'metric_rollup_hours_local', cityHash64(workspace, project, metric));

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' ADD PROJECTION IF NOT EXISTS by_hour (
  SELECT workspace, project, environment, metric, toStartOfHour(time) AS hour, count() GROUP BY workspace, project, environment, metric, hour
);

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' MATERIALIZE PROJECTION by_hour;
