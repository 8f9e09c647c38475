/**
 * Evaluations of flags, in three tables. One is written, the others are views of it, so that one insert with one token
 * makes all of them exact:
 *
 * - `flag_events`: the reports: one row for each evaluation with a unit or a trace, and one for all evaluations of the
 *   same answer in one second without them (`evaluations` is the number that a row represents).
 * - `flag_evaluations`: counts per minute. They show what a flag served months ago, so they are kept as long as usage.
 * - `exposures`: each unit's first exposure, by day. Experiments count units, never rows.
 *
 * `source` is part of every key: an evaluation over OFREP that a hook in the client also reports is stored twice, by
 * the server and over OTLP. Readers choose which one counts (`features/exposures/store.ts`, OQL's `flags`), since OTLP
 * data arrives later.
 */
const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;
const tenant = `workspace UInt32, project UInt32, environment LowCardinality(String)`;
const source = `source Enum8('server' = 1, 'otlp' = 2)`;
const answer = `flag LowCardinality(String), variant LowCardinality(String) COMMENT 'empty: none, an error; where variants have no name, the value',
  reason LowCardinality(String) COMMENT 'of OpenTelemetry: targeting_match, split, default, disabled, error, …',
  version LowCardinality(String)`;

const flagEvents = `CREATE TABLE IF NOT EXISTS flag_events (${tenant}, retention_days UInt16,
  time DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)), ${answer},
  unit String COMMENT 'empty: not known' CODEC(ZSTD(1)),
  context_kind LowCardinality(String) COMMENT 'the attribute that the unit is the value of; empty: the targeting key',
  tracked Bool COMMENT 'a bucket of a ramp, guarded release or experiment',
  trace_id FixedString(16) CODEC(ZSTD(1)), span_id FixedString(8) CODEC(ZSTD(1)), ${source},
  service LowCardinality(String) COMMENT 'that reported it', provider LowCardinality(String), error LowCardinality(String),
  evaluations UInt64 COMMENT 'how many the row stands for' CODEC(T64, ZSTD(1)),
  INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1
) ENGINE = MergeTree PARTITION BY (toDate(time), retention_days)
ORDER BY (workspace, flag, toStartOfFiveMinutes(time), project, environment, time)
TTL toDateTime(time) + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const flagEvaluations = `CREATE TABLE IF NOT EXISTS flag_evaluations (${tenant},
  ${answer}, ${source}, tracked Bool, minute DateTime('UTC') CODEC(Delta(4), ZSTD(1)), evaluations UInt64
) ENGINE = SummingMergeTree(evaluations) PARTITION BY toYYYYMM(minute)
ORDER BY (workspace, project, environment, flag, minute, version, variant, reason, source, tracked)
TTL minute + INTERVAL 400 DAY SETTINGS ${durable}`;

const flagEvaluationsView = `CREATE MATERIALIZED VIEW IF NOT EXISTS flag_evaluations_view TO flag_evaluations AS
SELECT workspace, project, environment, flag, variant, reason, version, source, tracked,
  toStartOfMinute(toDateTime(time)) AS minute, sum(flag_events.evaluations) AS evaluations
FROM flag_events GROUP BY workspace, project, environment, flag, variant, reason, version, source, tracked, minute`;

const exposures = `CREATE TABLE IF NOT EXISTS exposures (${tenant}, retention_days UInt16, day Date,
  flag LowCardinality(String), version LowCardinality(String), variant LowCardinality(String),
  context_kind LowCardinality(String), unit String CODEC(ZSTD(1)), ${source},
  tracked SimpleAggregateFunction(max, UInt8),
  first_at SimpleAggregateFunction(min, DateTime64(9, 'UTC')), last_at SimpleAggregateFunction(max, DateTime64(9, 'UTC')),
  evaluations SimpleAggregateFunction(sum, UInt64),
  trace_id SimpleAggregateFunction(max, FixedString(16)) COMMENT 'one of its traces; zeros: none is known'
) ENGINE = AggregatingMergeTree PARTITION BY (day, retention_days)
ORDER BY (workspace, project, environment, flag, context_kind, unit, version, variant, source)
TTL day + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

const exposuresView = `CREATE MATERIALIZED VIEW IF NOT EXISTS exposures_view TO exposures AS
SELECT workspace, project, environment, retention_days, toDate(time) AS day, flag, version, variant, context_kind, unit, source,
  max(toUInt8(flag_events.tracked)) AS tracked, min(time) AS first_at, max(time) AS last_at,
  sum(flag_events.evaluations) AS evaluations, max(flag_events.trace_id) AS trace_id
FROM flag_events WHERE unit != '' AND error = ''
GROUP BY workspace, project, environment, retention_days, day, flag, version, variant, context_kind, unit, source`;

export const exposures0007 = {
  id: 7,
  name: 'exposures',
  statements: [flagEvents, flagEvaluations, flagEvaluationsView, exposures, exposuresView],
} as const;
