ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS by_weight weight TYPE minmax GRANULARITY 8;
