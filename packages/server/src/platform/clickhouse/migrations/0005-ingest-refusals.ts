/** What was sent and not stored, and why: rejected by the endpoint, or put aside because it could not be stored. */
const ingestRefusals = `CREATE TABLE IF NOT EXISTS ingest_refusals (
  workspace UInt32, project UInt32, environment LowCardinality(String), signal LowCardinality(String), hour DateTime('UTC'),
  kind Enum8('rejected' = 1, 'quarantined' = 2, 'dropped' = 3, 'refused' = 4) COMMENT 'dropped: at a limit of cardinality; refused: whole requests, whose items nobody knows',
  reason LowCardinality(String), items UInt64 COMMENT 'requests, where the kind is refused'
) ENGINE = SummingMergeTree(items) PARTITION BY toYYYYMM(hour)
ORDER BY (workspace, project, environment, signal, hour, kind, reason) TTL hour + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000`;

export const ingestRefusals0005 = { id: 5, name: 'ingest-refusals', statements: [ingestRefusals] } as const;
