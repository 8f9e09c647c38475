import type { Gateway, Lane } from '../../../platform/gateway/index.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { scopePrefix } from './name-rules.ts';
import type { SampleWindow } from './time-rules.ts';

export type Operator = '=' | '!=' | '=~' | '!~';

/** A condition on a label that a series has in the store. */
export interface LabelCondition {
  readonly name: string;
  readonly op: Operator;
  readonly value: string;
}

/** Which series a read is about. `isCumulative`: without delta temporality, which Prometheus does not have. */
export interface SeriesFilter {
  readonly window: SampleWindow;
  /** Names as they were sent; undefined: all. */
  readonly metrics?: readonly string[] | undefined;
  /** A name of Prometheus: metrics that cannot have it are left out, which saves reading their labels. */
  readonly name?: string | undefined;
  readonly conditions: readonly LabelCondition[];
  readonly isCumulative?: true;
  /** Samples of these series, which are known to meet the conditions. */
  readonly ids?: readonly string[] | undefined;
}

export interface Store {
  readonly lookup: ScopedTelemetry;
  readonly telemetry: ScopedTelemetry;
  readonly readBlocks: Gateway['readBlocks'];
  /** Of samples; names are looked up in a lane of their own. */
  readonly lane: Lane;
}

/** The label of the key `k`, as `labelName` in `name-rules.ts`. */
const labelOfKey = `replaceRegexpOne(replaceRegexpAll(k, '[^a-zA-Z0-9_]', '_'), '^([0-9])', 'key_\\\\1')`;

/** The value of attributes that have the same label: joined in the order of their keys. */
const ofAttributes = (map: string, label: string) =>
  `arrayStringConcat(arrayMap(one -> one.2, arraySort(arrayFilter(one -> one.1 = ${label} OR one.3 = ${label}, arrayMap((k, v) -> (k, v, ${labelOfKey}), mapKeys(${map}), mapValues(${map}))))), ';')`;

const orAttribute = (value: string, label: string) => `if(${value} != '', ${value}, attributes[${label}])`;
export const job = `if(resource['service.namespace'] = '', resource['service.name'], concat(resource['service.namespace'], '/', resource['service.name']))`;

/** The value of a label of an OTLP series, as `labelsOf` in `series-rules.ts` gives it. */
function otlpValueOf(name: string, bound: string): string {
  switch (name) {
    case 'job':
      return orAttribute(job, bound);
    case 'instance':
      return orAttribute(`resource['service.instance.id']`, bound);
    case 'otel_scope_name':
      return 'scope_name';
    case 'otel_scope_version':
      return 'scope_version';
    case 'otel_scope_schema_url':
      return 'scope_schema_url';
    default:
      return name.startsWith(scopePrefix)
        ? ofAttributes('scope_attributes', `substring(${bound}, ${scopePrefix.length + 1})`)
        : ofAttributes('attributes', bound);
  }
}

/** The value of a label of any series; empty if it has none. */
export function anyValueOf(name: string, bound: string): string {
  return `if(written, attributes[${bound}], ${otlpValueOf(name, bound)})`;
}

function conditionOn({ name, op }: LabelCondition, at: number): string {
  const value = `{value${at}:String}`;
  const has = anyValueOf(name, `{label${at}:String}`);
  switch (op) {
    case '=':
      return `${has} = ${value}`;
    case '!=':
      return `${has} != ${value}`;
    case '=~':
      return `match(${has}, ${value})`;
    case '!~':
      return `NOT match(${has}, ${value})`;
  }
}

/** Prometheus anchors regexes, and its dot matches newlines. */
export function anchored(pattern: string): string {
  return `^(?s:${pattern})$`;
}

/** A series is described on each day on which it has points, and once for what arrives late. */
export const described = `day >= toDate(fromUnixTimestamp64Milli({start:Int64}, 'UTC')) - 1 AND day <= toDate(fromUnixTimestamp64Milli({end:Int64}, 'UTC'))`;

const words = `replaceRegexpAll(metric, '[^a-zA-Z0-9:]+', '_')`;
/** The beginning of a translated name: the words of the metric, of which `total` and `ratio` may have moved to the end. */
const canHaveName = [
  `metric IN {written:Array(String)}`,
  `startsWith({name:String}, trim(BOTH '_' FROM ${words}))`,
  `startsWith({name:String}, trim(BOTH '_' FROM replaceRegexpAll(${words}, '(^|_)(total|ratio)(_|$)', '_')))`,
].join(' OR ');

export function whereOf(scope: TelemetryScope, { metrics, name, conditions, isCumulative }: SeriesFilter): string {
  return [
    inScope(scope),
    described,
    ...(isCumulative ? [`temporality != 'delta'`] : []),
    ...(metrics === undefined ? [] : ['metric IN {metrics:Array(String)}']),
    ...(name === undefined ? [] : [`(${canHaveName})`]),
    ...conditions.map(conditionOn),
  ].join(' AND ');
}

export function parametersOf({ window, metrics, name, conditions, ids }: SeriesFilter): Record<string, unknown> {
  return {
    start: String(Math.trunc(window.start)),
    end: String(Math.trunc(window.end)),
    ...(ids !== undefined && { ids }),
    ...(metrics !== undefined && { metrics }),
    ...(name !== undefined && {
      name: name.replace(/^_+/, ''),
      written: [name, name.replace(/_(bucket|sum|count)$/, '')],
    }),
    ...Object.fromEntries(
      conditions.flatMap(({ name, op, value }, at) => [
        [`label${at}`, name],
        [`value${at}`, op === '=~' || op === '!~' ? anchored(value) : value],
      ]),
    ),
  };
}

export const inSampleWindow = `time > fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND time <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;

/** Samples of the series that a filter is about. */
export function ofSeries(scope: TelemetryScope, filter: SeriesFilter): string {
  const ofMetrics = filter.metrics === undefined ? '' : 'AND metric IN {metrics:Array(String)}';
  const ids =
    filter.ids === undefined
      ? `(SELECT series FROM metric_series WHERE ${whereOf(scope, filter)})`
      : '(SELECT toUInt64(arrayJoin({ids:Array(String)})))';
  return `${inScope(scope)} ${ofMetrics} AND ${inSampleWindow} AND series IN ${ids}`;
}

/** They are in the address of the store's request, which may have a megabyte. */
const textsAtOnce = 2_000;

/** Those of some texts that a regex matches whole. It runs here because users write it: V8's regexes can take forever. */
export async function listMatching(
  { lookup }: Store,
  scope: TelemetryScope,
  candidates: readonly string[],
  pattern: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const matching = new Set<string>();
  for (let from = 0; from < candidates.length; from += textsAtOnce) {
    const rows = await lookup.rows<{ readonly text: string }>(
      scope,
      `SELECT text FROM (SELECT arrayJoin({texts:Array(String)}) AS text) WHERE match(text, {pattern:String})`,
      { texts: candidates.slice(from, from + textsAtOnce), pattern: anchored(pattern) },
      signal,
    );
    for (const { text } of rows) matching.add(text);
  }
  return matching;
}
