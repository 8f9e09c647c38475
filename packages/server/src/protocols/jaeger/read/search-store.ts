import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Search, Tag, Window } from './parameter-rules.ts';

const bound = (name: string) => `fromUnixTimestamp64Nano({${name}:Int64}, 'UTC')`;
const inWindow = `time >= ${bound('from')} AND time <= ${bound('to')}
  AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(${bound('from')}) AND toStartOfFiveMinutes(${bound('to')})`;

function windowParameters({ fromNs, toNs }: Window) {
  return { from: String(fromNs), to: String(toNs) };
}

/** What Jaeger shows as tags of a span and is not among its attributes, as SQL. */
const intrinsic: Readonly<Record<string, string>> = {
  'span.kind': 'toString(kind)',
  'otel.status_code': 'upper(toString(status))',
  'otel.status_description': 'status_message',
  'otel.scope.name': 'toString(scope_name)',
  'otel.library.name': 'toString(scope_name)',
  'otel.scope.version': 'toString(scope_version)',
  'otel.library.version': 'toString(scope_version)',
  'w3c.tracestate': 'trace_state',
  error: `if(status = 'error', 'true', 'false')`,
};

/**
 * That a span, its resource, scope, an event or a link has a tag. Values are compared as texts, as Jaeger compares them: numbers
 * in any notation.
 */
function hasTag([key, value]: Tag, at: number): string {
  const [k, v] = [`{key${at}:String}`, `{value${at}:String}`];
  const number = numberOf(value);
  const isNumber = number !== undefined;
  const inMap = (map: string, has: string) => `(mapContains(${map}, ${k}) AND ${has})`;
  const inTexts = (map: string) => inMap(map, `${map}[${k}] = ${v}`);
  const inLists = (lists: string) => `arrayExists(m -> mapContains(m, ${k}) AND m[${k}] = ${v}, ${lists})`;
  return `(${[
    ...['string_attributes', 'json_attributes', 'resource', 'scope_attributes'].map(inTexts),
    ...['event_attributes', 'link_attributes'].map(inLists),
    ...(isNumber ? [inMap('float_attributes', `float_attributes[${k}] = {number${at}:Float64}`)] : []),
    ...(isInt64(value) ? [inMap('int_attributes', `int_attributes[${k}] = {whole${at}:Int64}`)] : []),
    ...(value === 'true' || value === 'false' ? [inMap('bool_attributes', `bool_attributes[${k}] = ${value}`)] : []),
    ...(Object.hasOwn(intrinsic, key) ? [`${intrinsic[key]} = ${v}`] : []),
    ...(key === 'event' ? [`has(event_name, ${v})`] : []),
  ].join(' OR ')})`;
}

function numberOf(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function isInt64(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function tagParameters(tags: readonly Tag[]): Record<string, unknown> {
  return Object.fromEntries(
    tags.flatMap(([key, value], at) => [
      [`key${at}`, key],
      [`value${at}`, value],
      ...(numberOf(value) === undefined ? [] : [[`number${at}`, numberOf(value)]]),
      ...(isInt64(value) ? [[`whole${at}`, value]] : []),
    ]),
  );
}

/** The traces with a span that meets all conditions, those with the newest span first. */
export async function findTraces(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { service, operation, tags, window, minDurationNs, maxDurationNs, limit }: Search,
  signal: AbortSignal,
): Promise<string[]> {
  const where = [
    inScope(scope),
    inWindow,
    ...(service === undefined ? [] : ['service = {service:String}']),
    ...(operation === undefined ? [] : ['name = {operation:String}']),
    ...(minDurationNs === 0n ? [] : ['duration >= {shortest:UInt64}']),
    ...(maxDurationNs === undefined ? [] : ['duration <= {longest:UInt64}']),
    ...tags.map(hasTag),
  ];
  const rows = await telemetry.rows<{ readonly id: string }>(
    scope,
    `SELECT lower(hex(trace_id)) AS id FROM spans WHERE ${where.join(' AND ')}
     GROUP BY trace_id ORDER BY max(time) DESC, trace_id LIMIT {limit:UInt32}`,
    {
      ...windowParameters(window),
      ...tagParameters(tags),
      service,
      operation,
      shortest: String(minDurationNs),
      longest: String(maxDurationNs ?? 0n),
      limit,
    },
    signal,
    { limits: { maxResultRows: limit } },
  );
  return rows.map(({ id }) => id);
}

/** Services that have sent spans, by name. */
export async function listServices(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  limit: number,
  signal: AbortSignal,
): Promise<string[]> {
  const rows = await telemetry.rows<{ readonly name: string }>(
    scope,
    `SELECT DISTINCT service AS name FROM arrivals WHERE ${inScope(scope)} AND signal = 'traces' AND service != ''
     ORDER BY name LIMIT {limit:UInt32}`,
    { limit },
    signal,
    { limits: { maxResultRows: limit } },
  );
  return rows.map(({ name }) => name);
}

export interface Operation {
  readonly name: string;
  readonly kind: string;
}

/** The names and kinds of the spans of a service. @param kind undefined: all */
export async function listOperations(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { service, kind, window, limit }: { service: string; kind: string | undefined; window: Window; limit: number },
  signal: AbortSignal,
): Promise<Operation[]> {
  return telemetry.rows<Operation>(
    scope,
    `SELECT DISTINCT toString(spans.name) AS name, toString(spans.kind) AS kind FROM spans
     WHERE ${inScope(scope)} AND ${inWindow} AND service = {service:String} ${kind === undefined ? '' : 'AND toString(spans.kind) = {kind:String}'}
     ORDER BY name, kind LIMIT {limit:UInt32}`,
    { ...windowParameters(window), service, kind, limit },
    signal,
    { limits: { maxResultRows: limit } },
  );
}
