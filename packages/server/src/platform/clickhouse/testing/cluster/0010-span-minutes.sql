CREATE TABLE IF NOT EXISTS fanion.span_minutes_local ON CLUSTER 'telemetry' (
  minute DateTime('UTC'), spans SimpleAggregateFunction(sum, UInt64), last_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/fanion/span_minutes_local', '{replica}') PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.span_minutes ON CLUSTER 'telemetry' AS fanion.span_minutes_local
ENGINE = Distributed('telemetry', 'fanion', 'span_minutes_local', cityHash64(minute));

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.span_minutes_view ON CLUSTER 'telemetry' TO fanion.span_minutes_local AS
SELECT toStartOfMinute(time) AS minute, count() AS spans, now('UTC') AS last_at FROM fanion.spans_local AS spans GROUP BY minute;

ALTER TABLE fanion.service_edge_minutes ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS arrived UInt64 COMMENT 'spans that it was derived of';
