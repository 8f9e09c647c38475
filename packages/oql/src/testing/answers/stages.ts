import { LOGS, SPANS, traceId } from '../fixture.ts';
import { failing, type Golden, minute, minutes, quantile, sum, weightOf } from '../golden/expected.ts';
import { HISTOGRAMS, POINTS, SERIES } from '../metric-fixture.ts';
import { counted, payments } from './expected.ts';

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
const front = SPANS.filter(({ service }) => service === 'frontend');
const routes = ['/cart', '/checkout'];
const routed = (route: string) => front.filter(({ strings }) => strings['http.route'] === route);
const currencies = ['EUR', 'GBP', 'USD'];
const paid = (currency: string) => payments.filter((payment) => payment.currency === currency);

/** Aggregates, and stages that the golden queries have not or in one form only. */
export const STAGE_ANSWERS: readonly Golden[] = [
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
  {
    query: 'metric requests | increase | sum by bucket(20m) | fill 0',
    // Where it begins and where it is reset, in minute 30, checkout adds nothing.
    rows: [0, 20, 40].map((n) => [minute(n), 300 + (n === 40 ? 20 : 19) * 6]),
  },
  {
    query:
      'spans | where duration < 3ms and root | stats p=max(milliseconds(duration)) by bucket(1m) | fill 0.5 | limit 4',
    rows: [1, 2, 0.5, 0.5].map((value, n) => [minute(n), value]),
  },
  // Groups come by their keys, and so do the first of them.
  {
    query: 'spans | stats n=count() by name | limit 2',
    rows: [
      ['GET /checkout', 60],
      ['POST /pay', 60],
    ],
  },
  // Stages on rows.
  {
    query: 'spans | where root | omit trace_id, span_id, parent_span_id, name | limit 1 | fields service.name',
    rows: [['frontend']],
  },
  { query: 'spans | where root | dedup http.route | stats n=count()', rows: [[2]] },
  {
    query: 'spans | where root | dedup http.route, status | sort http.route, status | fields http.route, status',
    rows: [
      ['/cart', 'ok'],
      ['/cart', 'error'],
      ['/checkout', 'ok'],
    ],
  },
  {
    query: 'spans | where root | sort http.route, -duration | limit 2 | fields http.route, duration',
    rows: [
      ['/cart', 60_000_000],
      ['/cart', 58_000_000],
    ],
  },
  {
    query: 'spans | where root | sort -duration | limit 2 offset 58 | fields duration',
    rows: [[2_000_000], [1_000_000]],
  },
  { query: 'spans | where root | top 2 by duration | fields duration', rows: [[60_000_000], [59_000_000]] },
  {
    query:
      'spans | where root | stats n=count(), slow=count(duration > 30ms) by http.route | extend share = slow / n | fields http.route, share',
    rows: routes.map((route) => [route, routed(route).filter(({ duration }) => duration > 30e6).length / 30]),
  },
  {
    query:
      'spans | where order.id exists | stats t=sum(amount) by currency | stats most=max(t), least=min(t), who=argmax(currency, t)',
    rows: [
      [
        Math.max(...currencies.map((c) => sum(paid(c).map(({ amount }) => amount)))),
        Math.min(...currencies.map((c) => sum(paid(c).map(({ amount }) => amount)))),
        'GBP',
      ],
    ],
  },
  {
    query:
      'spans | where order.id exists | stats ids=count_distinct(order.id), lo=min(order.id), hi=max(order.id) by currency, retried',
    rows: currencies.flatMap((currency) =>
      // An attribute as a key is text, whatever it was.
      [false, true].map((retried) => {
        const ids = paid(currency)
          .filter((payment) => payment.retried === retried)
          .map(({ id }) => id);
        return [currency, String(retried), ids.length, Math.min(...ids), Math.max(...ids)];
      }),
    ),
  },
  {
    query: 'spans | where order.id exists | stats n=count() by currency | top 1 by currency other',
    rows: [
      ['USD', 20],
      ['(other)', 40],
    ],
  },
  {
    query: 'spans | stats n=count() by service.name, bucket(30m) | top 1 by n other',
    rows: [
      ['checkout', minute(0), 330],
      ['(other)', minute(0), 30],
      ['checkout', minute(30), 330],
      ['(other)', minute(30), 30],
    ],
  },
  {
    query: 'spans | where root | stats n=count() by bucket(7m) | stats b=count(), most=max(n), all=sum(n)',
    rows: [sevens()],
  },
  {
    query: 'spans | where status == error | stats n=count() by bucket(5m), name | fill 0 | stats b=count(), n=sum(n)',
    rows: [[36, 72]],
  },
  {
    query: 'logs | where severity >= error | stats n=count() by bucket(10m), service.name | fill prev | limit 2',
    rows: [
      [minute(0), 'checkout', 1],
      [minute(10), 'checkout', 1],
    ],
  },
  {
    query: 'spans | where kind == client | stats n=count(), raw=sum(1), d=sum(duration), m=avg(duration)',
    rows: [[600, 600, 60_000_000, 100_000]],
  },
  {
    query: 'spans | stats n=count(), w=sum(weight), r=ratio(kind == client)',
    rows: [[weightOf(SPANS), sum(SPANS.map(({ weight }) => weight * weight)), 600 / 720]],
  },
  { query: 'spans | where link.trace_ids exists | where root and event.names == null | count', rows: [[0]] },
  // Joins and sub-queries.
  {
    query:
      'spans | where name == "POST /pay" | join (spans | where root) on trace_id as r | where r.http.route == "/cart" | stats n=count(), d=max(r.duration - duration)',
    rows: [[30, 30_000_000]],
  },
  {
    query: 'spans | where name == "POST /pay" | join (spans | where root) on trace_id within 1us as r | count',
    rows: [[0]],
  },
  {
    query:
      'logs | where severity >= error | join spans on trace_id, span_id as s | stats n=count(), names=values(s.name)',
    rows: [[6, ['POST /pay']]],
  },
  { query: 'logs | join anti spans on trace_id | stats n=count() by service.name', rows: [['audit', 3]] },
  {
    query:
      'logs | join left (spans | where kind == client) on trace_id as c | stats n=count(), with=count(c.name) by severity',
    rows: [
      ['debug', 12, 12],
      ['info', 48, 48],
      ['warn', 3, 0],
      ['error', 6, 6],
    ],
  },
  {
    query:
      'let bad = (spans | where status == error | fields trace_id); let worse = (logs | where trace_id in (bad) and severity >= error | fields trace_id); spans | where trace_id in (worse) and root | count',
    rows: [[failing.length]],
  },
  {
    query:
      'spans | where root and trace_id in (spans | where order.id in (3, 5, 9) | fields trace_id) | sort trace_id | fields trace_id',
    rows: [3, 5, 9].map((n) => [traceId(n)]),
  },
  {
    query:
      'logs | where user.id in (logs | stats n=count() by user.id | where n > 8 | fields user.id) | stats u=count_distinct(user.id)',
    rows: [[usersOfMoreThan(8)]],
  },
  {
    query: '(logs | where severity >= warn | sort time | limit 4) | stats n=count() by service.name',
    rows: [
      ['audit', 2],
      ['checkout', 2],
    ],
  },
  // Structure.
  {
    query: 'spans | match a{root} > b{true} > c{true} | stats n=count() by a.name, b.name, c.name',
    rows: [['GET /checkout', 'POST /pay', 'SELECT orders', 600]],
  },
  {
    query:
      'spans | match a{root} >> b{name == "SELECT orders" and status == error} | stats t=count_distinct(trace_id), n=count()',
    rows: [[6, 60]],
  },
  {
    query: 'spans | match a{duration > 50ms} >> b{kind == client} | stats t=count_distinct(trace_id)',
    rows: [[minutes.filter((n) => n + 1 > 50).length]],
  },
  {
    query:
      'spans | match p{root} > q{kind == server} | extend self = p.duration - q.duration | stats lo=min(self), hi=max(self)',
    rows: [[500_000, 30_000_000]],
  },
  {
    query: 'traces | where any(order.id > 49) and all(duration < 58ms) | stats n=count(), s=sum(errors)',
    rows: [[7, 0]],
  },
  {
    query: 'traces | where none(status == error) | stats n=count(), d=max(duration) by name',
    rows: [['GET /checkout', 54, 59_000_000]],
  },
  {
    query: 'traces | stats n=count(), spans=sum(spans), failed=count(errors > 0) by service.name',
    rows: [['frontend', 60, 180, 6]],
  },
  {
    query:
      'traces | where any(name == "POST /pay") | stats g=max(gap("POST /pay", "GET /checkout")), h=min(gap("POST /pay", "SELECT orders"))',
    rows: [[-1_000_000, 1_000_000]],
  },
  { query: 'events | stats n=count(), s=count_distinct(span_id) by name', rows: [['exception', 6, 6]] },
  {
    query: 'events | where exception.type == "Timeout" | stats n=count() by bucket(30m)',
    rows: [
      [minute(0), 3],
      [minute(30), 3],
    ],
  },
  // Texts.
  { query: 'logs | where body["ok"] == true | stats n=count(), t=sum(int(body["took"]))', rows: [[3, 60]] },
  {
    query:
      'logs | parse body "request <n:int> served in <took:int>ms <_>" | where n % 2 == 0 | stats n=count(), t=sum(took)',
    rows: [[30, sum(minutes.filter((n) => n % 2 === 0).map((n) => n + 1))]],
  },
  {
    query: String.raw`logs | parse body regex "(?<word>\w+) (?<n>\d+)" | where word == "order" | stats ids=values(int(n))`,
    rows: [[failing]],
  },
  {
    query: 'logs | extend user = attr.user.id, word = regex_extract(body, "^([A-Za-z]+)") | stats n=count() by word',
    rows: counted(LOGS.map(({ body }) => /^([A-Za-z]+)/.exec(body)?.[1] ?? null)),
  },
  {
    query: 'logs | extend n = length(body) | stats lo=min(n), hi=max(n)',
    rows: [[Math.min(...LOGS.map(({ body }) => body.length)), Math.max(...LOGS.map(({ body }) => body.length))]],
  },
  { query: 'logs | patterns | fields count | sort -count', rows: [[60], [6], [3]] },
  // Then and now.
  {
    query: 'from -30m; spans | where root | stats n=count(), d=max(duration) by http.route | compare 30m',
    rows: routes.map((route) => {
      const of = routed(route).map(({ duration }) => duration);
      const [now, then] = [Math.max(...of), Math.max(...of.filter((d) => d <= 30e6))];
      return [route, 15, 15, 0, now, then, now / then - 1];
    }),
    within: 1e-9,
  },
  {
    query: 'from -20m to -10m; logs | count',
    rows: [[LOGS.filter(({ time }) => String(time) >= String(LOGS[0]?.time) && inMinutes(time, 40, 50)).length]],
  },
  // Profiles.
  {
    query: 'profiles cpu | stats s=sum(value), n=count() by depth',
    rows: [
      [3, 600_000_000, 60],
      [4, 1_800_000_000, 60],
    ],
  },
  {
    query: 'profiles cpu | stats s=sum(value) by bucket(30m), root',
    rows: [0, 30].map((n) => [minute(n), 'main', 1_200_000_000]),
  },
  {
    query:
      'profiles cpu | where trace_id exists | join spans on trace_id as s | where s.root | stats n=count(), d=max(s.duration)',
    rows: [[60, 60_000_000]],
  },
];

function variance(values: readonly number[]): number {
  const mean = sum(values) / values.length;
  return sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
}

/** Roots by seven minutes since the epoch: how many buckets, the fullest, and all. */
function sevens(): readonly number[] {
  const counts = counted(front.map(({ time }) => String(time / 420_000_000_000n))).map(([, n]) => Number(n));
  return [counts.length, Math.max(...counts), sum(counts)];
}

function usersOfMoreThan(n: number): number {
  return counted(LOGS.flatMap(({ strings }) => strings['user.id'] ?? [])).filter(([, count]) => Number(count) > n)
    .length;
}

function inMinutes(time: bigint, from: number, to: number): boolean {
  const at = Number(time / 1_000_000n) - Date.parse(minute(0));
  return at >= from * 60_000 && at < to * 60_000;
}
