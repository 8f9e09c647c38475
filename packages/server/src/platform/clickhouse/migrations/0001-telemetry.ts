/**
 * The telemetry schema, version 1. Statements run one by one against the database that the client names,
 * each of them idempotent, so that a killed migration is simply run again.
 *
 * `workspace` and `project` are integers that the control plane assigns and never reuses (`workspaces.number`,
 * `projects.number`); they stand for the UUIDs of the API.
 *
 * Why the order keys begin with (workspace, five minutes, service): a time window is read, not a service's whole
 * life. Why typed maps and not the JSON type: inserts are ~15 times faster and a rare value is found through the
 * `key=value` text index in 2 ms (measured on 1M spans with 17 attributes).
 */
/**
 * A repeated insert is recognized by its token, and an acknowledged one survives a power failure: the write-ahead log
 * drops a segment as soon as its inserts are acknowledged. The syncs cost 10 to 20 % of an insert's time.
 */
const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;
const attributeMaps = `map_serialization_version = 'with_buckets', map_serialization_version_for_zero_level_parts = 'basic', map_buckets_min_avg_size = 0`;

/**
 * The spans of a trace are sorted by name, so equal trace ids are further apart than one compressed block of the
 * default size. A large block finds the repetitions: with six million spans in half a minute, a trace id takes 3.8
 * bytes, and 5.2 in blocks of 1 MiB.
 */
const repeatedId = `CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 4194304, max_compress_block_size = 4194304)`;

const attributes = `
  string_attributes Map(LowCardinality(String), String) CODEC(ZSTD(3)),
  int_attributes Map(LowCardinality(String), Int64) CODEC(ZSTD(3)),
  float_attributes Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
  bool_attributes Map(LowCardinality(String), Bool) CODEC(ZSTD(1)),
  json_attributes Map(LowCardinality(String), String) COMMENT 'arrays and key-value lists, as JSON text' CODEC(ZSTD(1)),
  dropped_attributes_count UInt32 COMMENT 'dropped by the sender, at the limits of its SDK'`;

const scope = `
  scope_name LowCardinality(String), scope_version LowCardinality(String),
  scope_attributes Map(LowCardinality(String), String) COMMENT 'all values as text' CODEC(ZSTD(1)),`;

/**
 * An index is built once, for past days: in inserts and merges, indexes took more of the store's time than all the rest
 * (`docs/decisions/0041`). The index of the map's values also serves `map['key'] = 'value'`.
 */
const attributeIndexes = `
  INDEX by_value mapValues(string_attributes) TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking'),
  INDEX by_resource mapValues(resource) TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking'),`;
const indexedLater = `exclude_materialize_skip_indexes_on_merge = 'by_value,by_resource,by_word'`;

const tenant = `
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16`;

const spans = `CREATE TABLE IF NOT EXISTS spans (${tenant},
  time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
  duration UInt64 COMMENT 'nanoseconds' CODEC(T64, ZSTD(1)),
  trace_id FixedString(16) ${repeatedId}, span_id FixedString(8),
  parent_span_id FixedString(8) COMMENT 'zero bytes: a root' ${repeatedId},
  trace_state String CODEC(ZSTD(1)), flags UInt32,
  service LowCardinality(String), name LowCardinality(String),
  kind Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5),
  status Enum8('unset' = 0, 'ok' = 1, 'error' = 2), status_message String CODEC(ZSTD(1)),${scope}
  resource Map(LowCardinality(String), String) CODEC(ZSTD(3)), resource_hash UInt64 ALIAS cityHash64(mapKeys(resource), mapValues(resource)),${attributes},
  weight Float64 DEFAULT 1 COMMENT 'inverse sampling probability, from tracestate ot=th' CODEC(ZSTD(1)),
  event_time Array(DateTime64(9, 'UTC')), event_name Array(LowCardinality(String)),
  event_attributes Array(Map(LowCardinality(String), String)),
  link_trace_id Array(FixedString(16)), link_span_id Array(FixedString(8)),
  link_attributes Array(Map(LowCardinality(String), String)),
  dropped_events_count UInt32, dropped_links_count UInt32,${attributeIndexes}
  INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_duration duration TYPE minmax
) ENGINE = MergeTree PARTITION BY (toDate(time), retention_days)
ORDER BY (workspace, toStartOfFiveMinutes(time), service, name, time)
TTL toDateTime(time) + toIntervalDay(retention_days)
SETTINGS ttl_only_drop_parts = 1, ${durable}, ${attributeMaps}, ${indexedLater}`;

const traceIndex = `CREATE TABLE IF NOT EXISTS trace_index (
  workspace UInt32, project UInt32, environment LowCardinality(String), trace_id FixedString(16), day Date, retention_days UInt16,
  start SimpleAggregateFunction(min, DateTime64(9, 'UTC')), end SimpleAggregateFunction(max, DateTime64(9, 'UTC')),
  spans SimpleAggregateFunction(sum, UInt64), errors SimpleAggregateFunction(sum, UInt64)
) ENGINE = AggregatingMergeTree PARTITION BY (day, retention_days) ORDER BY (workspace, trace_id, project, environment)
TTL day + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const traceIndexView = `CREATE MATERIALIZED VIEW IF NOT EXISTS trace_index_view TO trace_index AS
SELECT workspace, project, environment, trace_id, toDate(time) AS day, retention_days,
  min(time) AS start, max(time + toIntervalNanosecond(duration)) AS end, count() AS spans, countIf(status = 'error') AS errors
FROM spans GROUP BY workspace, project, environment, trace_id, day, retention_days`;

const logs = `CREATE TABLE IF NOT EXISTS logs (${tenant},
  time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)), observed_time DateTime64(9, 'UTC') CODEC(GCD, T64, ZSTD(1)),
  trace_id FixedString(16) ${repeatedId}, span_id FixedString(8) ${repeatedId}, flags UInt32,
  severity UInt8 COMMENT 'OpenTelemetry severity number, 0 to 24' CODEC(ZSTD(1)), severity_text LowCardinality(String),
  event_name LowCardinality(String), service LowCardinality(String),${scope}
  body String COMMENT 'text; a structured body as JSON text' CODEC(ZSTD(3)), body_is_json Bool,
  shape UInt64 COMMENT 'hash of the body with numbers, ids and quoted text masked' CODEC(ZSTD(1)),
  resource Map(LowCardinality(String), String) CODEC(ZSTD(3)), resource_hash UInt64 ALIAS cityHash64(mapKeys(resource), mapValues(resource)),${attributes},${attributeIndexes}
  INDEX by_word lower(body) TYPE text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking'),
  INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree PARTITION BY (toDate(time), retention_days)
ORDER BY (workspace, toStartOfFiveMinutes(time), service, time)
TTL toDateTime(time) + toIntervalDay(retention_days)
SETTINGS ttl_only_drop_parts = 1, ${durable}, ${attributeMaps}, ${indexedLater}`;

const series = `CREATE TABLE IF NOT EXISTS metric_series (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16, day Date,
  metric LowCardinality(String), series UInt64 COMMENT 'hash of project, environment, metric, kind, temporality, resource, scope, attributes',
  kind Enum8('gauge' = 0, 'sum' = 1, 'histogram' = 2, 'exponential_histogram' = 3, 'summary' = 4),
  temporality Enum8('unspecified' = 0, 'delta' = 1, 'cumulative' = 2), monotonic Bool,
  unit LowCardinality(String), description String CODEC(ZSTD(1)), service LowCardinality(String),${scope}
  resource Map(LowCardinality(String), String) CODEC(ZSTD(3)), attributes Map(LowCardinality(String), String) COMMENT 'all values as text' CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree PARTITION BY (day, retention_days) ORDER BY (workspace, metric, series, project, environment)
TTL day + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const pointTimes = `
  time DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)), start_time DateTime64(3, 'UTC') COMMENT 'the epoch: not given' CODEC(DoubleDelta, ZSTD(1))`;
const pointKey = `
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  metric LowCardinality(String), series UInt64 CODEC(ZSTD(1)),`;
const pointTable = `ENGINE = MergeTree PARTITION BY (toDate(time), retention_days) ORDER BY (workspace, metric, series, time)
TTL toDateTime(time) + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const points = `CREATE TABLE IF NOT EXISTS metric_points (${pointKey}${pointTimes},
  value Float64 COMMENT 'not Gorilla: 2.2 bytes instead of 3.3 for counters, 2.5 instead of 5 for gauges' CODEC(Delta(8), ZSTD(1)), no_recorded_value Bool
) ${pointTable}`;

const histograms = `CREATE TABLE IF NOT EXISTS metric_histograms (${pointKey}${pointTimes},
  count UInt64, sum Nullable(Float64), min Nullable(Float64), max Nullable(Float64), no_recorded_value Bool,
  bounds Array(Float64) COMMENT 'explicit bounds, ascending', bucket_counts Array(UInt64) COMMENT 'one more than bounds',
  scale Int8, zero_count UInt64, zero_threshold Float64,
  positive_offset Int32, positive_counts Array(UInt64), negative_offset Int32, negative_counts Array(UInt64),
  quantiles Array(Float64) COMMENT 'summaries: the quantiles', quantile_values Array(Float64)
) ${pointTable}`;

const exemplars = `CREATE TABLE IF NOT EXISTS exemplars (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  metric LowCardinality(String), series UInt64, time DateTime64(3, 'UTC'), value Float64,
  trace_id FixedString(16), span_id FixedString(8), attributes Map(LowCardinality(String), String)
) ENGINE = MergeTree PARTITION BY (toDate(time), retention_days) ORDER BY (workspace, metric, time, series)
TTL toDateTime(time) + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

/**
 * Who sent what: one row per (signal, service, SDK, hour) and segment; merges combine them. Feeds services and
 * telemetry status.
 */
const arrivals = `CREATE TABLE IF NOT EXISTS arrivals (
  workspace UInt32, project UInt32, environment LowCardinality(String), signal LowCardinality(String),
  service LowCardinality(String), sdk_name LowCardinality(String), sdk_language LowCardinality(String), sdk_version LowCardinality(String),
  hour DateTime('UTC'),
  items SimpleAggregateFunction(sum, UInt64), bytes SimpleAggregateFunction(sum, UInt64),
  first_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')), last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(hour)
ORDER BY (workspace, project, environment, signal, service, sdk_name, sdk_language, sdk_version, hour)
TTL hour + INTERVAL 400 DAY SETTINGS ${durable}`;

export const telemetry0001 = {
  id: 1,
  name: 'telemetry',
  statements: [spans, traceIndex, traceIndexView, logs, series, points, histograms, exemplars, arrivals],
} as const;
