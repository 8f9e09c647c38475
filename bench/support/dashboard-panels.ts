import type { DashboardPanel } from '@fanion/contract';

type Query = readonly [type: DashboardPanel['type'], query: string];

/** What a team looks at: requests, their errors and latency, databases, logs and metrics of the shop. No two texts are equal. */
const queries: readonly Query[] = [
  ['time_series', 'spans | where kind == server | stats rate=count()/window by service.name, bucket(auto)'],
  ['time_series', 'spans | where kind == server | stats errors=ratio(status == error) by service.name, bucket(auto)'],
  ['time_series', 'spans | where kind == server | stats p95=p95(duration) by service.name, bucket(auto)'],
  ['time_series', 'spans | where kind == server | stats p50=p50(duration), p99=p99(duration) by bucket(auto)'],
  [
    'table',
    'spans | where kind == server | stats n=count(), errors=ratio(status == error), p95=p95(duration) by http.route',
  ],
  ['stat', 'spans | where kind == server | stats n=count() by bucket(auto)'],
  ['stat', 'spans | where kind == server | stats errors=ratio(status == error) by bucket(auto)'],
  ['stat', 'spans | where kind == server and service.name == "checkout" | stats p99=p99(duration) by bucket(auto)'],
  ['gauge', 'spans | where kind == server | stats errors=ratio(status == error)'],
  ['bar', 'spans | where status == error | stats n=count() by service.name | top 10 by n'],
  ['bar', 'spans | where status == error | stats n=count() by app.version | top 10 by n'],
  ['bar', 'spans | where kind == server | stats p95=p95(duration) by customer.tier'],
  ['time_series', 'spans | where db.system.name exists | stats p95=p95(duration) by db.system.name, bucket(auto)'],
  ['time_series', 'spans | where db.system.name exists | stats rate=count()/window by server.address, bucket(auto)'],
  [
    'time_series',
    'spans | where messaging.system exists | stats rate=count()/window by messaging.destination.name, bucket(auto)',
  ],
  [
    'heat_map',
    'spans | where kind == server and service.name == "payment" | extend ms = floor(milliseconds(duration) / 20) * 20 | stats n=count() by bucket(auto), ms',
  ],
  ['traces', 'spans | where root and status == error | limit 50'],
  [
    'table',
    'spans | where root and duration > 500ms | sort -duration | limit 20 | fields time, name, duration, trace_id',
  ],
  ['time_series', 'logs | stats n=count() by severity, bucket(auto)'],
  ['time_series', 'logs | where severity >= warn | stats n=count() by service.name, bucket(auto)'],
  ['logs', 'logs | where severity >= error | limit 100'],
  ['table', 'logs | where severity >= warn | patterns | limit 20'],
  ['stat', 'logs | where severity >= error | stats n=count() by bucket(auto)'],
  ['time_series', 'metric http.server.request.count | rate | sum by http.route, bucket(auto)'],
  [
    'time_series',
    'metric http.server.request.count | where http.response.status_code == "500" | rate | sum by service.name, bucket(auto)',
  ],
  ['stat', 'metric http.server.request.count | increase | sum'],
  ['time_series', 'metric http.server.request.duration | increase | p99 by bucket(auto)'],
  ['time_series', 'metric "process.gauge.1" | avg by pool, bucket(auto)'],
  ['time_series', 'metric "process.gauge.2" | max by service.name, bucket(auto)'],
  ['gauge', 'metric "process.gauge.3" | avg by pool'],
];

export const panels: readonly DashboardPanel[] = queries.map(([type, query], at) => ({
  id: `panel-${at + 1}`,
  type,
  title: `Panel ${at + 1}`,
  description: '',
  x: (at % 3) * 8,
  y: Math.floor(at / 3) * 8,
  w: 8,
  h: 8,
  query,
}));
