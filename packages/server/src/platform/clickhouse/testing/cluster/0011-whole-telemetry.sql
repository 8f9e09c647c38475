ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS event_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', event_time);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS event_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', event_time);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS event_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, event_time);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS event_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, event_time);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', link_trace_id);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', link_trace_id);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_trace_state Array(String) DEFAULT arrayMap(x -> '', link_trace_id) CODEC(ZSTD(1));

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_trace_state Array(String) DEFAULT arrayMap(x -> '', link_trace_id) CODEC(ZSTD(1));

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_flags Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_flags Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id);

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS link_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_schema_url LowCardinality(String);

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_dropped_attributes_count UInt32;

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_types LowCardinality(String);

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_schema_url LowCardinality(String);

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS scope_dropped_attributes_count UInt32;

ALTER TABLE fanion.metric_series_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);

ALTER TABLE fanion.metric_series ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);

ALTER TABLE fanion.exemplars_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);

ALTER TABLE fanion.exemplars ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);

ALTER TABLE fanion.profile_samples_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.profile_samples ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS resource_types LowCardinality(String);

ALTER TABLE fanion.profile_samples_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);

ALTER TABLE fanion.profile_samples ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS attribute_types LowCardinality(String);
