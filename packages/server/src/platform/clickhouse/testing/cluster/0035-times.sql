ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' MODIFY COLUMN time CODEC(GCD, T64, LZ4);

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' MODIFY COLUMN time CODEC(GCD, T64, LZ4);

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' MODIFY COLUMN time CODEC(GCD, T64, LZ4);

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' MODIFY COLUMN time CODEC(GCD, T64, LZ4);
