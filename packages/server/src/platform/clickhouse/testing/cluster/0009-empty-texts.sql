ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_attributes LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(string_attributes), mapValues(string_attributes)))) COMMENT 'names of empty texts in string_attributes';

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_attributes LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(string_attributes), mapValues(string_attributes)))) COMMENT 'names of empty texts in string_attributes';

ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_resource LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(resource), mapValues(resource)))) COMMENT 'names of empty texts in resource';

ALTER TABLE fanion.spans ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_resource LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(resource), mapValues(resource)))) COMMENT 'names of empty texts in resource';

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_attributes LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(string_attributes), mapValues(string_attributes)))) COMMENT 'names of empty texts in string_attributes';

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_attributes LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(string_attributes), mapValues(string_attributes)))) COMMENT 'names of empty texts in string_attributes';

ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_resource LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(resource), mapValues(resource)))) COMMENT 'names of empty texts in resource';

ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS empty_resource LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\0', k, '\0'), arrayFilter((k, v) -> v = '' AND position(k, '\0') = 0, mapKeys(resource), mapValues(resource)))) COMMENT 'names of empty texts in resource';
