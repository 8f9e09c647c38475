import type { ClickHouse } from '../../packages/server/src/platform/clickhouse/index.ts';

/** The amount of each kind of data. */
export interface ShopSize {
  readonly spans: number;
  readonly logs: number;
  /** Series of counters and gauges; a twentieth as many of histograms come on top. */
  readonly series: number;
  /** Minutes between two points of a series. */
  readonly stepMinutes: number;
  readonly metricHours: number;
  readonly hours: number;
}

/** 10M spans and logs over thirty hours, so that some are of a past day; 10k series for a day, a point a minute. */
export const fullSize: ShopSize = {
  spans: 10_000_000,
  logs: 10_000_000,
  series: 9_500,
  stepMinutes: 1,
  metricHours: 24,
  hours: 30,
};

export function scaled(size: ShopSize, factor: number): ShopSize {
  const of = (n: number) => Math.max(1, Math.round(n * factor));
  return { ...size, spans: of(size.spans / 10) * 10, logs: of(size.logs), series: of(size.series) };
}

/** One value of a high-cardinality attribute, as pasted from a ticket. */
export const rareOrder = 'ord-0000123';
const rowsPerInsert = 1_000_000;
/** The last twentieth is inserted after the rest was merged, as in a store with ongoing writes. */
const freshShare = 20;

const settings = {
  max_insert_threads: 1,
  max_threads: 2,
  max_block_size: 262_144,
  min_insert_block_size_rows: 262_144,
  min_insert_block_size_bytes: String(512 * 1024 ** 2),
  max_partitions_per_insert_block: 1000,
  exclude_materialize_skip_indexes_on_insert: 'by_value,by_resource,by_word',
} as const;

/**
 * Fills an empty store with the telemetry of a web shop, by SQL: every value is a hash of the row's number and a seed,
 * so each run creates the same rows, except for their times, which end at `endMs`.
 * @param tell gets a line for each insert
 */
export async function fillShop(
  store: ClickHouse,
  size: ShopSize,
  place: { readonly workspace: number; readonly project: number; readonly endMs: number },
  tell: (line: string) => void,
): Promise<void> {
  const params = { workspace: place.workspace, project: place.project };
  const run = async (name: string, total: number, statement: (from: number, count: number) => string) => {
    const freshFrom = Math.floor((total - total / freshShare) / 10) * 10;
    for (let from = 0; from < total; ) {
      const count = Math.min(rowsPerInsert, (from < freshFrom ? freshFrom : total) - from);
      const began = performance.now();
      await store.command(statement(from, count), { params, settings });
      tell(
        `${name}: ${from + count} of ${total}, ${Math.round((count / (performance.now() - began)) * 1000)} a second`,
      );
      from += count;
      if (from === freshFrom) {
        await store.command(`OPTIMIZE TABLE ${name} FINAL`);
        tell(`${name}: merged`);
      }
    }
  };
  const startMs = place.endMs - size.hours * 3_600_000;
  await run('spans', size.spans, (from, count) => spans(from, count, startMs, place.endMs, size.spans));
  await run('logs', size.logs, (from, count) => logs(from, count, startMs, place.endMs, size));
  const steps = Math.floor((size.metricHours * 60) / size.stepMinutes);
  const firstMs = Math.floor(place.endMs / 60_000) * 60_000 - steps * size.stepMinutes * 60_000;
  const clock = { firstMs, steps, stepMs: size.stepMinutes * 60_000 };
  await run('metric_points', size.series * steps, (from, count) => points(from, count, clock));
  const histograms = Math.max(20, Math.round(size.series / 20));
  await run('metric_histograms', histograms * steps, (from, count) => histogramPoints(from, count, clock));
  for (let dayMs = firstMs; dayMs < place.endMs + 86_400_000; dayMs += 86_400_000)
    await store.command(series(size.series, histograms, Math.min(dayMs, place.endMs)), { params, settings });
}

const hash = (salt: number, ...of: string[]) => `cityHash64(${of.join(', ')}, ${salt})`;
const place = `{workspace:UInt32} AS workspace, {project:UInt32} AS project, 'production' AS environment, 30 AS retention_days`;
const columns = 'workspace, project, environment, retention_days';
const routes = `['/', '/products', '/products/{id}', '/cart', '/cart/items', '/checkout', '/orders/{id}', '/search', '/login', '/recommendations']`;
/** Every service runs in three regions. */
const region = `['', '-eu', '-us'][1 + ${hash(11, 'trace')} % 3]`;
const bytes8 = (of: string) => `reinterpretAsFixedString(${of})`;
const traceId = (trace: string) => `toFixedString(concat(${bytes8(hash(1, trace))}, ${bytes8(hash(2, trace))}), 16)`;
const spanId = (trace: string, at: string) => `toFixedString(${bytes8(hash(3, trace, at))}, 8)`;
/** Roughly log-normal around `median` milliseconds, in nanoseconds. */
const duration = (median: string, of: string) =>
  `toUInt64(${median} * 1e6 * exp(0.9 * ((${hash(4, of)} % 1000 + ${hash(5, of)} % 1000 + ${hash(6, of)} % 1000) / 500. - 3)))`;

/** Ten spans a trace: the front end asks for a checkout, which asks cart and payment, which ask their databases. */
function spans(from: number, count: number, startMs: number, endMs: number, total: number): string {
  const traceNs = `(${startMs} + trace * 10 * ${(endMs - startMs - 2000) / total}) * 1e6`;
  return `INSERT INTO spans (${columns}, time, duration, trace_id, span_id, parent_span_id, service, name, kind, status, status_message,
    scope_name, scope_version, resource, string_attributes, int_attributes, bool_attributes)
  SELECT ${place},
    fromUnixTimestamp64Nano(toInt64(${traceNs}) + [0, 1, 2, 4, 5, 6, 9, 10, 11, 14][at + 1] * 1000000 + toInt64(${hash(7, 'number')} % 900000), 'UTC') AS time,
    ${duration('[60, 55, 50, 12, 9, 3, 25, 22, 8, 4][at + 1]', 'number')} * if(slow, 8, 1) AS duration,
    ${traceId('trace')} AS trace_id, ${spanId('trace', 'at')} AS span_id,
    if(at = 0, toFixedString('', 8), ${spanId('trace', 'toUInt64([0, 0, 1, 2, 3, 4, 2, 6, 7, 2][at + 1])')}) AS parent_span_id,
    concat(['frontend', 'frontend', 'checkout', 'checkout', 'cart', 'cart', 'checkout', 'payment', 'payment', 'checkout'][at + 1], ${region}) AS service,
    [concat('GET ', route), 'POST /checkout', 'POST /checkout', 'GET /cart', 'GET /cart', 'redis GET', 'POST /charge', 'POST /charge', 'SELECT orders', 'publish orders'][at + 1] AS name,
    CAST([2, 3, 2, 3, 2, 3, 3, 2, 3, 4][at + 1], 'Enum8(\\'unspecified\\' = 0, \\'internal\\' = 1, \\'server\\' = 2, \\'client\\' = 3, \\'producer\\' = 4, \\'consumer\\' = 5)') AS kind,
    CAST(if(failed, 2, 0), 'Enum8(\\'unset\\' = 0, \\'ok\\' = 1, \\'error\\' = 2)') AS status, if(failed, 'upstream timed out', '') AS status_message,
    '@opentelemetry/instrumentation-http' AS scope_name, '0.57.0' AS scope_version,
    map('service.name', service, 'service.version', version, 'deployment.environment.name', 'production', 'host.name', concat('node-', toString(pod % 12)),
      'k8s.pod.name', concat(service, '-', lower(hex(${hash(9, 'service', 'pod')} % 65536))), 'telemetry.sdk.language', 'nodejs') AS resource,
    multiIf(at IN (5, 8), map('db.system.name', if(at = 5, 'redis', 'postgresql'), 'db.namespace', if(at = 5, 'carts', 'orders'), 'db.operation.name', if(at = 5, 'GET', 'SELECT'), 'server.address', concat('db-', toString(pod % 3))),
      at = 9, map('messaging.system', 'kafka', 'messaging.destination.name', 'orders', 'messaging.operation.type', 'publish'),
      map('http.request.method', if(at < 1, 'GET', 'POST'), 'http.route', if(at = 0, route, ['/checkout', '/cart', '/charge'][1 + (at >= 3) + (at >= 6)]),
        'url.path', concat(replaceOne(route, '{id}', toString(${hash(10, 'trace')} % 50000))), 'user.id', concat('u-', toString(${hash(12, 'trace')} % 200000)),
        'order.id', concat('ord-', leftPad(toString(trace), 7, '0')), 'app.version', version, 'customer.tier', ['free', 'free', 'free', 'plus', 'business'][1 + ${hash(13, 'trace')} % 5])) AS string_attributes,
    if(at IN (5, 8, 9), CAST(map(), 'Map(String, Int64)'), map('http.response.status_code', toInt64(if(failed, 500, 200)), 'http.response.body.size', toInt64(${hash(14, 'number')} % 40000))) AS int_attributes,
    if(at = 7, map('payment.retried', ${hash(15, 'trace')} % 20 = 0), CAST(map(), 'Map(String, Bool)')) AS bool_attributes
  FROM (
    SELECT number, intDiv(number, 10) AS trace, number % 10 AS at, ${hash(16, 'trace')} % 8 AS pod,
      ['2.3.0', '2.3.1', '2.2.9', '2.3.0'][1 + ${hash(17, 'trace')} % 4] AS version, ${routes}[1 + least(${hash(18, 'trace')} % 13, 9)] AS route,
      -- One version of the payment service fails for those who pay, and is slow for some.
      (at IN (0, 1, 2, 6, 7) AND version = '2.3.1' AND ${hash(19, 'trace')} % 12 = 0) OR ${hash(20, 'number')} % 200 = 0 AS failed,
      ${hash(21, 'trace')} % 50 = 0 AS slow
    FROM numbers(${from}, ${count}))`;
}

/** A line of a service, half of them in a trace; forty statements, of which some are rare. */
function logs(from: number, count: number, startMs: number, endMs: number, size: ShopSize): string {
  const traces = Math.max(1, Math.floor(size.spans / 10));
  const time = `(${startMs} + number * ${(endMs - startMs - 1000) / size.logs}) * 1e6`;
  const statements = [
    `concat('request ', method, ' ', path, ' finished in ', toString(n % 900), ' ms')`,
    `concat('cart ', toString(n % 100000), ' loaded with ', toString(n % 9), ' items')`,
    `concat('payment for order ord-', leftPad(toString(trace), 7, '0'), ' authorised by gateway-', toString(n % 4))`,
    `concat('cache miss for key user:', toString(n % 200000), ':profile')`,
    `concat('slow query took ', toString(200 + n % 4000), ' ms: SELECT * FROM orders WHERE id = ', toString(n % 1000000))`,
    `concat('retry ', toString(1 + n % 3), ' of POST /charge after ', toString(n % 5000), ' ms')`,
    `concat('upstream payment timed out after ', toString(n % 30), ' s for order ord-', leftPad(toString(trace), 7, '0'))`,
    `concat('worker ', toString(n % 64), ' picked job ', lower(hex(n)), ' of queue-', toString(n % 30))`,
  ];
  const pick = `multiIf(dice < 480, 1, dice < 640, 2, dice < 740, 3, dice < 860, 4, dice < 880, 5, dice < 890, 6, dice < 894, 7, 8)`;
  return `INSERT INTO logs (${columns}, time, observed_time, trace_id, span_id, severity, severity_text, service, scope_name, body, shape,
    resource, string_attributes, int_attributes)
  SELECT ${place}, fromUnixTimestamp64Nano(toInt64(${time}) + toInt64(n % 900000), 'UTC') AS time, time AS observed_time,
    if(dice % 2 = 0, ${traceId('trace')}, toFixedString('', 16)) AS trace_id, if(dice % 2 = 0, ${spanId('trace', 'toUInt64(2)')}, toFixedString('', 8)) AS span_id,
    multiIf(statement = 7, 17, statement IN (5, 6), 13, statement = 4, 5, 9) AS severity, multiIf(severity = 17, 'ERROR', severity = 13, 'WARN', severity = 5, 'DEBUG', 'INFO') AS severity_text,
    concat(['frontend', 'cart', 'checkout', 'cart', 'payment', 'payment', 'payment', 'worker'][statement], ${region}) AS service, 'pino' AS scope_name,
    multiIf(${statements.map((text, at) => (at < statements.length - 1 ? `statement = ${at + 1}, ${text}` : text)).join(', ')}) AS body,
    cityHash64(statement, if(statement = 8, n % 30, 0)) AS shape,
    map('service.name', service, 'service.version', '2.3.0', 'deployment.environment.name', 'production', 'host.name', concat('node-', toString(pod % 12)),
      'k8s.pod.name', concat(service, '-', lower(hex(${hash(9, 'service', 'pod')} % 65536)))) AS resource,
    map('user.id', concat('u-', toString(${hash(12, 'trace')} % 200000)), 'order.id', concat('ord-', leftPad(toString(trace), 7, '0')), 'logger', concat('shop.', ['http', 'cart', 'pay', 'cache', 'db', 'http', 'pay', 'jobs'][statement])) AS string_attributes,
    map('thread', toInt64(n % 16)) AS int_attributes
  FROM (
    SELECT number, ${hash(31, 'number')} AS n, n % 1000 AS dice, ${pick} AS statement, ${hash(32, 'number')} % 8 AS pod,
      ['GET', 'POST'][1 + n % 2] AS method, ${routes}[1 + n % 10] AS path, toUInt64(intDiv(number * ${traces}, ${size.logs})) AS trace
    FROM numbers(${from}, ${count}))`;
}

interface Steps {
  readonly firstMs: number;
  readonly steps: number;
  readonly stepMs: number;
}
/** Half of the series are of one counter, the others of ten gauges. */
const metricOf = (n: string) =>
  `if(${n} % 2 = 0, 'http.server.request.count', concat('process.gauge.', toString(intDiv(${n}, 2) % 10)))`;
const seriesOf = (metric: string, n: string) => hash(41, metric, n);

/** Counters grow by about ten a minute and are reset sometimes. */
function points(from: number, count: number, { firstMs, steps, stepMs }: Steps): string {
  return `INSERT INTO metric_points (${columns}, metric, series, time, start_time, value, no_recorded_value)
  SELECT ${place}, ${metricOf('n')} AS metric, ${seriesOf('metric', 'n')} AS series,
    fromUnixTimestamp64Milli(toInt64(${firstMs} + step * ${stepMs} + series % ${stepMs}), 'UTC') AS time,
    if(n % 2 = 0, fromUnixTimestamp64Milli(toInt64(${firstMs} + if(step >= restart, restart, 0) * ${stepMs}), 'UTC'), toDateTime64(0, 3, 'UTC')) AS start_time,
    if(n % 2 = 0, (step - if(step >= restart, restart, 0)) * (5 + n % 90) + ${hash(42, 'number')} % 5, 100 + 50 * sin(step / 200. + n) + ${hash(42, 'number')} % 10) AS value, false
  FROM (SELECT number, toUInt32(intDiv(number, ${steps})) AS n, toInt64(number % ${steps}) AS step, toInt64(${hash(43, 'n')} % ${steps}) AS restart FROM numbers(${from}, ${count}))`;
}

const bounds = '[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1., 2.5, 5., 7.5, 10.]';
const histogram = 'http.server.request.duration';

function histogramPoints(from: number, count: number, { firstMs, steps, stepMs }: Steps): string {
  const share = '[2, 5, 14, 22, 16, 12, 15, 8, 3, 1, 1, 1, 0, 0, 0]';
  return `INSERT INTO metric_histograms (${columns}, metric, series, time, start_time, count, sum, no_recorded_value, bounds, bucket_counts)
  SELECT ${place}, '${histogram}' AS metric, ${seriesOf('metric', 'n')} AS series,
    fromUnixTimestamp64Milli(toInt64(${firstMs} + step * ${stepMs} + series % ${stepMs}), 'UTC') AS time,
    fromUnixTimestamp64Milli(toInt64(${firstMs}), 'UTC') AS start_time,
    arraySum(bucket_counts) AS count, toFloat64(count) * 0.08 AS sum, false, ${bounds} AS bounds,
    arrayMap((s, at) -> toUInt64(s * (step + 1) * (1 + n % 7) + if(s > 0, (n + at) % 3, 0)), ${share}, arrayEnumerate(${share})) AS bucket_counts
  FROM (SELECT number, toUInt32(intDiv(number, ${steps})) AS n, toInt64(number % ${steps}) AS step FROM numbers(${from}, ${count}))`;
}

function series(count: number, histograms: number, dayMs: number): string {
  const about = `concat(['frontend', 'checkout', 'cart', 'payment', 'worker'][1 + intDiv(n, 2) % 5], ['', '-eu', '-us'][1 + intDiv(n, 10) % 3])`;
  return `INSERT INTO metric_series (${columns}, day, metric, series, kind, temporality, monotonic, unit, service, scope_name, resource, attributes)
  SELECT ${place}, toDate(fromUnixTimestamp64Milli(toInt64(${dayMs}), 'UTC')) AS day, metric, ${seriesOf('metric', 'n')} AS series, kind, temporality, monotonic, unit, service, 'shop', resource, attributes
  FROM (
    SELECT n, if(of_histogram, '${histogram}', ${metricOf('n')}) AS metric, if(of_histogram, 'histogram', if(n % 2 = 0, 'sum', 'gauge')) AS kind,
      if(kind = 'gauge', 'unspecified', 'cumulative') AS temporality, kind != 'gauge' AS monotonic, if(of_histogram, 's', '1') AS unit, ${about} AS service,
      map('service.name', service, 'k8s.pod.name', concat(service, '-', toString(intDiv(n, 30)))) AS resource,
      if(kind = 'gauge', map('pool', toString(n % 4)), map('http.route', ${routes}[1 + intDiv(n, 2) % 10], 'http.response.status_code', ['200', '200', '404', '500'][1 + intDiv(n, 20) % 4])) AS attributes
    FROM (SELECT toUInt32(number) AS n, false AS of_histogram FROM numbers(${count}) UNION ALL SELECT toUInt32(number), true FROM numbers(${histograms})))`;
}
