import { SPANS } from '../fixture.ts';
import { type Golden, minute, sum } from './expected.ts';

const MS = 1_000_000;
/** The slowest request of the frontend in each minute takes one millisecond more than the minute before. */
const slow = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => [minute(from + i), from + i + 1]);
const ms = (name: string) => SPANS.filter((span) => span.name === name).map(({ duration }) => duration / MS);

function spread(values: readonly number[]): number {
  const mean = sum(values) / values.length;
  return sum(values.map((value) => (value - mean) ** 2)) / values.length;
}

/** How much each series of a counter grows in the hour. */
const GROWN: readonly (readonly [service: string, route: string, growth: number])[] = [
  ['cart', '/c', 300],
  ['checkout', '/b', 29 * 6 * 2],
  ['frontend', '/a', 600],
];

/** Conditions that hold for a time, histograms, population spreads and other forms for everyday questions. */
export const FORMS: readonly Golden[] = [
  {
    query: 'logs | where service.name == "audit" | context 1 before 2 after | stats n=count(), m=count(match)',
    rows: [[3, 3]],
  },
  { query: 'spans | where kind == server | concurrency 1m over 2h by service.name | stats n=count()', rows: [[0]] },
  {
    query:
      'from 2026-11-19T14:00:00Z to 2026-11-19T14:20:00Z; spans | where service.name == "frontend" | stats d=max(duration) by bucket(1m) | where d > 10ms for 5m | extend d = int(milliseconds(d))',
    rows: slow(14, 20),
  },
  {
    // The four minutes before the range count, so its first bucket is known too.
    query:
      'from 2026-11-19T14:20:00Z to 2026-11-19T14:22:00Z; spans | where service.name == "frontend" | stats d=max(duration) by bucket(1m) | where d > 10ms for 5m | extend d = int(milliseconds(d))',
    rows: slow(20, 22),
  },
  {
    query: 'spans | stats n=count() by bucket(10m), name | where n > 50 for 1h | fields time, name',
    rows: [[minute(50), 'SELECT orders']],
  },
  {
    // Every second bucket has no row, which ends the condition, unless it is filled.
    query: 'logs | where severity >= error | stats n=count() by bucket(5m) | where n >= 0 for 10m | count',
    rows: [[0]],
  },
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(5m) | fill 0 | where n >= 0 for 10m | count',
    rows: [[12]],
  },
  {
    query: 'spans | where service.name == "frontend" | histogram(duration, 20ms)',
    rows: [
      [0, 19],
      [20 * MS, 20],
      [40 * MS, 20],
      [60 * MS, 1],
    ],
  },
  {
    // Each sampled span counts for the ten spans that it represents.
    query: 'spans | where service.name == "checkout" | histogram(duration, 20ms) by name',
    rows: [
      [0, 'POST /pay', 39],
      [0, 'SELECT orders', 600],
      [20 * MS, 'POST /pay', 21],
    ],
  },
  {
    query:
      'spans | where name == "POST /pay" | extend ms = duration / 1ms | stats s=stddev_pop(ms), v=variance_pop(ms), sample=variance(ms)',
    rows: [[Math.sqrt(spread(ms('POST /pay'))), spread(ms('POST /pay')), (spread(ms('POST /pay')) * 60) / 59]],
    within: 1e-9,
  },
  {
    // The spans of the database were sampled, one of ten: each counts ten times.
    query: 'spans | where service.name == "checkout" | extend ms = duration / 1ms | stats v=variance_pop(ms)',
    rows: [
      [
        spread(
          SPANS.filter(({ service }) => service === 'checkout').flatMap(({ duration, weight }) =>
            Array(weight).fill(duration / MS),
          ),
        ),
      ],
    ],
    within: 1e-9,
  },
  {
    query: 'spans | where service.name == "frontend" | sort duration | dedup http.route | fields http.route, duration',
    rows: [
      ['/checkout', MS],
      ['/cart', 2 * MS],
    ],
  },
  {
    query: 'spans | where service.name == "frontend" | dedup http.route | fields http.route, duration',
    rows: [
      ['/cart', 60 * MS],
      ['/checkout', 59 * MS],
    ],
  },
  {
    query: 'metric requests | increase | sum without route, host.name',
    rows: GROWN.map(([service, , growth]) => [{ 'service.name': service }, growth]),
  },
  {
    // Sums over other series than before: without the service and its host, only the route is left.
    query: 'metric requests | increase | sum without service.name, resource.host.name | sort -sum',
    rows: GROWN.toSorted(([, , a], [, , b]) => b - a).map(([, route, growth]) => [{ route }, growth]),
  },
  {
    query:
      'metric requests | increase | sum by bucket(30m) without route, host.name | where labels["service.name"] == "cart" | top 1 by sum within time | fill 0 | compare 30m | fields time, labels, sum, sum_before',
    rows: [
      [minute(0), { 'service.name': 'cart' }, 150, 0],
      [minute(30), { 'service.name': 'cart' }, 150, 150],
    ],
  },
];
