import { traceId } from '../fixture.ts';
import { errors, failing, type Golden, minute, weightOf } from './expected.ts';

/** Groups, buckets, order, columns and windows. */
export const GROUPS: readonly Golden[] = [
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(10m)',
    rows: failing.map((n) => [minute(n - 9), 1]),
  },
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(15m), service.name',
    rows: [
      [minute(0), 'checkout', 1],
      [minute(15), 'checkout', 2],
      [minute(30), 'checkout', 1],
      [minute(45), 'checkout', 2],
    ],
  },
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(5m) | fill 0',
    rows: Array.from({ length: 12 }, (_, i) => [minute(i * 5), i % 2]),
  },
  {
    query: 'logs | where severity >= warn | stats n=count() by bucket(20m), severity | fill 0',
    rows: [0, 20, 40].flatMap((n) => [
      [minute(n), 'warn', 1],
      [minute(n), 'error', 2],
    ]),
  },
  {
    query:
      'spans | where service.name == "frontend" and duration < 3ms | stats m=max(duration) by bucket(1m) | fill prev | limit 4',
    rows: [
      [minute(0), 1_000_000],
      [minute(1), 2_000_000],
      [minute(2), 2_000_000],
      [minute(3), 2_000_000],
    ],
  },
  {
    query:
      'spans | where name == "POST /pay" and order.id % 4 == 0 | stats m=max(order.id) by bucket(1m) | fill linear | limit 6',
    rows: [0, 1, 2, 3, 4, 5].map((n) => [minute(n), n]),
  },
  { query: 'spans | stats n=count() by name | top 1 by n', rows: [['SELECT orders', 600]] },
  {
    query: 'spans | stats n=count() by name | top 1 by n other',
    rows: [
      ['SELECT orders', 600],
      ['(other)', 120],
    ],
  },
  {
    query: 'spans | stats n=count(), slowest=max(duration) by duration | top 2 by n other',
    rows: [
      [100_000, 600, 100_000],
      [1_000_000, 2, 1_000_000],
      [null, 118, 60_000_000],
    ],
  },
  {
    query: 'spans | stats n=count() by bucket(30m), name | top 1 by n other',
    rows: [
      [minute(0), 'SELECT orders', 300],
      [minute(0), '(other)', 60],
      [minute(30), 'SELECT orders', 300],
      [minute(30), '(other)', 60],
    ],
  },
  { query: 'spans | stats n=count() by name | top 1 by -n', rows: [['GET /checkout', 60]] },
  { query: 'spans | stats n=count() by name | where n > 100 | fields n, name', rows: [[600, 'SELECT orders']] },
  {
    query: 'spans | stats n=count() by service.name, name | stats services=count(), most=max(n), names=values(name)',
    rows: [[3, 600, ['GET /checkout', 'POST /pay', 'SELECT orders']]],
  },
  {
    query: 'spans | extend ms = milliseconds(duration), slow = ms > 50 | where slow | stats n=count(), m=max(ms)',
    rows: [[10, 60]],
  },
  {
    query:
      'spans | where service.name == "frontend" | extend class = case(duration < 20ms, "fast", duration < 40ms, "fair", "slow") | count by class',
    rows: [
      ['fair', 20],
      ['fast', 19],
      ['slow', 21],
    ],
  },
  {
    query: 'spans | where service.name == "frontend" | stats n=count() by bucket(duration, 20ms)',
    rows: [
      [0, 19],
      [20_000_000, 20],
      [40_000_000, 20],
      [60_000_000, 1],
    ],
  },
  {
    query: 'spans | where order.id exists | stats n=count() by bucket(order.id, 20)',
    rows: [
      [0, 20],
      [20, 20],
      [40, 20],
    ],
  },
  {
    query:
      'spans | where service.name == "frontend" | stats first=first(duration), last=last(duration), mean=avg(duration), slowest=argmax(trace_id, duration)',
    rows: [[1_000_000, 60_000_000, 30_500_000, traceId(59)]],
  },
  {
    query:
      'spans | where name == "POST /pay" | stats s=stddev(order.id), v=variance(order.id), q=quantile(order.id, 0.5), t=sum(order.id)',
    rows: [[Math.sqrt(305), 305, 29.5, 1770]],
    within: 0.02,
  },
  {
    query: 'logs | sort -time | limit 1 | fields time, service.name',
    rows: [['2026-11-19T14:59:00.006Z', 'checkout']],
  },
  { query: 'logs | limit 1 | fields service.name', rows: [['checkout']] },
  {
    query: 'logs | sort time | limit 2 offset 1 | fields service.name, severity',
    rows: [
      ['audit', 'warn'],
      ['frontend', 'info'],
    ],
  },
  {
    query: 'logs | dedup service.name | fields service.name | sort service.name',
    rows: [['audit'], ['checkout'], ['frontend']],
  },
  {
    query:
      'logs | where body["action"] == "login" | extend who = json(body, "user", "name"), took = int(body["took"]) | stats t=sum(took), who=values(who)',
    rows: [[60, ['n0', 'n20', 'n40']]],
  },
  {
    query: 'spans | where name == "POST /pay" | sort order.id | limit 1 | fields attributes',
    rows: [
      [{ currency: 'EUR', 'http.method': 'POST', 'order.id': 0, amount: 0, retried: true, items: [{ sku: 's0' }] }],
    ],
  },
  {
    query:
      'spans | where status == error and kind == client | stats n=count(), raw=sum(weight), rows=count_distinct(span_id)',
    rows: [[60, weightOf(errors.filter((span) => span.kind === 'client')) * 10, 6]],
  },
  { query: 'from 2026-11-19T14:10:00Z to 2026-11-19T14:20:00Z; logs | where severity >= error | count', rows: [[1]] },
  { query: 'from -10m; spans | where root | count', rows: [[10]] },
  { query: 'spans | where root and time >= now - 10m | count', rows: [[10]] },
  { query: 'spans | where root and time between 2026-11-19T14:10:00Z .. now() - 40m | count', rows: [[10]] },
  { query: 'from -2d to -1d; spans | count', rows: [[0]] },
  {
    query: '(spans | where root | sort -duration | limit 5) | stats n=count(), least=min(duration)',
    rows: [[5, 56_000_000]],
  },
  {
    query: 'spans | where root | stats t=max(time) - min(time), hours=count_distinct(hour(time))',
    rows: [[59 * 60_000_000_000, 1]],
  },
];
