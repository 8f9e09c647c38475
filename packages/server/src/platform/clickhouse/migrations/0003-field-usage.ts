/**
 * Which fields telemetry has, how often, and with which values, per quarter of an hour: what autocomplete and the
 * cardinality report read instead of the rows.
 *
 * Two views fill the table for each signal, and a field's row is merged from both. One counts names: exactly, and
 * cheaply, because rows are grouped by the set of their attribute names first (0.7 µs a row). The other samples values:
 * of each inserted block the first 2,000 rows, and of the rest every 64th, which counts 64-fold. Reading all values
 * cost as much as the insert of the rows itself. So `values` and `top` are exact for small inserts and estimates for
 * large ones; `top` keeps the most frequent values with a bound on its error (space saving), however many values there
 * are.
 *
 * Ordered by name before time, so that the values of one field are in few granules; these are small, since a row has
 * kilobytes of sketches.
 */
const durable = `non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`;

const fieldUsage = `CREATE TABLE IF NOT EXISTS field_usage (
  workspace UInt32, project UInt32, environment LowCardinality(String), retention_days UInt16,
  signal LowCardinality(String) COMMENT 'spans, logs, metrics, profiles', bucket DateTime('UTC') COMMENT '15 minutes; a day for metrics',
  scope LowCardinality(String) COMMENT 'field, attribute, resource', name LowCardinality(String), type LowCardinality(String),
  rows SimpleAggregateFunction(sum, UInt64) COMMENT 'rows that have it',
  values AggregateFunction(uniqCombined(12), String),
  top AggregateFunction(approx_top_sum(50, 150), String, UInt64)
) ENGINE = AggregatingMergeTree PARTITION BY (toDate(bucket), retention_days)
ORDER BY (workspace, signal, name, scope, type, bucket, project, environment, retention_days)
TTL bucket + toIntervalDay(retention_days) SETTINGS ttl_only_drop_parts = 1, index_granularity = 128, ${durable}`;

const exactRows = 2_000;
const beyond = 64;
/**
 * Sketches take 20 KB for each field and quarter of an hour, before the first value. One span with 100,000 attributes
 * took 2 GiB, so its insert failed repeatedly and blocked all others. So only the most frequent fields of an insert are
 * sampled.
 */
const sketchedFields = 5_000;
const place = 'workspace, project, environment, retention_days, bucket';

interface Source {
  readonly table: string;
  readonly signal: string;
  readonly bucket: string;
  /** Fields of every row: the column's expression, by the field's OQL name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly attributes: readonly { readonly column: string; readonly type: string; readonly scope: string }[];
}

const typed = ['string', 'int', 'float', 'bool', 'json'].map((type) => ({
  column: `${type}_attributes`,
  type,
  scope: 'attribute',
}));
const resource = { column: 'resource', type: 'string', scope: 'resource' };
const severityNames = `['trace', 'debug', 'info', 'warn', 'error', 'fatal']`;

const sources: readonly Source[] = [
  {
    table: 'spans',
    signal: 'spans',
    bucket: 'toStartOfFifteenMinutes(time)',
    fields: {
      'service.name': 'service',
      name: 'name',
      kind: 'kind',
      status: 'status',
      environment: 'environment',
      'scope.name': 'scope_name',
    },
    attributes: [...typed, resource],
  },
  {
    table: 'logs',
    signal: 'logs',
    bucket: 'toStartOfFifteenMinutes(time)',
    fields: {
      'service.name': 'service',
      severity: `if(severity = 0, '', ${severityNames}[intDiv(severity + 3, 4)])`,
      event_name: 'event_name',
      environment: 'environment',
      'scope.name': 'scope_name',
    },
    attributes: [...typed, resource],
  },
  {
    // A series is described once a day; the counts are of descriptions.
    table: 'metric_series',
    signal: 'metrics',
    bucket: `toDateTime(day, 'UTC')`,
    fields: { metric: 'metric', 'service.name': 'service', unit: 'unit', kind: 'kind', environment: 'environment' },
    attributes: [{ column: 'attributes', type: 'string', scope: 'attribute' }, resource],
  },
  {
    table: 'profile_samples',
    signal: 'profiles',
    bucket: 'toStartOfFifteenMinutes(time)',
    fields: { profile_type: 'profile_type', 'service.name': 'service', environment: 'environment' },
    attributes: [{ column: 'attributes', type: 'string', scope: 'attribute' }, resource],
  },
];

function namesView({ table, signal, bucket, fields, attributes }: Source): string {
  const keys = attributes.map(({ column }, at) => `mapKeys(${column}) AS keys${at}`);
  const own = Object.keys(fields).map((name) => `('field', '${name}', 'string')`);
  const found = attributes.map(
    ({ scope, type }, at) => `arrayMap(k -> ('${scope}', toString(k), '${type}'), keys${at})`,
  );
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS field_names_of_${table} TO field_usage AS
SELECT ${place}, '${signal}' AS signal, field.1 AS scope, field.2 AS name, field.3 AS type, sum(counted) AS rows
FROM (
  SELECT ${place}, counted, arrayJoin(arrayConcat([${own.join(', ')}], ${found.join(', ')})) AS field
  FROM (
    SELECT workspace, project, environment, retention_days, ${bucket} AS bucket, ${keys.join(', ')}, count() AS counted
    FROM ${table} GROUP BY ${place}, ${attributes.map((_, at) => `keys${at}`).join(', ')}))
GROUP BY ${place}, signal, scope, name, type`;
}

function valuesView({ table, signal, bucket, fields, attributes }: Source): string {
  const own = Object.entries(fields).map(([name, text]) => `('field', '${name}', 'string', toString(${text}))`);
  const found = attributes
    // Lists and maps are not useful in a list of values.
    .filter(({ type }) => type !== 'json')
    .map(
      ({ column, scope, type }) =>
        `arrayMap((k, v) -> ('${scope}', toString(k), '${type}', substringUTF8(toString(v), 1, 200)), mapKeys(${column}), mapValues(${column}))`,
    );
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS field_values_of_${table} TO field_usage AS
SELECT ${place}, '${signal}' AS signal, scope, name, type,
  uniqCombinedState(12)(value.1) AS values, approx_top_sumState(50, 150)(value.1, value.2) AS top
FROM (
  SELECT ${place}, scope, name, type, arrayJoin(found) AS value
  FROM (
    SELECT ${place}, field.1 AS scope, field.2 AS name, field.3 AS type, groupArray((field.4, weight)) AS found
    FROM (
      SELECT ${place}, weight, arrayJoin(pairs) AS field
      FROM (
        SELECT workspace, project, environment, retention_days, ${bucket} AS bucket,
          toUInt64(if(position_in_block < ${exactRows}, 1, ${beyond})) AS weight,
          arrayConcat([${own.join(', ')}], ${found.join(', ')}) AS pairs
        FROM (SELECT *, rowNumberInBlock() AS position_in_block FROM ${table})
        WHERE position_in_block < ${exactRows} OR position_in_block % ${beyond} = 0))
    GROUP BY ${place}, scope, name, type ORDER BY count() DESC LIMIT ${sketchedFields}))
GROUP BY ${place}, signal, scope, name, type`;
}

export const fieldUsage0003 = {
  id: 3,
  name: 'field-usage',
  statements: [fieldUsage, ...sources.flatMap((source) => [namesView(source), valuesView(source)])],
} as const;
