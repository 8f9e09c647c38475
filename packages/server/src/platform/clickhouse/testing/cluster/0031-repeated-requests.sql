ALTER TABLE fanion.ingest_refusals_local ON CLUSTER 'telemetry' MODIFY COLUMN kind Enum8('rejected' = 1, 'quarantined' = 2, 'dropped' = 3, 'refused' = 4, 'repeated' = 5);

ALTER TABLE fanion.ingest_refusals ON CLUSTER 'telemetry' MODIFY COLUMN kind Enum8('rejected' = 1, 'quarantined' = 2, 'dropped' = 3, 'refused' = 4, 'repeated' = 5);
