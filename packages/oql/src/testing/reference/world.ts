import { FIXTURE_TABLES, type LogRow, type SpanRow } from '../fixture.ts';
import type { HistogramRow, PointRow, SeriesRow } from '../metric-fixture.ts';
import { type FixtureTable, rows, START, TENANT } from '../world.ts';

/**
 * An hour of a shop, and the half hour before it, from a seeded generator: the data that the reference queries of the
 * language were written for. No answers are written by hand; they are computed from the rows.
 */

const MS = 1_000_000n;
const START_MS = Number(START / MS);
const MINUTE = 60_000;
export const MINUTES_BEFORE = 30;
const MINUTES = 60;

/** Mulberry32: equal seeds draw equal numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(20_261_119);
const chance = (p: number) => random() < p;
const whole = (n: number) => Math.floor(random() * n);
const oneOf = <T>(items: readonly [T, ...T[]]): T => items[whole(items.length)] ?? items[0];
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

export const spans: SpanRow[] = [];
export const logs: LogRow[] = [];

function span(of: Partial<SpanRow> & Pick<SpanRow, 'time' | 'trace_id' | 'span_id' | 'service' | 'name'>): SpanRow {
  const row: SpanRow = {
    ...TENANT,
    parent_span_id: '',
    duration: 1_000_000 + whole(400) * 1_000_000,
    kind: 'internal',
    status: 'unset',
    weight: 1,
    resource: { 'service.name': of.service },
    strings: {},
    ints: {},
    floats: {},
    bools: {},
    jsons: {},
    events: [],
    link: null,
    ...of,
  };
  spans.push(row);
  return row;
}

function log(of: Partial<LogRow> & Pick<LogRow, 'time' | 'service' | 'body'>): void {
  const plain = { trace_id: '', span_id: '', severity: 9, strings: {}, ints: {} };
  logs.push({ ...TENANT, ...plain, resource: { 'service.name': of.service }, ...of });
}

/** A checkout: frontend calls cart calls PostgreSQL, and the order, which is sometimes not stored or not passed on. */
function checkout(at: number, n: number): void {
  const trace_id = hex(0xdef000 + n, 32);
  const time = (ms: number) => (BigInt(START_MS) + BigInt(at + ms)) * MS;
  const id = (i: number) => hex(n * 16 + i, 16);
  const fails = chance(0.15);
  const root = span({
    trace_id,
    span_id: id(1),
    time: time(0),
    service: 'frontend',
    name: 'POST /checkout',
    kind: 'server',
    status: fails && chance(0.7) ? 'error' : 'ok',
    weight: oneOf([1, 1, 1, 4]),
    strings: { 'http.route': oneOf(['/checkout', '/checkout', '/quick']), 'user.id': `u${whole(120)}` },
  });
  const below = { trace_id, parent_span_id: root.span_id };
  const cart = span({ ...below, span_id: id(2), time: time(1), service: 'cart', name: 'GET /cart', kind: 'server' });
  span({
    ...below,
    parent_span_id: cart.span_id,
    span_id: id(3),
    time: time(2),
    service: 'cart',
    name: oneOf(['SELECT carts', 'SELECT prices']),
    kind: 'client',
    status: chance(0.2) ? 'error' : 'unset',
    strings: { 'db.system': oneOf(['postgresql', 'postgresql', 'redis']) },
  });
  span({ ...below, span_id: id(4), time: time(5), service: 'order', name: 'order.create' });
  if (chance(0.8)) {
    const status = chance(0.25) ? 'error' : 'ok';
    span({ ...below, span_id: id(5), time: time(6), service: 'order', name: 'order.persist', status });
  }
  if (chance(0.9)) span({ ...below, span_id: id(6), time: time(8 + whole(90)), service: 'order', name: 'publish' });
  if (chance(0.4)) {
    const body = `${oneOf(['payment timeout', 'card declined', 'Timeout: no stock answer', 'timeouts are rare'])} in ${n}`;
    const severity = oneOf([9, 13, 17, 21]);
    log({ trace_id, span_id: id(1), time: time(9), service: oneOf(['checkout', 'order']), severity, body });
  }
}

let traces = 0;
for (let minute = -MINUTES_BEFORE; minute < MINUTES; minute++) {
  for (let i = 0; i < 3 + whole(3); i++) checkout(minute * MINUTE + i * 10_000 + whole(5000), traces++);
  for (let i = 0; i < 2 + whole(4); i++) {
    const path = oneOf(['/', '/', '/', '/cart', '/cart', '/tents', '/boots', '/about']);
    const line = `10.0.0.${whole(9)} - - [x:${minute}] "GET ${path} HTTP/1.1" ${oneOf([200, 200, 404])} ${100 + whole(5000)}`;
    log({ time: BigInt(START_MS + minute * MINUTE + i * 9_000) * MS, service: 'nginx', body: line });
  }
}

export const series: SeriesRow[] = [];
export const points: PointRow[] = [];
export const histograms: HistogramRow[] = [];

function newSeries(
  metric: string,
  kind: string,
  temporality: string,
  service: string,
  attributes: Record<string, string>,
) {
  const id = 9000 + series.length;
  const resource = { 'service.name': service };
  series.push({
    ...TENANT,
    metric,
    series: id,
    kind,
    temporality,
    monotonic: true,
    unit: '1',
    service,
    resource,
    attributes,
  });
  return { ...TENANT, metric, series: id };
}

for (const [i, service] of ['frontend', 'frontend', 'cart', 'order'].entries()) {
  const temporality = i === 3 ? 'delta' : 'cumulative';
  const one = newSeries('http.server.request.count', 'sum', temporality, service, { instance: String(i) });
  let [total, since] = [1000 * i, -1000];
  for (let minute = -12; minute < MINUTES; minute++) {
    const grown = whole(50);
    const resets = temporality === 'cumulative' && chance(0.04);
    if (resets) since = minute;
    total = resets ? grown : total + grown;
    const [value, start] = temporality === 'delta' ? [grown, minute - 1] : [total, since];
    points.push({ ...one, time: START_MS + minute * MINUTE, start_time: START_MS + start * MINUTE, value });
  }
}

const noExponents = {
  scale: 0,
  zero_count: 0,
  positive_offset: 0,
  positive_counts: [],
  negative_offset: 0,
  negative_counts: [],
};
export const BOUNDS = [0.01, 0.1, 0.5, 1, 5];
for (const route of ['/checkout', '/cart', '/tents']) {
  const one = newSeries('http.server.request.duration', 'histogram', 'cumulative', 'frontend', { 'http.route': route });
  const counts = BOUNDS.map(() => 7).concat(3);
  for (let minute = -3; minute < MINUTES; minute++) {
    for (const i of counts.keys()) counts[i] = (counts[i] ?? 0) + whole(i === counts.length - 1 ? 1 : 9);
    const count = counts.reduce((sum, n) => sum + n, 0);
    const at = { time: START_MS + minute * MINUTE, start_time: START_MS - 900 * MINUTE };
    histograms.push({
      ...one,
      ...noExponents,
      ...at,
      count,
      sum: count / 3,
      bounds: BOUNDS,
      bucket_counts: [...counts],
    });
  }
}

for (const [i, rpc] of ['Get', 'Get', 'Put'].entries()) {
  const one = newSeries('rpc.duration', 'exponential_histogram', 'delta', 'cart', { rpc, instance: String(i) });
  for (let minute = 0; minute < MINUTES; minute++) {
    const positive_counts = Array.from({ length: 6 + whole(4) }, () => whole(20));
    const at = { time: START_MS + minute * MINUTE, start_time: START_MS + (minute - 1) * MINUTE };
    const count = positive_counts.reduce((sum, n) => sum + n, 0);
    const buckets = { scale: oneOf([1, 2, 3]), zero_count: 0, positive_offset: -4 + whole(3), positive_counts };
    histograms.push({ ...one, ...noExponents, ...at, ...buckets, count, sum: count, bounds: [], bucket_counts: [] });
  }
}

export interface SampleRow {
  readonly time: number;
  readonly stack_id: number;
  readonly value: number;
  readonly trace_id: string;
}
export const STACKS = [
  { stack_id: 1, frames: ['main', 'serve', 'parse'] },
  { stack_id: 2, frames: ['main', 'serve', 'query', 'scan'] },
  { stack_id: 3, frames: ['main', 'serve', 'render'] },
  { stack_id: 4, frames: ['main', 'gc'] },
  { stack_id: 5, frames: ['main', 'serve', 'query', 'sort'] },
  { stack_id: 6, frames: ['main', 'serve', 'hash'] },
  { stack_id: 7, frames: ['main', 'idle', 'parse'] },
] as const;
export const samples: readonly SampleRow[] = spans
  .filter(({ parent_span_id, time }) => parent_span_id === '' && time >= START)
  .map(({ time, trace_id }) => {
    const stack_id = 1 + whole(STACKS.length);
    return { time: Number(time / MS), trace_id, stack_id, value: 1 + whole(90) };
  });

/** The rows, with the fixture's insert statement for each table. */
function table(name: string, list: readonly object[]): FixtureTable {
  const known = FIXTURE_TABLES.find(({ insert }) => insert.startsWith(`INSERT INTO ${name} `));
  if (!known) throw new Error(`the fixture has no ${name}`);
  return { insert: known.insert, rows: rows(list) };
}

export const REFERENCE_TABLES: readonly FixtureTable[] = [
  table(
    'spans',
    spans.map((row) => ({ ...row, events: [], link: ['', ''] })),
  ),
  table('logs', logs),
  table('metric_series', series),
  table('metric_points', points),
  table('metric_histograms', histograms),
  table(
    'profile_samples',
    samples.map((sample) => ({ ...TENANT, service: 'cart', ...sample })),
  ),
  table(
    'profile_stacks',
    STACKS.map((stack) => ({ ...TENANT, ...stack })),
  ),
];
