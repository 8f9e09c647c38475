import {
  inOrderedWindow,
  inScope,
  inWindow,
  type ScopedTelemetry,
  type TelemetryScope,
  windowParameters,
} from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Position } from './rules.ts';

/** What to group. */
export interface Seen {
  readonly scope: TelemetryScope;
  readonly window: Window;
  /** The start of the look-back, in which errors are only looked for to know when they were first seen. */
  readonly sinceNs: bigint;
}

export interface GroupFilter {
  readonly service: string | undefined;
  readonly search: string | undefined;
  readonly state: 'open' | 'resolved' | 'ignored' | undefined;
  readonly sort: 'count' | 'last_seen' | 'first_seen';
  /** Ids that people ignored. */
  readonly ignored: readonly string[];
  /** Ids that people resolved, and when. */
  readonly resolved: readonly { readonly id: string; readonly atMs: number }[];
}

/** An error; 64-bit numbers are text. */
export interface GroupRow {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly frame: string;
  readonly stack: string;
  readonly services: string[];
  readonly versions: string[];
  readonly count: number;
  readonly first_ns: string;
  readonly last_ns: string;
  /** Slice and count; slices without occurrences are left out. */
  readonly trend: [number, number][];
  readonly rank: string;
  /** Of all groups, not only of the page. */
  readonly all_total: number;
  readonly all_groups: number;
}

export interface OccurrenceRow {
  readonly ns: string;
  readonly trace: string;
  readonly span: string;
  readonly service: string;
  readonly version: string;
  readonly message: string;
}

export interface VariantRow {
  readonly flag: string;
  readonly variant: string;
  readonly traces: number;
  readonly failing: number;
}

/** The part of a stack that is read, and the part of a message that is shown. */
const stackBytes = 16_384;
const messageCharacters = 2_000;
const maxFrames = 50;
/** How long before a log record its span may have begun, to know that the span has the same error as an event. */
const spanBeganNs = 3_600_000_000_000n;
/** How long before an error its trace may have evaluated a flag. */
const evaluatedNs = 600_000_000_000n;
const zeroTrace = `toFixedString('', 16)`;

/** Lines that name a place in the code, as runtimes write them: docs/decisions/0081. */
const frameLine = String.raw`^\s*(at |File "|#\d+ |\d+: )|\.[A-Za-z]{1,5}:\d+`;
/** What differs between occurrences of one error: addresses, and numbers of lines, columns and builds. */
const varying = `0x[0-9a-fA-F]+|[0-9]+`;
/** The same in messages, where names and values are quoted. */
const varyingText = `"[^"]*"|'[^']*'|0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*|[0-9]+`;

const literal = (pattern: string) => `'${pattern.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The columns `frames`, `id` and `frame` of rows with `type`, `stack` and `text`. */
function grouped(rows: string): string {
  const frames = `arraySlice(arrayFilter(line -> match(line, ${literal(frameLine)}), splitByChar('\\n', stack)), 1, ${maxFrames})`;
  const places = `arrayCompact(arrayMap(line -> replaceRegexpAll(trimBoth(line), ${literal(varying)}, '*'), frames))`;
  const words = `replaceRegexpAll(if(stack = '', text, stack), ${literal(varyingText)}, '*')`;
  return `SELECT *, lower(hex(MD5(concat(type, '\\0', if(empty(frames), ${words}, arrayStringConcat(${places}, '\\n')))))) AS id,
      trimBoth(if(startsWith(trimLeft(frames[1]), 'File "'), frames[-1], frames[1])) AS frame
    FROM (SELECT *, ${frames} AS frames FROM (${rows}))`;
}

/** Every occurrence between \`since\` and the end of the window: events of spans, and log records that repeat none. */
function occurrences(scope: TelemetryScope): string {
  const within = `${inScope(scope)} AND ${inOrderedWindow('since_')}`;
  const read = (from: string) => `
    substring(${from}['exception.type'], 1, 512) AS type,
    substringUTF8(${from}['exception.message'], 1, ${messageCharacters}) AS message,
    substring(${from}['exception.stacktrace'], 1, ${stackBytes}) AS stack`;
  return `
    SELECT occurred AS at, service, resource['service.version'] AS version, trace_id, span_id, ${read('attributes')}
    FROM spans ARRAY JOIN event_time AS occurred, event_name AS event, event_attributes AS attributes
    WHERE ${within} AND has(event_name, 'exception') AND event = 'exception' AND ${inWindow('occurred', 'since_')}
    UNION ALL
    SELECT time AS at, service, resource['service.version'] AS version, trace_id, span_id, ${read('string_attributes')}
    FROM logs
    WHERE ${within} AND (mapContains(string_attributes, 'exception.type') OR mapContains(string_attributes, 'exception.message'))
      AND (trace_id, span_id) NOT IN (
        SELECT trace_id, span_id FROM spans
        WHERE ${inScope(scope)} AND ${inOrderedWindow('spans_')} AND has(event_name, 'exception'))`;
}

/** Binds the window and the look-back. */
export function parametersOf({ window, sinceNs }: Seen): Record<string, string> {
  return {
    ...windowParameters(window),
    ...windowParameters({ fromNs: sinceNs, toNs: window.toNs }, 'since_'),
    ...windowParameters({ fromNs: sinceNs - spanBeganNs, toNs: window.toNs }, 'spans_'),
  };
}

const inside = `at >= fromUnixTimestamp64Nano({from:Int64}, 'UTC')`;

const ranks = {
  count: 'toInt64(total)',
  last_seen: 'toUnixTimestamp64Nano(ended)',
  first_seen: 'toUnixTimestamp64Nano(began)',
} as const;

interface GroupPage {
  readonly slices: number;
  readonly after: Position | undefined;
  readonly limit: number;
  readonly most: number;
}

/**
 * Errors with an occurrence in the window, one more than the page holds.
 * @param page.most groups; if there are more, the first row has more in `all_groups`, whatever the filter, and no count can be relied on
 */
export async function listGroups(
  telemetry: ScopedTelemetry,
  seen: Seen,
  filter: GroupFilter,
  page: GroupPage,
  signal: AbortSignal,
  only?: string,
): Promise<GroupRow[]> {
  const { window } = seen;
  const length = window.toNs - window.fromNs;
  const slice = `if(${inside}, toInt32(least(intDiv(toUnixTimestamp64Nano(at) - {from:Int64}, {slice_ns:Int64}), ${page.slices - 1})), -1)`;
  // Stacks are first counted as they are, so that each is only examined once.
  const raw = `
    SELECT type, stack, if(stack = '', message, '') AS text, service, version, ${slice} AS slice,
      count() AS n, min(at) AS first_at, max(at) AS last_at, argMax(message, at) AS last_message
    FROM (${occurrences(seen.scope)})
    ${filter.service === undefined ? '' : 'WHERE service = {service:String}'}
    GROUP BY type, stack, text, service, version, slice`;
  const groups = `
    SELECT id, type, argMax(last_message, last_at) AS message, argMax(frame, last_at) AS place, argMax(stack, last_at) AS last_stack,
      sumIf(n, slice >= 0) AS total, min(first_at) AS began, max(last_at) AS ended,
      sumMapIf([toUInt16(greatest(slice, 0))], [toFloat64(n)], slice >= 0) AS slices,
      sumMap([toString(service)], [toFloat64(n)]) AS service_counts,
      minMap([version], [first_at]) AS version_starts
    FROM (${grouped(raw)}) ${only === undefined ? '' : 'WHERE id = {only:String}'}
    GROUP BY id, type HAVING total > 0 LIMIT ${page.most + 1}`;
  const wanted = conditionsOf(filter);
  const rows = `
    SELECT *, ${ranks[filter.sort]} AS rank, toFloat64(sum(total) OVER ()) AS all_total
    FROM (SELECT *, toFloat64(count() OVER ()) AS all_groups FROM (${groups}))
    ${wanted.length === 0 ? '' : `WHERE all_groups > ${page.most} OR (${wanted.join(' AND ')})`}`;
  return telemetry.rows<GroupRow>(
    seen.scope,
    `SELECT id, type, message, place AS frame, last_stack AS stack, toFloat64(total) AS count, toString(g.rank) AS rank, all_total, all_groups,
       toString(toUnixTimestamp64Nano(began)) AS first_ns, toString(toUnixTimestamp64Nano(ended)) AS last_ns,
       arrayZip(slices.1, slices.2) AS trend,
       arraySlice(arrayMap(s -> s.1, arraySort(s -> (-s.2, s.1), arrayZip(service_counts.1, service_counts.2))), 1, 10) AS services,
       arraySlice(arrayMap(s -> s.1, arraySort(s -> (s.2, s.1), arrayFilter(s -> s.1 != '', arrayZip(version_starts.1, version_starts.2)))), 1, 20) AS versions
     FROM (${rows}) AS g
     ${page.after === undefined ? '' : 'WHERE (-g.rank, g.id) > (-{after_rank:Int64}, {after_id:String})'}
     ORDER BY g.rank DESC, g.id LIMIT ${page.limit + 1}`,
    {
      ...parametersOf(seen),
      slice_ns: String((length + BigInt(page.slices) - 1n) / BigInt(page.slices)),
      ignored: [...filter.ignored],
      resolved: filter.resolved.map(({ id }) => id),
      resolved_at: filter.resolved.map(({ atMs }) => atMs),
      ...(only !== undefined && { only }),
      ...(filter.state !== undefined && { state: filter.state }),
      ...(filter.service !== undefined && { service: filter.service }),
      ...(filter.search !== undefined && { search: filter.search }),
      ...(page.after !== undefined && { after_rank: page.after.rank, after_id: page.after.id }),
    },
    signal,
  );
}

function conditionsOf({ state: only, search }: Pick<GroupFilter, 'state' | 'search'>): string[] {
  const state = `multiIf(has({ignored:Array(String)}, id), 'ignored',
    toUnixTimestamp64Milli(ended) <= transform(id, {resolved:Array(String)}, {resolved_at:Array(Int64)}, toInt64(-1)), 'resolved', 'open')`;
  return [
    ...(only === undefined ? [] : [`${state} = {state:String}`]),
    ...(search === undefined
      ? []
      : [
          '(positionCaseInsensitiveUTF8(type, {search:String}) > 0 OR positionCaseInsensitiveUTF8(message, {search:String}) > 0)',
        ]),
  ];
}

/**
 * SQL of the errors that occurred in the window and not in the look-back: `id`, `type`, `message` and `traces`, the `key` of each of
 * the traces that have it.
 * @param traces SQL of trace ids
 */
export function newErrors(
  scope: TelemetryScope,
  { traces, key }: { readonly traces: string; readonly key: string },
): string {
  const raw = `
    SELECT type, stack, if(stack = '', message, '') AS text, min(at) AS first_at, any(message) AS some_message,
      groupUniqArrayIf(${key}, trace_id IN (${traces})) AS found
    FROM (${occurrences(scope)}) GROUP BY type, stack, text`;
  return `SELECT id, type, any(some_message) AS message, arraySort(arrayDistinct(arrayFlatten(groupArray(found)))) AS traces
    FROM (${grouped(raw)}) GROUP BY id, type HAVING min(first_at) >= fromUnixTimestamp64Nano({from:Int64}, 'UTC')`;
}

/** An error of the window with the services that threw it. */
export async function findGroup(
  telemetry: ScopedTelemetry,
  seen: Seen,
  id: string,
  signal: AbortSignal,
): Promise<Pick<GroupRow, 'id' | 'type' | 'services'> | undefined> {
  const raw = `SELECT type, stack, if(stack = '', message, '') AS text, service, count() AS n
    FROM (${occurrences(seen.scope)}) WHERE ${inside} GROUP BY type, stack, text, service`;
  const [row] = await telemetry.rows<Pick<GroupRow, 'id' | 'type' | 'services'>>(
    seen.scope,
    `SELECT id, type, arraySlice(arrayMap(s -> s.2, arrayReverseSort(groupArray((n, toString(service))))), 1, 10) AS services
     FROM (SELECT id, type, service, sum(n) AS n FROM (${grouped(raw)}) WHERE id = {only:String} GROUP BY id, type, service)
     GROUP BY id, type`,
    { ...parametersOf(seen), only: id },
    signal,
  );
  return row;
}

/** SQL of the ids, as text, of the traces that have an error in the window, and its parameters. */
export function groupTraces(
  scope: TelemetryScope,
  { id, type }: Pick<GroupRow, 'id' | 'type'>,
  window: Window,
): { readonly traces: string; readonly values: Readonly<Record<string, string>> } {
  const seen = { scope, window, sinceNs: window.fromNs };
  return { traces: `SELECT lower(hex(trace_id)) FROM (${ofGroup(seen)})`, values: { ...parametersOf(seen), id, type } };
}

/** The occurrences of one error in the window. Only those of its type are examined. */
function ofGroup(seen: Seen): string {
  const raw = `SELECT *, if(stack = '', message, '') AS text FROM (${occurrences(seen.scope)}) WHERE type = {type:String} AND ${inside}`;
  return `SELECT * FROM (${grouped(raw)}) WHERE id = {id:String}`;
}

export async function listOccurrences(
  telemetry: ScopedTelemetry,
  seen: Seen,
  { id, type }: { readonly id: string; readonly type: string },
  limit: number,
  signal: AbortSignal,
): Promise<OccurrenceRow[]> {
  return telemetry.rows<OccurrenceRow>(
    seen.scope,
    `SELECT toString(toUnixTimestamp64Nano(at)) AS ns, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
       toString(service) AS service, version, message
     FROM (${ofGroup(seen)}) ORDER BY at DESC, trace, span LIMIT ${limit}`,
    { ...parametersOf({ ...seen, sinceNs: seen.window.fromNs }), id, type },
    signal,
  );
}

/** How many traces saw each variant, and how many of them have the error; of flags that at least one of these saw. */
export async function listVariants(
  telemetry: ScopedTelemetry,
  seen: Seen,
  { id, type }: { readonly id: string; readonly type: string },
  limit: number,
  signal: AbortSignal,
): Promise<VariantRow[]> {
  return telemetry.rows<VariantRow>(
    seen.scope,
    `SELECT toString(flag) AS flag, toString(variant) AS variant, toFloat64(traces) AS traces, toFloat64(failing) AS failing
     FROM (
       SELECT flag, variant, uniqExact(trace_id) AS traces,
         uniqExactIf(trace_id, trace_id IN (SELECT trace_id FROM (${ofGroup(seen)}))) AS failing,
         sum(failing) OVER (PARTITION BY flag) AS of_flag
       FROM flag_events
       WHERE ${inScope(seen.scope)} AND ${inWindow('time', 'seen_')} AND trace_id != ${zeroTrace} AND error = ''
       GROUP BY flag, variant)
     WHERE of_flag > 0 ORDER BY failing DESC, traces DESC, flag, variant LIMIT ${limit}`,
    {
      ...parametersOf({ ...seen, sinceNs: seen.window.fromNs }),
      ...windowParameters({ fromNs: seen.window.fromNs - evaluatedNs, toNs: seen.window.toNs }, 'seen_'),
      id,
      type,
    },
    signal,
  );
}
