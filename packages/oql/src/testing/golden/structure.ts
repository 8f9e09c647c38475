import { traceId } from '../fixture.ts';
import { failing, type Golden, minute, minutes, quantile } from './expected.ts';

/** Traces, shapes, joins, comparisons, contrasts and parsed texts. */
export const STRUCTURE: readonly Golden[] = [
  { query: 'traces | where any(status == error) and none(name == "nope") | stats n=count()', rows: [[6]] },
  { query: 'traces | where all(kind == server) | count', rows: [[0]] },
  {
    query: 'traces | where count() == 3 and errors == 0 | stats n=count(), p=p50(duration), s=sum(spans)',
    rows: [
      [
        54,
        quantile(
          minutes.filter((n) => n % 10 !== 9).map((n) => (n + 1) * 1_000_000),
          0.5,
        ),
        162,
      ],
    ],
    within: 0.05,
  },
  {
    query:
      'traces | where any(name == "POST /pay") | stats gap=p95(gap("GET /checkout", "SELECT orders")), none=max(gap("GET /checkout", "nope")), n=count() by service.name',
    rows: [['frontend', 2_000_000, null, 60]],
  },
  {
    query: 'traces | where max(duration) > 50ms and p50(duration) > 1ms | count by name',
    rows: [['GET /checkout', 10]],
  },
  {
    query: 'traces | sort -duration | limit 1',
    rows: [
      [
        `${minute(59).slice(0, -1)}.001Z`,
        60_000_000,
        'frontend',
        'GET /checkout',
        3,
        3,
        ['checkout', 'frontend'],
        traceId(59),
      ],
    ],
  },
  {
    query: 'spans | match a{service.name == "frontend"} >> b{status == error} | stats n=count() by b.name, a.name',
    rows: [
      ['POST /pay', 'GET /checkout', 6],
      ['SELECT orders', 'GET /checkout', 60],
    ],
  },
  {
    query: 'spans | match a{service.name == "frontend"} > b{status == error} | stats n=count() by b.name',
    rows: [['POST /pay', 6]],
  },
  {
    query:
      'spans | match {root} > {name == "POST /pay"} > c{kind == client} | stats n=count(), t=count_distinct(trace_id)',
    rows: [[600, 60]],
  },
  { query: 'spans | match a{kind == client} >> b{true} | count', rows: [[0]] },
  { query: 'spans | match a{kind == server} ~ b{true} | count', rows: [[0]] },
  // `where` filters the spans of the patterns; the path between them may pass through other spans.
  { query: 'spans | where name != "POST /pay" | match a{root} >> b{kind == client} | count', rows: [[600]] },
  {
    query:
      'spans | match a{root} >> b{status == error} | sort -a.duration, b.name | limit 1 | fields trace_id, a.duration, b.duration, a.http.route, b.order.id',
    rows: [[traceId(59), 60_000_000, 30_000_000, '/cart', 59]],
  },
  {
    query:
      'spans | match a{name == "POST /pay"} -> b{root} | stats n=count(), other=count(a.trace_id != b.trace_id), longest=max(a.duration)',
    rows: [[30, 30, 29_500_000]],
  },
  {
    query:
      'spans | where http.response.status_code == 500 | join logs on trace_id within 1m as l | where l.severity >= error | stats n=count(), texts=count_distinct(l.body)',
    rows: [[6, 6]],
  },
  { query: 'spans | where root | join logs on trace_id within 4ms as l | count', rows: [[60]] },
  {
    query:
      'spans | where root | join left (logs | where severity >= error) on trace_id as l | stats n=count(), with=count(l.body), without=count(l.body == null)',
    rows: [[60, 6, 54]],
  },
  { query: 'spans | where root | join anti (logs | where severity >= error) on trace_id | count', rows: [[54]] },
  {
    query: 'spans | where root | join logs on trace_id | stats n=count() by logs.service.name',
    rows: [
      ['checkout', 6],
      ['frontend', 60],
    ],
  },
  {
    query:
      'logs | stats n=count() by service.name | join (spans | stats s=count() by service.name) on service.name as x | fields service.name, n, x.s | sort service.name',
    rows: [
      ['checkout', 6, 660],
      ['frontend', 60, 60],
    ],
  },
  {
    query: 'from -30m; spans | stats n=count() by bucket(10m) | compare 30m',
    rows: [30, 40, 50].map((n) => [minute(n), 120, 120, 0]),
  },
  {
    query: 'from -30m; spans | where root | stats longest=max(duration) | compare 30m',
    rows: [[60_000_000, 30_000_000, 1]],
  },
  {
    query: 'from -30m to -20m; logs | where severity >= error | stats n=count() by service.name | compare 35m',
    rows: [['checkout', 1, null, null]],
  },
  {
    query: 'spans | where root | contrast (duration > 30ms) top 1',
    rows: [['environment', 'production', 30, 30, 1, 1, 0]],
  },
  {
    query: 'logs | contrast (severity >= error) top 2 | fields field, value, selected, rest, difference',
    rows: [
      ['attempt', '3', 6, 0, 1],
      ['region', 'override', 6, 0, 1],
    ],
  },
  {
    query:
      'spans | where root | contrast (http.route == "/cart") top 1 | fields field, value, selected_share, rest_share',
    rows: [['resource.host.name', 'frontend-0', 0, 1]],
  },
  { query: 'spans | sample 1.0 | stats n=count()', rows: [[720]] },
  {
    query: 'events | where name == "exception" | stats n=count() by exception.type, service.name',
    rows: [['Timeout', 'checkout', 6]],
  },
  {
    query: 'events | where span.duration > 20ms | stats n=count() by span.name',
    rows: [['POST /pay', failing.filter((n) => n >= 40).length]],
  },
  { query: 'logs | parse body "payment timeout for order <id:int>" | stats m=max(id), n=count(id)', rows: [[59, 6]] },
  {
    query: 'logs | parse body "request <n:int> served in <ms:float>ms <rest>" | where n == 7 | fields n, ms, rest',
    rows: [[7, 8, 'level=info path=/checkout']],
  },
  {
    query: String.raw`logs | parse body regex "served in (?<took>\d+)ms (level=)?(?<level>\w+)" | stats m=max(int(took)) by level`,
    rows: [
      ['info', 60],
      [null, null],
    ],
  },
  {
    query: 'logs | parse body json | where action == "login" and took >= 20 | count by user.name',
    rows: [
      ['n20', 1],
      ['n40', 1],
    ],
  },
  { query: 'logs | parse body logfmt | where path exists | count by path, level', rows: [['/checkout', 'info', 60]] },
  {
    query: 'logs | where severity == info or severity == error | patterns | fields pattern, count',
    rows: [
      ['request * served in * level=info path=/checkout', 48],
      ['Payment timeout for order *', 6],
    ],
  },
  {
    query: 'logs | where severity == warn | patterns body | fields pattern, count',
    rows: [['{"action":"login","user":{"name":"*"},"ok":true,"took":*}', 3]],
  },
  {
    query:
      'profiles cpu | where trace_id in (spans | where duration > 50ms | fields trace_id) | stats self=sum(value) by leaf | top 5 by self',
    rows: [['parse', 300_000_000]],
  },
  {
    query: 'profiles cpu | where frames has "query" | stats n=count(), s=sum(value), d=max(depth) by root',
    rows: [['main', 60, 1_800_000_000, 4]],
  },
  { query: 'profiles heap | count', rows: [[0]] },
  {
    query: 'profiles cpu | where service.name == "checkout" | flame',
    rows: [
      [['main', 'serve', 'query', 'parse'], 1_800_000_000],
      [['main', 'serve', 'parse'], 600_000_000],
    ],
  },
  {
    query: 'from -20m; profiles cpu | where trace_id == null | flame diff 20m',
    rows: [[['main', 'serve', 'parse'], 200_000_000, 200_000_000]],
  },
];
