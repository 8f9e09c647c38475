import type { ResultValue } from '../result.ts';
import { LOGS, MINUTES, SPANS, traceId } from './fixture.ts';
import { POINTS } from './metric-fixture.ts';
import { START } from './world.ts';

/** A query and its answer, worked out from the fixture without SQL. */
export interface Golden {
  readonly query: string;
  readonly rows: readonly (readonly ResultValue[])[];
  /** Where an answer is computed in floating point, or a quantile is a digest: how far off it may be, relatively. */
  readonly within?: number;
}

const minute = (n: number) => new Date(Number(START / 1_000_000n) + n * 60_000).toISOString().replace('.000Z', 'Z');
const weightOf = (spans: readonly { readonly weight: number }[]) => spans.reduce((sum, span) => sum + span.weight, 0);
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
const minutes = Array.from({ length: MINUTES }, (_, n) => n);
const spans = (service: string, name?: string) =>
  SPANS.filter((span) => span.service === service && (!name || span.name === name));
const pay = spans('checkout', 'POST /pay');
const front = spans('frontend');
const errors = SPANS.filter((span) => span.status === 'error');
const failing = minutes.filter((n) => n % 10 === 9);
const points = (service: string) =>
  POINTS.filter((point) => point.metric === 'requests' && serviceOf(point.series) === service);
const serviceOf = (series: number) => ['frontend', 'checkout', 'cart'][series - 101];
/** Linear interpolation between order statistics, as numpy's default. */
function quantile(values: readonly number[], level: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * level;
  const low = sorted[Math.floor(at)] ?? 0;
  const high = sorted[Math.ceil(at)] ?? 0;
  return low + (high - low) * (at - Math.floor(at));
}

export const GOLDEN: readonly Golden[] = [
  { query: 'spans | stats n=count()', rows: [[weightOf(SPANS)]] },
  { query: 'logs | stats n=count()', rows: [[LOGS.length]] },
  {
    query: 'spans | stats n=count() by service.name',
    rows: ['checkout', 'frontend'].map((name) => [name, weightOf(spans(name))]),
  },
  {
    query:
      'spans | where kind == server | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name',
    rows: [pay, front].map((group) => {
      const durations = group.map((span) => span.duration);
      return [
        group[0]?.service ?? '',
        group.length / 3600,
        failing.length / group.length,
        quantile(durations, 0.5),
        quantile(durations, 0.99),
      ];
    }),
    within: 0.02,
  },
  { query: 'logs | where severity >= error | stats n=count()', rows: [[failing.length]] },
  {
    query: 'logs | where severity == debug or severity == warn | stats n=count() by severity | sort severity',
    rows: [
      ['debug', 12],
      ['warn', 3],
    ],
  },
  { query: 'logs | where severity in (debug, "WARNING") | count', rows: [[15]] },
  { query: 'logs | where severity != info | count', rows: [[LOGS.filter((log) => log.severity !== 9).length]] },
  { query: 'logs | where severity between debug .. info | count', rows: [[60]] },
  {
    query: 'logs | where body has "TIMEOUT" and severity >= error | stats n=count() by service.name',
    rows: [['checkout', failing.length]],
  },
  { query: 'logs | where body has "time" | count', rows: [[0]] },
  { query: 'logs | where body contains "time" | count', rows: [[failing.length]] },
  { query: 'logs | where body has "timeout payment" | count', rows: [[0]] },
  { query: 'logs | where body startswith "payment" | count', rows: [[failing.length]] },
  {
    query: 'logs | where body =~ "order (19|29)$" | fields body | sort body',
    rows: [['Payment timeout for order 19'], ['Payment timeout for order 29']],
  },
  { query: 'logs | where body !~ "served" | count', rows: [[9]] },
  { query: 'logs | where user.id == "u3" | count', rows: [[minutes.filter((n) => n % 7 === 3).length]] },
  {
    query: 'logs | where user.id in ("u3", "u4", "nobody") | count',
    rows: [[minutes.filter((n) => n % 7 === 3 || n % 7 === 4).length]],
  },
  {
    query: 'logs | where user.id != "u3" | count',
    rows: [[LOGS.filter((log) => log.strings['user.id'] !== 'u3').length]],
  },
  { query: 'logs | where user.id exists | count', rows: [[60]] },
  { query: 'logs | where not user.id exists | count', rows: [[9]] },
  { query: 'logs | where user.id == null | count', rows: [[9]] },
  { query: 'logs | where region == "override" and resource.region == "eu" | count', rows: [[6]] },
  { query: 'logs | where attr.region == "eu" | count', rows: [[0]] },
  { query: 'logs | where trace_id == null | count', rows: [[3]] },
  { query: `logs | where trace_id == "${traceId(9)}" | stats n=count()`, rows: [[2]] },
  { query: `logs | where trace_id == "${traceId(9).toUpperCase()}" | stats n=count()`, rows: [[2]] },
  { query: 'logs | where trace_id == "not an id" | stats n=count()', rows: [[0]] },
  { query: 'logs | where attempt == 3 | count', rows: [[6]] },
  { query: 'logs | where attempt > 2.5 and attempt < 4 | count', rows: [[6]] },
  { query: 'logs | where attempt == "3" | count', rows: [[0]] },
  { query: 'logs | where attempt >= 0 | count', rows: [[6]] },
  { query: 'spans | where order.id == 0 | count', rows: [[1]] },
  { query: 'spans | where order.id in (0, 7, 99) | count', rows: [[2]] },
  {
    query: 'spans | where amount between 15 .. 30 | stats lo=min(amount), hi=max(amount), n=count(amount)',
    rows: [[15, 30, 11]],
  },
  { query: 'spans | where retried | count', rows: [[15]] },
  { query: 'spans | where retried == false | count', rows: [[45]] },
  { query: 'spans | where not retried | count', rows: [[weightOf(SPANS) - 15]] },
  { query: 'spans | where duration > 59ms | fields name, duration', rows: [['GET /checkout', 60_000_000]] },
  { query: 'spans | where duration between 59ms .. 60ms | count', rows: [[2]] },
  {
    query: 'spans | where root | stats n=count(), d=sum(duration)',
    rows: [[60, sum(front.map((span) => span.duration))]],
  },
  { query: 'spans | where parent_span_id == null | count', rows: [[60]] },
  { query: 'spans | where http.response.status_code >= 500 | count', rows: [[6]] },
  { query: 'spans | where http.status_code == 200 | count', rows: [[54]] },
  { query: 'spans | where http.request.method == "POST" | count', rows: [[0]] },
  { query: 'spans | where http.method == "POST" | count', rows: [[60]] },
  {
    query: 'spans | stats n=count() by http.route',
    rows: [
      ['/cart', 30],
      ['/checkout', 30],
      [null, weightOf(SPANS) - 60],
    ],
  },
  {
    query: 'spans | where currency exists | stats n=count(), total=sum(amount) by currency | sort -total',
    rows: ['GBP', 'USD', 'EUR'].map((currency, i) => [
      currency,
      20,
      sum(minutes.filter((n) => n % 3 === 2 - i).map((n) => n * 1.5)),
    ]),
  },
  {
    query: 'spans | stats n=count() by kind, status | sort kind, status',
    rows: [
      ['server', 'unset', 54],
      ['server', 'ok', 54],
      ['server', 'error', 12],
      ['client', 'unset', 540],
      ['client', 'error', 60],
    ],
  },
  {
    query: 'spans | where status == error | stats n=count_distinct(trace_id), services=count_distinct(service.name)',
    rows: [[6, 2]],
  },
  {
    query: 'spans | where trace_id in (logs | where severity >= error | fields trace_id) and kind == server | count',
    rows: [[12]],
  },
  {
    query: 'logs | where trace_id not in (spans | where status == error | fields trace_id) | count',
    rows: [[LOGS.length - 12]],
  },
  {
    query: 'let bad = (spans | where status == error | fields trace_id); logs | where trace_id in (bad) | count',
    rows: [[12]],
  },
  {
    query:
      'logs | where service.name in (spans | stats n=count() by service.name | where n > 100 | fields service.name) | count',
    rows: [[6]],
  },
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
  { query: 'from -2d to -1d; spans | count', rows: [[0]] },
  {
    query: '(spans | where root | sort -duration | limit 5) | stats n=count(), least=min(duration)',
    rows: [[5, 56_000_000]],
  },
  {
    query: 'spans | where root | stats t=max(time) - min(time), hours=count_distinct(hour(time))',
    rows: [[59 * 60_000_000_000, 1]],
  },
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
  // frontend has a point before the range; checkout begins in it and is reset once, to 0; cart sends differences.
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
  // A bucket sees the ten minutes up to its end; before the range there are only frontend's two points.
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
  // All values lie in (4, 8], at both scales evenly on a logarithmic scale.
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
  // `where` narrows the patterns; the way between them may lead through other spans.
  { query: 'spans | where name != "POST /pay" | match a{root} >> b{kind == client} | count', rows: [[600]] },
  {
    query:
      'spans | match a{root} >> b{status == error} | sort -a.duration, b.name | limit 1 | fields trace_id, a.duration, b.duration, a.http.route, b.order.id',
    rows: [[traceId(59), 60_000_000, 30_000_000, '/cart', '59']],
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
      ['request <*> served in <*>ms level=info path=/checkout', 48],
      ['Payment timeout for order <*>', 6],
    ],
  },
  {
    query: 'logs | where severity == warn | patterns body | fields pattern, count',
    rows: [['{"action":<*>,"user":{"name":<*>},"ok":true,"took":<*>}', 3]],
  },
];
