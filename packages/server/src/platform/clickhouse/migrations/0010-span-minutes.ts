/**
 * The number of spans that arrived for each minute, of all tenants, and the time of the last arrival. From it the job
 * that derives service edges finds minutes with new spans. Counts only grow, even when spans are removed.
 */
const spanMinutes = `CREATE TABLE IF NOT EXISTS span_minutes (
  minute DateTime('UTC'), spans SimpleAggregateFunction(sum, UInt64), last_at SimpleAggregateFunction(max, DateTime('UTC'))
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(minute) ORDER BY minute
TTL minute + INTERVAL 400 DAY SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

const spanMinutesView = `CREATE MATERIALIZED VIEW IF NOT EXISTS span_minutes_view TO span_minutes AS
SELECT toStartOfMinute(time) AS minute, count() AS spans, now('UTC') AS last_at FROM spans GROUP BY minute`;

/** Zero for older derivations: their minutes are derived again when they receive spans. */
const derivedOf = `ALTER TABLE service_edge_minutes ADD COLUMN IF NOT EXISTS arrived UInt64 COMMENT 'spans that it was derived of'`;

export const spanMinutes0010 = {
  id: 10,
  name: 'span-minutes',
  statements: [spanMinutes, spanMinutesView, derivedOf],
} as const;
