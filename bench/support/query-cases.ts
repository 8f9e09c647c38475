import { withTemplates } from '@fanion/oql';
import type { Signal } from '@fanion/telemetry';
import type { Leeway } from './same-answer.ts';
import { rareOrder } from './shop-telemetry.ts';

/** Facts for the statements of a case. */
export interface CaseFacts {
  readonly workspace: number;
  /** Milliseconds, exclusive: the newest rows are right before it. */
  readonly endMs: number;
  /** A trace in the middle of the data, in hexadecimal. */
  readonly traceId: string;
}

export interface QueryCase {
  readonly name: string;
  readonly hours: number;
  /** The signal that it reads most. */
  readonly signal: Signal;
  /** Warm, alone, through the API, in milliseconds. */
  readonly target?: number;
  readonly oql?: string;
  /** For routes other than `/query`: a path below the workspace's, and a body for POST. */
  readonly request?: (facts: CaseFacts, from: string, to: string) => { path: string; body?: object };
  /** The SQL that somebody who knows the tables would write; if there is OQL, with the same columns. */
  readonly hand: (facts: CaseFacts) => string;
  /** What may differ between the two answers. */
  readonly leeway?: Leeway;
}

/** The order key begins with the workspace and five minutes. */
const within = `workspace = {workspace:UInt32} AND toStartOfFiveMinutes(time) BETWEEN toStartOfFiveMinutes(fromUnixTimestamp64Milli({from:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(fromUnixTimestamp64Milli({to:Int64}, 'UTC')) AND time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
const days = `day >= toDate(fromUnixTimestamp64Milli({from:Int64}, 'UTC')) AND day <= toDate(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))`;
const attributes = '(string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes)';

/** Newest first, in the order of the table. */
const newest = 'ORDER BY toStartOfFiveMinutes(time) DESC, time DESC';
const idOf = (column: string, bytes: number) =>
  `if(${column} = toFixedString('', ${bytes}), NULL, lower(hex(${column}))) AS ${column}_text`;

/** Growth is counted from the point before the range, ten minutes back at most; a bucket of five minutes that the range cuts is whole. */
const anchored = `workspace = {workspace:UInt32} AND time >= fromUnixTimestamp64Milli({from:Int64} - 900000, 'UTC') AND time < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
/**
 * Growth of a counter between two points of its series: a later start, or a decrease, is a reset; a series that begins
 * in the range begins at 0.
 */
const grown = `multiIf(first, if(start_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC'), value, 0), value < before OR start_time > start_before, value, value - before)`;

export const cases: readonly QueryCase[] = [
  {
    name: 'search by a rare attribute value',
    hours: 30,
    signal: 'traces',
    target: 300,
    oql: `spans | where order.id == "${rareOrder}" | limit 100`,
    hand: () => `
      SELECT time, duration, service, name, kind, status, lower(hex(trace_id)), lower(hex(span_id)), ${idOf('parent_span_id', 8)}, ${attributes}, resource FROM spans
      WHERE ${within} AND string_attributes['order.id'] = '${rareOrder}' ${newest} LIMIT 100`,
  },
  {
    name: 'text search in logs',
    hours: 30,
    signal: 'logs',
    target: 300,
    oql: 'logs | where body has "timed out" and severity >= error | limit 50',
    hand: () => `
      SELECT time, ['unspecified', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'][intDiv(severity + 3, 4) + 1], service, body,
        ${idOf('trace_id', 16)}, ${idOf('span_id', 8)}, ${attributes}, resource FROM logs
      WHERE ${within} AND hasAllTokens(lower(body), ['timed', 'out']) AND positionCaseInsensitive(body, 'timed out') > 0 AND severity >= 17
      ${newest} LIMIT 50`,
  },
  {
    name: 'RED by service and route',
    hours: 3,
    signal: 'traces',
    target: 300,
    oql: 'spans | where kind == server | stats rate=count()/window, errors=ratio(status == error), p99=p99(duration) by service.name, http.route',
    hand: () => `
      SELECT service, string_attributes['http.route'] AS route, sum(weight) / 10800 AS rate, sumIf(weight, status = 'error') / sum(weight) AS errors,
        quantileExactInclusive(0.99)(duration) AS p99
      FROM spans WHERE ${within} AND kind = 'server' GROUP BY service, route ORDER BY service, route LIMIT 1001`,
    // Every span of the data has the weight 1. OQL's quantile is exact up to 1,000 values; beyond, its position is off by less
    // than one row, and among the slowest spans of a group of a thousand, neighbors differ by up to 2 %.
    leeway: { within: { p99: 0.03 } },
  },
  {
    name: 'trace by id',
    hours: 30,
    signal: 'traces',
    target: 50,
    request: ({ traceId }) => ({ path: `/traces/${traceId}` }),
    hand: ({ traceId }) => `
      WITH (SELECT (min(start), max(end)) FROM trace_index WHERE workspace = {workspace:UInt32} AND trace_id = unhex('${traceId}')) AS bounds
      SELECT * FROM spans WHERE workspace = {workspace:UInt32} AND time BETWEEN bounds.1 AND bounds.2 AND trace_id = unhex('${traceId}') ORDER BY time`,
  },
  {
    name: 'histogram p99 by route',
    hours: 3,
    signal: 'metrics',
    target: 300,
    oql: 'metric http.server.request.duration | increase | p99 by http.route',
    // The counts of a point are added if it belongs to the range, and subtracted if the next point continues from it,
    // so arrays are read only where a series begins, ends or is reset. All bounds of this metric are known to be equal.
    hand: () => `
      WITH fromUnixTimestamp64Milli({from:Int64}, 'UTC') AS begin,
      grown AS (
        SELECT series, any(bounds) AS bounds, arrayMap((a, b) -> toInt64(a - b), sumForEachIf(bucket_counts, counts AND NOT goes_on), sumForEachIf(bucket_counts, goes_on AND NOT counts)) AS counts FROM (
          SELECT series, bounds, bucket_counts, time >= begin AND (start_time >= begin OR lagInFrame(toUInt8(1)) OVER w = 1) AS counts,
            leadInFrame(time) OVER w >= begin AND leadInFrame(start_time) OVER w <= start_time AND leadInFrame(count) OVER w >= count AS goes_on
          FROM metric_histograms WHERE metric = 'http.server.request.duration' AND NOT no_recorded_value AND ${anchored}
          WINDOW w AS (PARTITION BY series ORDER BY time ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)) GROUP BY series),
      by_route AS (
        SELECT s.route AS route, sumForEach(counts) AS counts, any(bounds) AS bounds FROM grown
        JOIN (SELECT series, any(attributes)['http.route'] AS route FROM metric_series WHERE workspace = {workspace:UInt32} AND metric = 'http.server.request.duration' AND ${days} GROUP BY series) AS s USING series GROUP BY route)
      SELECT route, bounds[at - 1] + (bounds[at] - bounds[at - 1]) * (0.99 * below[-1] - below[at - 1]) / counts[at] AS p99
      FROM (SELECT route, counts, bounds, arrayCumSum(counts) AS below, arrayFirstIndex(x -> x >= 0.99 * below[-1], below) AS at FROM by_route) ORDER BY route`,
  },
  {
    name: 'counter rate by label',
    hours: 3,
    signal: 'metrics',
    target: 300,
    oql: 'metric http.server.request.count | rate 5m | sum by http.route, bucket(5m)',
    hand: () => `
      SELECT s.route AS route, bucket, sum(growth) / 300 AS rate FROM (
        SELECT series, toStartOfInterval(time, INTERVAL 5 MINUTE) AS bucket, sum(${grown}) AS growth FROM (
          SELECT series, time, value, start_time, lagInFrame(value) OVER w AS before, lagInFrame(start_time) OVER w AS start_before, lagInFrame(toUInt8(1)) OVER w = 0 AS first
          FROM metric_points WHERE metric = 'http.server.request.count' AND NOT no_recorded_value AND ${anchored}
          WINDOW w AS (PARTITION BY series ORDER BY time ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
        WHERE bucket >= toStartOfInterval(fromUnixTimestamp64Milli({from:Int64}, 'UTC'), INTERVAL 5 MINUTE) GROUP BY series, bucket) AS p
      JOIN (SELECT series, any(attributes)['http.route'] AS route FROM metric_series WHERE workspace = {workspace:UInt32} AND metric = 'http.server.request.count' AND ${days} GROUP BY series) AS s USING series
      GROUP BY route, bucket ORDER BY bucket, route LIMIT 1001`,
  },
  {
    name: 'top ten of 200,000 users',
    hours: 3,
    signal: 'traces',
    target: 300,
    oql: 'spans | where kind == server | stats n=count() by user.id | top 10 by n',
    hand: () => `
      SELECT string_attributes['user.id'] AS user, toUInt64(round(sum(weight))) AS n FROM spans
      WHERE ${within} AND kind = 'server' GROUP BY user ORDER BY n DESC, user LIMIT 10`,
  },
  {
    name: 'structural match',
    hours: 1,
    signal: 'traces',
    target: 300,
    oql: 'spans | match a{service.name == "frontend"} >> b{status == error and service.name == "payment"} | stats n=count_distinct(trace_id) by b.name',
    hand: () => `
      WITH failed AS (SELECT trace_id, span_id, parent_span_id, name FROM spans WHERE ${within} AND service = 'payment' AND status = 'error'),
        parents AS (SELECT trace_id, groupArray((span_id, parent_span_id, service = 'frontend')) AS spans FROM spans
          WHERE ${within} AND trace_id IN (SELECT trace_id FROM failed) GROUP BY trace_id)
      SELECT f.name AS name, uniqExact(trace_id) AS n FROM failed AS f JOIN parents USING trace_id
      -- Up from the failed span, at most a thousand steps.
      WHERE arrayExists(x -> x.3, arrayFold((path, i) -> if(path[-1].2 = toFixedString('', 8), path,
        arrayConcat(path, arrayFilter(s -> s.1 = path[-1].2, spans))), range(least(length(spans), 1000)), [(f.span_id, f.parent_span_id, 0)]))
      GROUP BY name ORDER BY name LIMIT 1001`,
  },
  {
    name: 'contrast of the failed with the rest',
    hours: 1,
    signal: 'traces',
    oql: 'spans | contrast (status == error) top 20',
    hand: () => `
      WITH (SELECT (sumIf(weight, status = 'error'), sumIf(weight, status != 'error')) FROM spans WHERE ${within}) AS total
      SELECT field, value, toUInt64(round(sumIf(weight, status = 'error') AS a)), toUInt64(round(sumIf(weight, status != 'error') AS b)),
        a / total.1, b / total.2, a / total.1 - b / total.2 AS difference FROM spans
      ARRAY JOIN arrayConcat(['service.name', 'name', 'kind', 'environment', 'scope.name'], mapKeys(string_attributes), mapKeys(int_attributes),
          mapKeys(bool_attributes), arrayMap(k -> concat('resource.', k), mapKeys(resource))) AS field,
        arrayConcat([toString(service), toString(name), toString(kind), toString(environment), toString(scope_name)], mapValues(string_attributes),
          arrayMap(v -> toString(v), mapValues(int_attributes)), arrayMap(v -> toString(v), mapValues(bool_attributes)), mapValues(resource)) AS value
      WHERE ${within} GROUP BY field, value HAVING value != '' AND field != 'resource.service.name'
      ORDER BY abs(difference) DESC, field, value LIMIT 20`,
  },
  {
    name: 'patterns of logs',
    hours: 3,
    signal: 'logs',
    oql: 'logs | patterns | limit 50',
    hand: () => `
      SELECT template AS pattern, sum(n) AS count, count / sum(count) OVER () AS share, any(example), min(first), max(last) FROM (${withTemplates(
        `SELECT count() AS n, any(body) AS example, min(time) AS first, max(time) AS last FROM logs WHERE ${within} GROUP BY shape`,
        'example',
      )})
      GROUP BY pattern ORDER BY count DESC, pattern LIMIT 50`,
    leeway: { any: ['example'] },
  },
  {
    name: 'service map',
    hours: 1,
    signal: 'traces',
    target: 300,
    request: (_facts, from, to) => ({ path: `/service-map?${new URLSearchParams({ from, to })}` }),
    hand: () => `
      SELECT source_kind, source, target_kind, target, max(system), sum(calls), sum(errors), quantilesDDMerge(0.01, 0.5, 0.95, 0.99)(duration)
      FROM service_edges WHERE workspace = {workspace:UInt32} AND minute >= toDateTime({from:Int64} / 1000, 'UTC') AND minute < toDateTime({to:Int64} / 1000, 'UTC') AND target_kind != ''
        AND (minute, version) IN (SELECT minute, max(version) FROM service_edge_minutes GROUP BY minute)
      GROUP BY source_kind, source, target_kind, target`,
  },
  {
    name: 'autocomplete of a value',
    hours: 1,
    signal: 'traces',
    target: 50,
    request: (_facts, from, to) => ({
      path: `/fields?${new URLSearchParams({ source: 'spans', field: 'http.route', search: '/c', from, to })}`,
    }),
    hand: () => `
      SELECT arrayJoin(approx_top_sumMerge(50, 150)(top)) AS item, item.1, item.2 FROM field_usage
      WHERE workspace = {workspace:UInt32} AND signal = 'spans' AND name = 'http.route'
        AND bucket >= toStartOfFifteenMinutes(toDateTime({from:Int64} / 1000, 'UTC')) AND bucket < toDateTime({to:Int64} / 1000, 'UTC')`,
  },
  {
    name: 'autocomplete of a name',
    hours: 1,
    signal: 'traces',
    target: 50,
    request: (_facts, from, to) => ({
      path: `/fields?${new URLSearchParams({ source: 'spans', search: 'http', from, to })}`,
    }),
    hand: () => `
      SELECT name, scope, type, sum(rows), uniqCombinedMerge(12)(values) FROM field_usage
      WHERE workspace = {workspace:UInt32} AND signal = 'spans' AND bucket >= toStartOfFifteenMinutes(toDateTime({from:Int64} / 1000, 'UTC')) AND bucket < toDateTime({to:Int64} / 1000, 'UTC')
      GROUP BY name, scope, type ORDER BY sum(rows) DESC`,
  },
];
