import { LOGS } from '../fixture.ts';
import { failing, type Golden, minute, pay, quantile, weightOf } from './expected.ts';

const MS = 1_000_000;
/** The slowest request of the frontend in each ten-minute bucket. */
const slowest = [0, 1, 2, 3, 4, 5].map((i) => (i + 1) * 10 * MS);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const upTo = (i: number, count: number) => slowest.slice(Math.max(0, i + 1 - count), i + 1);

/** Moving averages and other functions of neighboring rows. */
export const WINDOWS: readonly Golden[] = [
  {
    query:
      'spans | where service.name == "frontend" | stats d=max(duration) by bucket(10m) | extend m = avg(d) over 3 buckets, h = max(d) over 20m, before = lag(d), two = lag(d, 2), more = difference(d), so_far = running_sum(d)',
    rows: slowest.map((d, i) => [
      minute(i * 10),
      d,
      Math.round(mean(upTo(i, 3))),
      d,
      slowest[i - 1] ?? null,
      slowest[i - 2] ?? null,
      i === 0 ? null : 10 * MS,
      upTo(i, 6).reduce((sum, value) => sum + value, 0),
    ]),
  },
  {
    // Every second bucket is empty: `over 2 buckets` includes it, and `lag` does not skip it.
    query:
      'logs | where severity >= error | stats n=count() by bucket(5m) | extend l = lag(n), d = difference(n), s = sum(n) over 2 buckets, r = sum(n) over 2 rows',
    rows: failing.map((n, i) => [minute(n - 4), 1, null, null, 1, i === 0 ? 1 : 2]),
  },
  {
    query:
      'logs | where severity >= error | stats n=count() by bucket(5m) | fill 0 | extend l = lag(n), m = avg(n) over 2 buckets | limit 3',
    rows: [
      [minute(0), 0, null, 0],
      [minute(5), 1, 0, 0.5],
      [minute(10), 0, 1, 0.5],
    ],
  },
  {
    // Rank and share are computed among the rows of the same bucket, and `lag` within each series.
    query:
      'spans | stats n=count() by bucket(30m), name | extend r = rank(n), s = share(n), l = lag(n) | sort time, -n, name',
    rows: [0, 30].flatMap((at) => {
      const before = (n: number) => (at === 0 ? null : n);
      return [
        [minute(at), 'SELECT orders', 300, 1, 300 / 360, before(300)],
        [minute(at), 'GET /checkout', 30, 2, 30 / 360, before(30)],
        [minute(at), 'POST /pay', 30, 2, 30 / 360, before(30)],
      ];
    }),
  },
  {
    query:
      'logs | stats n=count() by service.name | sort -n | extend percent = 100 * share(n), so_far = running_sum(n) / (sum(n) over all) | fields service.name, percent, so_far',
    rows: [
      ['frontend', (100 * 60) / 69, 60 / 69],
      ['checkout', (100 * 6) / 69, 66 / 69],
      ['audit', (100 * 3) / 69, 1],
    ],
  },
  {
    query:
      'logs | where severity >= error | extend gap = difference(time), near = count() over 15m | sort time | fields gap, near',
    rows: failing.map((_, i) => [i === 0 ? null : 600_000 * MS, i === 0 ? 1 : 2]),
  },
  {
    // Sampled spans count for all spans that they represent, also in window functions.
    query: 'spans | where name == "SELECT orders" | extend n = count() over all | limit 1 | fields n',
    rows: [[weightOf(pay) * 10]],
  },
  {
    query:
      'spans | where name == "POST /pay" | stats m=max(order.id) by bucket(1m) | extend q = p95(m) over 4 buckets | sort -time | limit 1 | fields q',
    rows: [[quantile([56, 57, 58, 59], 0.95)]],
  },
  {
    // Iglewicz and Hoaglin, computed by hand: the median of 1..9 and 100 is 5.5, and that of the distances is 2.5.
    query:
      'spans | where name == "POST /pay" and order.id < 10 | extend x = if(order.id == 9, 100.0, order.id + 1.0) | stats x=max(x) by bucket(1m) | extend a = anomaly(x) | where abs(a) > 3.5 | fields x, a',
    rows: [[100, (0.6745 * 94.5) / 2.5]],
  },
  {
    // The values repeat 0 to 9 every ten minutes: with that season, none of them is an anomaly.
    query: 'metric queue.size | stats v=max(value) by bucket(1m) | extend a = anomaly(v, 10m) | where a != 0 | count',
    rows: [[0]],
  },
  {
    query: 'logs | where service.name == "audit" | extend r = rank(time) | sort time | fields r',
    rows: LOGS.filter(({ service }) => service === 'audit').map((_, i, all) => [all.length - i]),
  },
];
