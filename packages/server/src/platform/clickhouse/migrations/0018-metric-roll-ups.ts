const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * How many points of each metric are stored for each hour, kept by inserts and merges with the points themselves: this tells
 * whether a roll-up contains all of them. Counts of what was stored before are added in the background.
 */
const counts = [
  `ALTER TABLE metric_points ADD PROJECTION IF NOT EXISTS by_hour (
  SELECT workspace, project, environment, metric, toStartOfHour(time) AS hour, count() GROUP BY workspace, project, environment, metric, hour
)`,
  `ALTER TABLE metric_points MATERIALIZE PROJECTION by_hour`,
];

/**
 * What the points of a series amount to in each slot of five minutes and of an hour. Points that were sent twice count once. Of
 * several rows of a slot, the highest version counts. Kept a day longer than the points, so that it never ends before them.
 */
const rollUps = `CREATE TABLE IF NOT EXISTS metric_rollups (
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
) ENGINE = ReplacingMergeTree(version) PARTITION BY (toDate(time), retention_days) ORDER BY (workspace, metric, width, series, time)
TTL toDateTime(time) + toIntervalDay(retention_days + 1) SETTINGS ttl_only_drop_parts = 1, ${durable}`;

/** Of how many rows of `metric_points` the roll-ups of an hour were made. Written after them. */
const hours = `CREATE TABLE IF NOT EXISTS metric_rollup_hours (
  workspace UInt32, project UInt32, environment LowCardinality(String), metric LowCardinality(String), hour DateTime('UTC'),
  version UInt64 COMMENT 'epoch of the job run', rows UInt64, made_at DateTime('UTC')
) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(hour) ORDER BY (workspace, project, environment, metric, hour)
TTL hour + INTERVAL 400 DAY SETTINGS ${durable}`;

export const metricRollUps0018 = { id: 18, name: 'metric-roll-ups', statements: [rollUps, hours, ...counts] } as const;
