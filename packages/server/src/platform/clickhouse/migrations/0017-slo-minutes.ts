/**
 * Good events and all events of each SLO, by minute; windows of SLOs are longer than telemetry is kept. Of several rows of a
 * minute the highest version counts: `docs/decisions/0057`. Floats, since sampled events count for all that they stand for.
 */
const sloMinutes = `CREATE TABLE IF NOT EXISTS slo_minutes (
  workspace UInt32, project UInt32, environment LowCardinality(String), slo UUID, minute DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version UInt64 COMMENT 'revision of the SLO · 2^40 + epoch of the job run' CODEC(T64, ZSTD(1)), good Float64 CODEC(ZSTD(1)), total Float64 CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(minute) ORDER BY (workspace, project, slo, minute)
TTL minute + INTERVAL 400 DAY SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

export const sloMinutes0017 = { id: 17, name: 'slo-minutes', statements: [sloMinutes] } as const;
