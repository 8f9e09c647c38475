/**
 * How many spans of each minute have come, of all tenants, and when the last of them did: what tells the job that derives
 * service edges which minutes have got spans since. Counts only grow, also where spans are removed.
 */
const spanMinutes = `CREATE TABLE IF NOT EXISTS span_minutes (
  minute DateTime('UTC'), spans SimpleAggregateFunction(sum, UInt64), last_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

const spanMinutesView = `CREATE MATERIALIZED VIEW IF NOT EXISTS span_minutes_view TO span_minutes AS
SELECT toStartOfMinute(time) AS minute, count() AS spans, now('UTC') AS last_at FROM spans GROUP BY minute`;

/** Zero where a derivation is older: then a minute that has got spans is derived again. */
const derivedOf = `ALTER TABLE service_edge_minutes ADD COLUMN IF NOT EXISTS arrived UInt64 COMMENT 'spans that it was derived of'`;

export const spanMinutes0010 = {
  id: 10,
  name: 'span-minutes',
  statements: [spanMinutes, spanMinutesView, derivedOf],
} as const;
