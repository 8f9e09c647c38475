import { LOGS, SPANS, traceId } from '../fixture.ts';
import { failing, front, type Golden, minutes, pay, quantile, spans, sum, weightOf } from './expected.ts';

/** Rows by their fields and attributes. */
export const ROWS: readonly Golden[] = [
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
];
