CREATE TABLE IF NOT EXISTS fanion.field_usage_local ON CLUSTER 'telemetry' (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  signal LowCardinality(String) COMMENT 'spans, logs, metrics, profiles', bucket DateTime('UTC') COMMENT '15 minutes; a day for metrics',
  scope LowCardinality(String) COMMENT 'field, attribute, resource', name LowCardinality(String), type LowCardinality(String),
  rows SimpleAggregateFunction(sum, UInt64) COMMENT 'rows that have it',
  values AggregateFunction(uniqCombined(12), String),
  top AggregateFunction(approx_top_sum(50, 150), String, UInt64)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/fanion/field_usage_local', '{replica}') PARTITION BY (toDate(bucket), retention_days)
ORDER BY (workspace, signal, name, scope, type, bucket, project, environment, retention_days)
TTL bucket + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, index_granularity = 128, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS fanion.field_usage ON CLUSTER 'telemetry' AS fanion.field_usage_local
ENGINE = Distributed('telemetry', 'fanion', 'field_usage_local', cityHash64(workspace, name));

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_names_of_spans ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'spans' AS signal, field.1 AS scope, field.2 AS name, field.3 AS type, sum(counted) AS rows
FROM (
  SELECT workspace, project, environment, retention_days, bucket, counted, arrayJoin(arrayConcat([('field', 'service.name', 'string'), ('field', 'name', 'string'), ('field', 'kind', 'string'), ('field', 'status', 'string'), ('field', 'environment', 'string'), ('field', 'scope.name', 'string')], arrayMap(k -> ('attribute', toString(k), 'string'), keys0), arrayMap(k -> ('attribute', toString(k), 'int'), keys1), arrayMap(k -> ('attribute', toString(k), 'float'), keys2), arrayMap(k -> ('attribute', toString(k), 'bool'), keys3), arrayMap(k -> ('attribute', toString(k), 'json'), keys4), arrayMap(k -> ('resource', toString(k), 'string'), keys5))) AS field
  FROM (
    SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket, mapKeys(string_attributes) AS keys0, mapKeys(int_attributes) AS keys1, mapKeys(float_attributes) AS keys2, mapKeys(bool_attributes) AS keys3, mapKeys(json_attributes) AS keys4, mapKeys(resource) AS keys5, count() AS counted
    FROM fanion.spans_local AS spans GROUP BY workspace, project, environment, retention_days, bucket, keys0, keys1, keys2, keys3, keys4, keys5))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_values_of_spans ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'spans' AS signal, scope, name, type,
  uniqCombinedState(12)(value.1) AS values, approx_top_sumState(50, 150)(value.1, value.2) AS top
FROM (
  SELECT workspace, project, environment, retention_days, bucket, scope, name, type, arrayJoin(found) AS value
  FROM (
    SELECT workspace, project, environment, retention_days, bucket, field.1 AS scope, field.2 AS name, field.3 AS type, groupArray((field.4, weight)) AS found
    FROM (
      SELECT workspace, project, environment, retention_days, bucket, weight, arrayJoin(pairs) AS field
      FROM (
        SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket,
          toUInt64(if(position_in_block < 2000, 1, 64)) AS weight,
          arrayConcat([('field', 'service.name', 'string', toString(service)), ('field', 'name', 'string', toString(name)), ('field', 'kind', 'string', toString(kind)), ('field', 'status', 'string', toString(status)), ('field', 'environment', 'string', toString(environment)), ('field', 'scope.name', 'string', toString(scope_name))], arrayMap((k, v) -> ('attribute', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(string_attributes), mapValues(string_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'int', substringUTF8(toString(v), 1, 200)), mapKeys(int_attributes), mapValues(int_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'float', substringUTF8(toString(v), 1, 200)), mapKeys(float_attributes), mapValues(float_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'bool', substringUTF8(toString(v), 1, 200)), mapKeys(bool_attributes), mapValues(bool_attributes)), arrayMap((k, v) -> ('resource', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(resource), mapValues(resource))) AS pairs
        FROM (SELECT *, rowNumberInBlock() AS position_in_block FROM fanion.spans_local AS spans)
        WHERE position_in_block < 2000 OR position_in_block % 64 = 0))
    GROUP BY workspace, project, environment, retention_days, bucket, scope, name, type ORDER BY count() DESC LIMIT 5000))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_names_of_logs ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'logs' AS signal, field.1 AS scope, field.2 AS name, field.3 AS type, sum(counted) AS rows
FROM (
  SELECT workspace, project, environment, retention_days, bucket, counted, arrayJoin(arrayConcat([('field', 'service.name', 'string'), ('field', 'severity', 'string'), ('field', 'event_name', 'string'), ('field', 'environment', 'string'), ('field', 'scope.name', 'string')], arrayMap(k -> ('attribute', toString(k), 'string'), keys0), arrayMap(k -> ('attribute', toString(k), 'int'), keys1), arrayMap(k -> ('attribute', toString(k), 'float'), keys2), arrayMap(k -> ('attribute', toString(k), 'bool'), keys3), arrayMap(k -> ('attribute', toString(k), 'json'), keys4), arrayMap(k -> ('resource', toString(k), 'string'), keys5))) AS field
  FROM (
    SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket, mapKeys(string_attributes) AS keys0, mapKeys(int_attributes) AS keys1, mapKeys(float_attributes) AS keys2, mapKeys(bool_attributes) AS keys3, mapKeys(json_attributes) AS keys4, mapKeys(resource) AS keys5, count() AS counted
    FROM fanion.logs_local AS logs GROUP BY workspace, project, environment, retention_days, bucket, keys0, keys1, keys2, keys3, keys4, keys5))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_values_of_logs ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'logs' AS signal, scope, name, type,
  uniqCombinedState(12)(value.1) AS values, approx_top_sumState(50, 150)(value.1, value.2) AS top
FROM (
  SELECT workspace, project, environment, retention_days, bucket, scope, name, type, arrayJoin(found) AS value
  FROM (
    SELECT workspace, project, environment, retention_days, bucket, field.1 AS scope, field.2 AS name, field.3 AS type, groupArray((field.4, weight)) AS found
    FROM (
      SELECT workspace, project, environment, retention_days, bucket, weight, arrayJoin(pairs) AS field
      FROM (
        SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket,
          toUInt64(if(position_in_block < 2000, 1, 64)) AS weight,
          arrayConcat([('field', 'service.name', 'string', toString(service)), ('field', 'severity', 'string', toString(if(severity = 0, '', ['trace', 'debug', 'info', 'warn', 'error', 'fatal'][intDiv(severity + 3, 4)]))), ('field', 'event_name', 'string', toString(event_name)), ('field', 'environment', 'string', toString(environment)), ('field', 'scope.name', 'string', toString(scope_name))], arrayMap((k, v) -> ('attribute', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(string_attributes), mapValues(string_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'int', substringUTF8(toString(v), 1, 200)), mapKeys(int_attributes), mapValues(int_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'float', substringUTF8(toString(v), 1, 200)), mapKeys(float_attributes), mapValues(float_attributes)), arrayMap((k, v) -> ('attribute', toString(k), 'bool', substringUTF8(toString(v), 1, 200)), mapKeys(bool_attributes), mapValues(bool_attributes)), arrayMap((k, v) -> ('resource', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(resource), mapValues(resource))) AS pairs
        FROM (SELECT *, rowNumberInBlock() AS position_in_block FROM fanion.logs_local AS logs)
        WHERE position_in_block < 2000 OR position_in_block % 64 = 0))
    GROUP BY workspace, project, environment, retention_days, bucket, scope, name, type ORDER BY count() DESC LIMIT 5000))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_names_of_metric_series ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'metrics' AS signal, field.1 AS scope, field.2 AS name, field.3 AS type, sum(counted) AS rows
FROM (
  SELECT workspace, project, environment, retention_days, bucket, counted, arrayJoin(arrayConcat([('field', 'metric', 'string'), ('field', 'service.name', 'string'), ('field', 'unit', 'string'), ('field', 'kind', 'string'), ('field', 'environment', 'string')], arrayMap(k -> ('attribute', toString(k), 'string'), keys0), arrayMap(k -> ('resource', toString(k), 'string'), keys1))) AS field
  FROM (
    SELECT workspace, project, environment, retention_days, toDateTime(day, 'UTC') AS bucket, mapKeys(attributes) AS keys0, mapKeys(resource) AS keys1, count() AS counted
    FROM fanion.metric_series_local AS metric_series GROUP BY workspace, project, environment, retention_days, bucket, keys0, keys1))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_values_of_metric_series ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'metrics' AS signal, scope, name, type,
  uniqCombinedState(12)(value.1) AS values, approx_top_sumState(50, 150)(value.1, value.2) AS top
FROM (
  SELECT workspace, project, environment, retention_days, bucket, scope, name, type, arrayJoin(found) AS value
  FROM (
    SELECT workspace, project, environment, retention_days, bucket, field.1 AS scope, field.2 AS name, field.3 AS type, groupArray((field.4, weight)) AS found
    FROM (
      SELECT workspace, project, environment, retention_days, bucket, weight, arrayJoin(pairs) AS field
      FROM (
        SELECT workspace, project, environment, retention_days, toDateTime(day, 'UTC') AS bucket,
          toUInt64(if(position_in_block < 2000, 1, 64)) AS weight,
          arrayConcat([('field', 'metric', 'string', toString(metric)), ('field', 'service.name', 'string', toString(service)), ('field', 'unit', 'string', toString(unit)), ('field', 'kind', 'string', toString(kind)), ('field', 'environment', 'string', toString(environment))], arrayMap((k, v) -> ('attribute', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(attributes), mapValues(attributes)), arrayMap((k, v) -> ('resource', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(resource), mapValues(resource))) AS pairs
        FROM (SELECT *, rowNumberInBlock() AS position_in_block FROM fanion.metric_series_local AS metric_series)
        WHERE position_in_block < 2000 OR position_in_block % 64 = 0))
    GROUP BY workspace, project, environment, retention_days, bucket, scope, name, type ORDER BY count() DESC LIMIT 5000))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_names_of_profile_samples ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'profiles' AS signal, field.1 AS scope, field.2 AS name, field.3 AS type, sum(counted) AS rows
FROM (
  SELECT workspace, project, environment, retention_days, bucket, counted, arrayJoin(arrayConcat([('field', 'profile_type', 'string'), ('field', 'service.name', 'string'), ('field', 'environment', 'string')], arrayMap(k -> ('attribute', toString(k), 'string'), keys0), arrayMap(k -> ('resource', toString(k), 'string'), keys1))) AS field
  FROM (
    SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket, mapKeys(attributes) AS keys0, mapKeys(resource) AS keys1, count() AS counted
    FROM fanion.profile_samples_local AS profile_samples GROUP BY workspace, project, environment, retention_days, bucket, keys0, keys1))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;

CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.field_values_of_profile_samples ON CLUSTER 'telemetry' TO fanion.field_usage_local AS
SELECT workspace, project, environment, retention_days, bucket, 'profiles' AS signal, scope, name, type,
  uniqCombinedState(12)(value.1) AS values, approx_top_sumState(50, 150)(value.1, value.2) AS top
FROM (
  SELECT workspace, project, environment, retention_days, bucket, scope, name, type, arrayJoin(found) AS value
  FROM (
    SELECT workspace, project, environment, retention_days, bucket, field.1 AS scope, field.2 AS name, field.3 AS type, groupArray((field.4, weight)) AS found
    FROM (
      SELECT workspace, project, environment, retention_days, bucket, weight, arrayJoin(pairs) AS field
      FROM (
        SELECT workspace, project, environment, retention_days, toStartOfFifteenMinutes(time) AS bucket,
          toUInt64(if(position_in_block < 2000, 1, 64)) AS weight,
          arrayConcat([('field', 'profile_type', 'string', toString(profile_type)), ('field', 'service.name', 'string', toString(service)), ('field', 'environment', 'string', toString(environment))], arrayMap((k, v) -> ('attribute', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(attributes), mapValues(attributes)), arrayMap((k, v) -> ('resource', toString(k), 'string', substringUTF8(toString(v), 1, 200)), mapKeys(resource), mapValues(resource))) AS pairs
        FROM (SELECT *, rowNumberInBlock() AS position_in_block FROM fanion.profile_samples_local AS profile_samples)
        WHERE position_in_block < 2000 OR position_in_block % 64 = 0))
    GROUP BY workspace, project, environment, retention_days, bucket, scope, name, type ORDER BY count() DESC LIMIT 5000))
GROUP BY workspace, project, environment, retention_days, bucket, signal, scope, name, type;
