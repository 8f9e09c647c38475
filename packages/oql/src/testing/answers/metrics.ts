import { type Golden, minute, quantile, sum } from '../golden/expected.ts';
import { HISTOGRAMS, POINTS, SERIES } from '../metric-fixture.ts';

const seriesOf = (metric: string) => new Set(SERIES.filter((one) => one.metric === metric).map(({ series }) => series));
const inHour = <T extends { readonly series: number; readonly time: number }>(all: readonly T[], metric: string) =>
  all.filter((point) => seriesOf(metric).has(point.series) && point.time >= Date.parse(minute(0)));
const sizes = inHour(POINTS, 'queue.size').map(({ value }) => value);
const levels: readonly (readonly [name: string, level: number])[] = [
  ['p01', 0.01],
  ['p05', 0.05],
  ['p10', 0.1],
  ['p25', 0.25],
  ['p50', 0.5],
  ['median', 0.5],
  ['p75', 0.75],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p999', 0.999],
];

/** Aggregates over the points of metrics. */
export const METRIC_ANSWERS: readonly Golden[] = [
  ...levels.map(
    ([name, level]): Golden => ({ query: `metric queue.size | ${name}`, rows: [[quantile(sizes, level)]] }),
  ),
  { query: 'metric queue.size | stats q=quantile(value, 0.33)', rows: [[quantile(sizes, 0.33)]] },
  {
    query: 'metric queue.size | stats s=stddev(value), v=variance(value), m=avg(value), t=sum(value)',
    rows: [[Math.sqrt(variance(sizes)), variance(sizes), sum(sizes) / sizes.length, sum(sizes)]],
    within: 1e-9,
  },
  {
    query:
      'metric queue.size | stats a=first(value), b=last(value), c=argmax(value * 2, value), d=argmin(value + 1, value), e=count_distinct(value), f=count_distinct_approx(value)',
    rows: [[sizes[0] ?? 0, sizes.at(-1) ?? 0, 18, 1, 10, 10]],
  },
  {
    query:
      'metric queue.size | stats a=any(value > 8), b=all(value < 10), c=none(value > 9), d=ratio(value < 3) by queue',
    rows: [['q1', true, true, true, 0.3]],
  },
  { query: 'metric queue.size | stats v=values(value)', rows: [[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]] },
  { query: 'metric queue.size | where value > 4 | avg by bucket(20m)', rows: [0, 20, 40].map((n) => [minute(n), 7]) },
  {
    query: 'metric queue.size | max by bucket(5m) | limit 2',
    rows: [
      [minute(0), 4],
      [minute(5), 9],
    ],
  },
  {
    query: 'metric requests | stats kinds=values(kind), ends=values(temporality), units=values(unit), m=all(monotonic)',
    rows: [[['sum'], ['cumulative', 'delta'], ['1'], true]],
  },
  { query: 'metric requests | where temporality == delta | stats n=count(), s=sum(value)', rows: [[60, 300]] },
  {
    query:
      'metric requests | stats s=count_distinct(series), since=min(start_time) by service.name | fields service.name, s',
    rows: ['cart', 'checkout', 'frontend'].map((name) => [name, 1]),
  },
  { query: 'metric requests | where resource.host.name == "cart-0" | count', rows: [[60]] },
  {
    query: 'metric latency | where route == "/x" | stats c=max(count), s=max(sum), n=count()',
    rows: [
      (() => {
        const [series] = seriesOf('latency');
        const own = HISTOGRAMS.filter((point) => point.series === series && point.time >= Date.parse(minute(0)));
        return [Math.max(...own.map(({ count }) => count)), Math.max(...own.map((point) => point.sum)), own.length];
      })(),
    ],
  },
  {
    query: 'metric latency | increase | stats n=sum(count) by route, bucket(20m)',
    rows: [0, 20, 40].flatMap((n) => ['/x', '/y'].map((route) => [route, minute(n), 80])),
  },
  {
    query: 'metric size | rate 10m | stats n=sum(count) by bucket(30m)',
    rows: [
      [minute(0), 20 / 60],
      [minute(30), 20 / 60],
    ],
  },
  {
    query:
      'metric requests | increase | stats total=sum(value) by service.name | where total > 320 | sort -total | fields total',
    rows: [[600], [348]],
  },
  { query: 'metric requests | delta | where service.name == "frontend" | sum', rows: [[600]] },
  // Numbers have no buckets, so this is the quantile of the growth of each series.
  {
    query:
      'metric requests | promincrease | stats half=p50(value), all=sum(value), n=count() by service.name | where n == 1',
    rows: [
      ['cart', 300, 300, 1],
      ['checkout', 353.7931034482759, 353.7931034482759, 1],
      ['frontend', 600, 600, 1],
    ],
  },
  {
    query: 'metric requests | increase | sum by bucket(20m) | fill 0',
    // At its beginning and at its reset in minute 30, checkout adds nothing.
    rows: [0, 20, 40].map((n) => [minute(n), 300 + (n === 40 ? 20 : 19) * 6]),
  },
];

function variance(values: readonly number[]): number {
  const mean = sum(values) / values.length;
  return sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
}
