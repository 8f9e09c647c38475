ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1)), MODIFY ORDER BY (workspace, metric, series, time, nanos);

ALTER TABLE fanion.metric_points ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_points ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_histograms_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1)), MODIFY ORDER BY (workspace, metric, series, time, nanos);

ALTER TABLE fanion.metric_histograms ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_histograms_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_histograms ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_points_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS integer Int64 COMMENT 'the value, if it is an integer beyond 2^53; otherwise 0' CODEC(ZSTD(1));

ALTER TABLE fanion.metric_points ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS integer Int64 COMMENT 'the value, if it is an integer beyond 2^53; otherwise 0' CODEC(ZSTD(1));

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.exemplars ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS integer Int64 COMMENT 'the value, if it is an integer beyond 2^53; otherwise 0' CODEC(ZSTD(1));

ALTER TABLE fanion.exemplars ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS integer Int64 COMMENT 'the value, if it is an integer beyond 2^53; otherwise 0' CODEC(ZSTD(1));

ALTER TABLE fanion.metric_rollups_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_rollups ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS start_nanos UInt32 COMMENT 'nanoseconds after start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_rollups_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS last_start_nanos UInt32 COMMENT 'nanoseconds after last_start_time' CODEC(T64, ZSTD(1));

ALTER TABLE fanion.metric_rollups ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS last_start_nanos UInt32 COMMENT 'nanoseconds after last_start_time' CODEC(T64, ZSTD(1));
