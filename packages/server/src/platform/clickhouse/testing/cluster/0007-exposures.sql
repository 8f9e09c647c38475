CREATE TABLE IF NOT EXISTS fanion.flag_events_local ON CLUSTER 'telemetry' (workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)), flag LowCardinality(String), variant LowCardinality(String) COMMENT 'empty: none, an error; where variants have no name, the value',
  reason LowCardinality(String) COMMENT 'of OpenTelemetry: targeting_match, split, default, disabled, error, …',
  version LowCardinality(String),
  unit String COMMENT 'empty: not known' CODEC(ZSTD(1)),
  context_kind LowCardinality(String) COMMENT 'the attribute that the unit is the value of; empty: the targeting key',
  tracked Bool COMMENT 'a bucket of a ramp, guarded release or experiment',
  trace_id FixedString(16) CODEC(ZSTD(1)), span_id FixedString(8) CODEC(ZSTD(1)), source Enum8('server' = 1, 'otlp' = 2),
  service LowCardinality(String) COMMENT 'that reported it', provider LowCardinality(String), error LowCardinality(String),
  evaluations UInt64 COMMENT 'how many the row stands for' CODEC(T64, ZSTD(1)),
  INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/fanion/flag_events_local', '{replica}') PARTITION BY (toDate(time), retention_days)
ORDER BY (workspace, flag, toStartOfFiveMinutes(time), project, environment, time)
TTL toDateTime(time) + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.flag_events ON CLUSTER 'telemetry' AS fanion.flag_events_local
ENGINE = Distributed('telemetry', 'fanion', 'flag_events_local', cityHash64(workspace, unit));

CREATE TABLE IF NOT EXISTS fanion.flag_evaluations_local ON CLUSTER 'telemetry' (workspace UInt32, project UInt32, environment LowCardinality(String),
  flag LowCardinality(String), variant LowCardinality(String) COMMENT 'empty: none, an error; where variants have no name, the value',
  reason LowCardinality(String) COMMENT 'of OpenTelemetry: targeting_match, split, default, disabled, error, …',
  version LowCardinality(String), source Enum8('server' = 1, 'otlp' = 2), tracked Bool, minute DateTime('UTC') CODEC(Delta(4), ZSTD(1)), evaluations UInt64
) ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/fanion/flag_evaluations_local', '{replica}', evaluations) PARTITION BY toYYYYMM(minute)
ORDER BY (workspace, project, environment, flag, minute, version, variant, reason, source, tracked)
TTL minute + INTERVAL 400 DAY SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.flag_evaluations ON CLUSTER 'telemetry' AS fanion.flag_evaluations_local
ENGINE = Distributed('telemetry', 'fanion', 'flag_evaluations_local', cityHash64(workspace, flag));

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.flag_evaluations_view ON CLUSTER 'telemetry' TO fanion.flag_evaluations_local AS
SELECT workspace, project, environment, flag, variant, reason, version, source, tracked,
  toStartOfMinute(toDateTime(time)) AS minute, sum(flag_events.evaluations) AS evaluations
FROM fanion.flag_events_local AS flag_events GROUP BY workspace, project, environment, flag, variant, reason, version, source, tracked, minute;

CREATE TABLE IF NOT EXISTS fanion.exposures_local ON CLUSTER 'telemetry' (workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16, day Date,
  flag LowCardinality(String), version LowCardinality(String), variant LowCardinality(String),
  context_kind LowCardinality(String), unit String CODEC(ZSTD(1)), source Enum8('server' = 1, 'otlp' = 2),
  tracked SimpleAggregateFunction(max, UInt8),
  first_at SimpleAggregateFunction(min, DateTime64(9, 'UTC')), last_at SimpleAggregateFunction(max, DateTime64(9, 'UTC')),
  evaluations SimpleAggregateFunction(sum, UInt64),
  trace_id SimpleAggregateFunction(max, FixedString(16)) COMMENT 'one of its traces; zeros: none is known'
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/fanion/exposures_local', '{replica}') PARTITION BY (day, retention_days)
ORDER BY (workspace, project, environment, flag, context_kind, unit, version, variant, source)
TTL day + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.exposures ON CLUSTER 'telemetry' AS fanion.exposures_local
ENGINE = Distributed('telemetry', 'fanion', 'exposures_local', cityHash64(workspace, unit));

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.exposures_view ON CLUSTER 'telemetry' TO fanion.exposures_local AS
SELECT workspace, project, environment, retention_days, toDate(time) AS day, flag, version, variant, context_kind, unit, source,
  max(toUInt8(flag_events.tracked)) AS tracked, min(time) AS first_at, max(time) AS last_at,
  sum(flag_events.evaluations) AS evaluations, max(flag_events.trace_id) AS trace_id
FROM fanion.flag_events_local AS flag_events WHERE unit != '' AND error = ''
GROUP BY workspace, project, environment, retention_days, day, flag, version, variant, context_kind, unit, source;
