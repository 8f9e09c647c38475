import { type Golden, minute, points } from './expected.ts';

/** Points, counters with resets and histograms. */
export const METRICS: readonly Golden[] = [
  { query: 'metric requests | stats n=count()', rows: [[180]] },
  {
    query: 'metric requests | stats n=count(), high=max(value) by service.name',
    rows: ['cart', 'checkout', 'frontend'].map((name) => [
      name,
      60,
      Math.max(...points(name).map((point) => point.value)),
    ]),
  },
  {
    query: 'metric requests | where route == "/a" | stats high=max(value) by bucket(30m)',
    rows: [
      [minute(0), 10_290],
      [minute(30), 10_590],
    ],
  },
  { query: 'metric queue.size | avg by queue', rows: [['q1', 4.5]] },
  { query: 'metric latency | stats n=count(), values=max(count)', rows: [[120, 244]] },
  { query: 'metric none | stats n=count()', rows: [[0]] },
  {
    query: 'metric requests | where route == "/a" and value > 10000 | count by route, service.name',
    rows: [['/a', 'frontend', 59]],
  },
  // frontend has a point before the range; checkout begins in the range and is reset once, to 0; cart sends differences.
  {
    query: 'metric requests | increase | sum by service.name',
    rows: [
      ['cart', 300],
      ['checkout', 29 * 6 * 2],
      ['frontend', 600],
    ],
  },
  { query: 'metric requests | increase | sum', rows: [[1248]] },
  { query: 'metric requests | where route == "/a" | rate | sum', rows: [[10 / 60]] },
  {
    query: 'metric requests | where service.name == "cart" | rate 5m | sum by bucket(30m)',
    rows: [
      [minute(0), 5 / 60],
      [minute(30), 5 / 60],
    ],
  },
  {
    query: 'metric requests | increase | sum by service.name, bucket(30m)',
    rows: [
      [0, 'cart', 150],
      [0, 'checkout', 174],
      [0, 'frontend', 300],
      [30, 'cart', 150],
      [30, 'checkout', 174],
      [30, 'frontend', 300],
    ].map(([n, name, v]) => [name ?? '', minute(Number(n)), v ?? 0]),
  },
  // A bucket covers the ten minutes up to its end; before the range there are only frontend's two points.
  {
    query: 'metric requests | where route == "/a" | increase 10m | sum by bucket(30m)',
    rows: [
      [minute(0), 100],
      [minute(30), 100],
    ],
  },
  {
    query: 'metric queue.size | delta | sum by bucket(30m)',
    rows: [
      [minute(0), 9],
      [minute(30), 0],
    ],
  },
  {
    query: 'metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)',
    rows: [
      ['frontend', minute(0), 1 / 6],
      ['frontend', minute(30), 1 / 6],
    ],
  },
  // Five points a minute apart, the last of them at the end of the bucket; or four, the last a minute before the end.
  {
    query: 'metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)',
    rows: [
      [minute(0), 1 / 6],
      [minute(30), 1 / 6],
    ],
  },
  // 59 points, the first one minute after the beginning: 58 steps; one of checkout's is a reset to 0.
  {
    query: 'metric requests | promincrease | sum by service.name',
    rows: [
      ['cart', (58 * 5 * 60) / 58],
      ['checkout', ((28 + 29) * 6 * 60) / 58],
      ['frontend', (58 * 10 * 60) / 58],
    ],
  },
  {
    query: 'metric latency | promincrease | stats n=sum(count), s=sum(sum), p=p50(value), q=p75(value)',
    rows: [[480, 120_000, 100, 550]],
  },
  // Each minute adds one value to (0, 10], one to (10, 100], two to (100, 1000].
  {
    query:
      'metric latency | increase | stats a=p25(value), b=p50(value), c=p75(value), d=p99(value), n=sum(count), mean=sum(sum)/sum(count)',
    rows: [[10, 100, 550, 100 + (900 * (0.99 * 4 - 2)) / 2, 480, 250]],
  },
  {
    query: 'metric latency | p75 by route',
    rows: [
      ['/x', 550],
      ['/y', 550],
    ],
  },
  // At both scales all values are in (4, 8], evenly spread on a logarithmic scale.
  {
    query: 'metric size | increase | stats a=p25(value), b=p50(value), c=p75(value)',
    rows: [[4 * 2 ** 0.25, 4 * 2 ** 0.5, 4 * 2 ** 0.75]],
    within: 1e-9,
  },
  {
    query: 'metric size | p50 by scale, bucket(30m)',
    rows: [0, 30].flatMap((n) => ['0', '1'].map((scale) => [scale, minute(n), 4 * 2 ** 0.5])),
    within: 1e-9,
  },
];
