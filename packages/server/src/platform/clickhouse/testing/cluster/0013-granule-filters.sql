ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS value_filter mapValues(string_attributes) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS resource_filter mapValues(resource) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS value_filter mapValues(string_attributes) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS resource_filter mapValues(resource) TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD INDEX IF NOT EXISTS word_filter tokens(lower(body), 'splitByNonAlpha') TYPE bloom_filter(0.01) GRANULARITY 1;
