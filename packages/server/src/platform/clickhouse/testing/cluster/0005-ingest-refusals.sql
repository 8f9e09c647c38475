CREATE TABLE IF NOT EXISTS fanion.ingest_refusals_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), signal LowCardinality(String), hour DateTime('UTC'),
  kind Enum8('rejected' = 1, 'quarantined' = 2, 'dropped' = 3, 'refused' = 4) COMMENT 'dropped: at a limit of cardinality; refused: whole requests, whose items nobody knows',
  reason LowCardinality(String), items UInt64 COMMENT 'requests, where the kind is refused'
) ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/fanion/ingest_refusals_local', '{replica}', items) PARTITION BY toYYYYMM(hour)
ORDER BY (workspace, project, environment, signal, hour, kind, reason) TTL hour + INTERVAL 400 DAY
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000;

CREATE TABLE IF NOT EXISTS fanion.ingest_refusals ON CLUSTER 'telemetry' AS fanion.ingest_refusals_local
ENGINE = Distributed('telemetry', 'fanion', 'ingest_refusals_local', cityHash64(workspace, project));
