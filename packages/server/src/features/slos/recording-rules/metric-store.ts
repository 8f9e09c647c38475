import { createHash } from 'node:crypto';
import type { QueryLanguage } from '@fanion/contract';
import { RowWriter } from '@fanion/telemetry';
import type { Answer, Budget, Gateway } from '../../../platform/gateway/index.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { TelemetryWriter } from '../../../platform/telemetry-writer.ts';
import { valueColumn } from '../budget/index.ts';
import { type Found, identityOf, type Labels, type Point, type Steps } from './write-rules.ts';

const dayMs = 86_400_000;
/** Rows of one read of a range. */
const maxRows = 200_000;

/** Of series that recording rules write. */
const recordedDescription = 'written by a recording rule';

/** The metric that a rule writes. */
export interface WrittenMetric {
  readonly name: string;
  readonly unit: string;
  readonly scope: TelemetryScope;
  readonly retentionDays: number;
  readonly language: QueryLanguage;
}

/** Asks a query in OQL for each step of a range. Throws what the gateway throws. */
export async function askRelation(
  gateway: Gateway,
  scope: TelemetryScope,
  { query, everyMs }: { query: string; everyMs: number },
  { fromMs, toMs }: Steps,
  { lane, signal }: Pick<Budget, 'lane' | 'signal'>,
): Promise<{ readonly found: Found[]; readonly cost: Answer['cost'] }> {
  const window = { fromNs: BigInt(fromMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
  const { rows, relations, cost } = await gateway.relate<{ at: number; labels: string[]; value: number }, 'rule'>(
    scope,
    { rule: { oql: query, window, bucketNs: BigInt(everyMs) * 1_000_000n } },
    ({ rule }) => {
      const value = valueColumn(rule);
      if ('problem' in value) throw new Error(value.problem);
      const labels = rule.keys.map(({ name }) => `ifNull(toString(${name}), '')`).join(', ');
      return {
        sql: `SELECT toFloat64(toUnixTimestamp64Milli(t)) AS at, CAST([${labels}], 'Array(String)') AS labels, toFloat64(${value.name}) AS value
          FROM (${rule.sql}) WHERE ${value.name} IS NOT NULL AND isFinite(toFloat64(${value.name})) ORDER BY at, labels`,
      };
    },
    { lane, signal, limits: { maxResultRows: maxRows } },
  );
  const { keys } = relations.rule;
  const found = rows.map(({ at, labels, value }) => ({
    at,
    labels: keys.map(({ of }, i) => [of, labels[i] ?? ''] as const),
    value,
  }));
  return { found, cost };
}

/** Whether the project has series of a metric that no recording rule wrote. */
export async function isIngested(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  metric: string,
  signal: AbortSignal,
): Promise<boolean> {
  const rows = await telemetry.rows(
    scope,
    `SELECT 1 AS found FROM metric_series WHERE ${inScope(scope)} AND metric = {metric:String} AND description != {recorded:String} LIMIT 1`,
    { metric, recorded: recordedDescription },
    signal,
  );
  return rows.length > 0;
}

/** A number of a series, as ingest has one: of all that tells series apart. */
export function seriesOf({ name, scope }: Pick<WrittenMetric, 'name' | 'scope'>, labels: Labels): bigint {
  const { workspace, project, environment } = scope;
  const text = JSON.stringify([workspace, project, environment ?? '', name, 'recorded', identityOf(labels)]);
  return createHash('sha256').update(text).digest().readBigUInt64LE(0);
}

const seriesColumns = [
  'workspace',
  'project',
  'environment',
  'retention_days',
  'day',
  'metric',
  'series',
  'kind',
  'unit',
  'description',
  'service',
  'resource',
  'attributes',
] as const;
const pointColumns = [
  'workspace',
  'project',
  'environment',
  'retention_days',
  'metric',
  'series',
  'time',
  'start_time',
  'value',
  'no_recorded_value',
] as const;

/**
 * Writes points and the series that they belong to, the series first: a point is in no answer without its series. The same token for the
 * same range makes a repetition a no-op, whatever it has found.
 */
export async function insertPoints(
  store: TelemetryWriter,
  metric: WrittenMetric,
  points: readonly Point[],
  token: string,
  signal: AbortSignal,
): Promise<void> {
  if (points.length === 0) return;
  const series = new RowWriter();
  const values = new RowWriter();
  const described = new Set<string>();
  for (const point of points) {
    const id = seriesOf(metric, point.labels);
    const day = Math.floor(point.endMs / dayMs);
    if (!described.has(`${id}/${day}`)) {
      described.add(`${id}/${day}`);
      writeSeries(series, metric, id, day, point.labels);
    }
    writePlace(values, metric);
    values.text(metric.name);
    values.reserve(41);
    writeUint64(values, id);
    writeUint64(values, BigInt(point.endMs));
    writeUint64(values, BigInt(point.startMs));
    values.float64(point.value ?? 0);
    values.uint8(point.value === null ? 1 : 0);
  }
  const bodyOf = (writer: RowWriter) => writer.bytes.subarray(0, writer.length);
  await store.insert('metric_series', seriesColumns, 'RowBinary', bodyOf(series), { token: `${token}/series`, signal });
  await store.insert('metric_points', pointColumns, 'RowBinary', bodyOf(values), { token, signal });
}

function writePlace(writer: RowWriter, { scope, retentionDays }: WrittenMetric): void {
  writer.reserve(16);
  writer.uint32(scope.workspace);
  writer.uint32(scope.project ?? 0);
  writer.text(scope.environment ?? '');
  writer.reserve(16);
  writer.uint16(retentionDays);
}

function writeSeries(writer: RowWriter, metric: WrittenMetric, id: bigint, day: number, labels: Labels): void {
  const { resource, attributes } = (metric.language === 'promql' ? prometheusParts : oqlParts)(labels);
  writePlace(writer, metric);
  writer.uint16(day);
  writer.text(metric.name);
  writer.reserve(16);
  writeUint64(writer, id);
  // kind: gauge
  writer.uint8(0);
  writer.text(metric.unit);
  writer.text(recordedDescription);
  writer.text(resource['service.name'] ?? '');
  writeMap(writer, resource);
  writeMap(writer, attributes);
}

interface Parts {
  readonly resource: Labels;
  readonly attributes: Labels;
}

function oqlParts({ 'service.name': service = '', ...attributes }: Labels): Parts {
  return { resource: service === '' ? {} : { 'service.name': service }, attributes };
}

/** As remote write stores series, so that PromQL reads the name and the labels as they are. */
function prometheusParts(labels: Labels): Parts {
  const { job = '', instance = '' } = labels;
  const [, namespace = '', service = job] = /^([^/]+)\/(.+)$/s.exec(job) ?? [];
  const resource = { 'service.namespace': namespace, 'service.name': service, 'service.instance.id': instance };
  return {
    resource: Object.fromEntries(Object.entries(resource).filter(([, value]) => value !== '')),
    attributes: labels,
  };
}

function writeMap(writer: RowWriter, map: Labels): void {
  const entries = Object.entries(map);
  writer.reserve(8);
  writer.varint(entries.length);
  for (const [key, value] of entries) {
    writer.text(key);
    writer.text(value);
  }
}

function writeUint64(writer: RowWriter, value: bigint): void {
  writer.uint64(Number(value & 0xffff_ffffn), Number(value >> 32n));
}

/** The points of a range that are not there yet: the store remembers only the last 10,000 tokens. */
export async function missingPoints(
  telemetry: ScopedTelemetry,
  metric: WrittenMetric,
  points: readonly Point[],
  { fromMs, toMs }: Steps,
  signal: AbortSignal,
): Promise<Point[]> {
  if (points.length === 0) return [];
  const scope = metric.scope;
  const rows = await telemetry.rows<{ series: string; at: number }>(
    scope,
    `SELECT DISTINCT toString(metric_points.series) AS series, toFloat64(toUnixTimestamp64Milli(time)) AS at FROM metric_points
     WHERE ${inScope(scope)} AND metric = {metric:String} AND time > fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
    { metric: metric.name, from: String(fromMs), to: String(toMs) },
    signal,
    { limits: { maxResultRows: 2_000_000, maxResultBytes: 128 * 1024 ** 2 } },
  );
  const known = new Set(rows.map(({ series, at }) => `${series}/${at}`));
  return points.filter((point) => !known.has(`${seriesOf(metric, point.labels)}/${point.endMs}`));
}
