import { EXEMPLARS } from '../exemplar-fixture.ts';
import { LOGS, SPANS, traceId } from '../fixture.ts';
import { failing, front, type Golden, minute, pay, sum, weightOf } from './expected.ts';

const iso = (milliseconds: number) => new Date(milliseconds).toISOString().replace('.000Z', 'Z');
const at = (ns = 0n) => iso(Number(ns / 1_000_000n));
const longest = Math.max(...front.map(({ duration }) => duration));

/** Other questions in an incident: values of sub-queries, unions, funnels, exemplars, and listings of available data. */
export const QUESTIONS: readonly Golden[] = [
  {
    query:
      'logs | where service.name == "frontend" and int(regex_extract(body, "in ([0-9]+)ms")) > (metric queue.size | stats max(value)) | count',
    rows: [[60 - 9]],
  },
  {
    query:
      'spans | where duration == (spans | where service.name == "frontend" | stats max(duration)) | fields duration, trace_id',
    rows: [[longest, traceId(59)]],
  },
  {
    query:
      'let all = (logs | stats n=count()); logs | where severity >= error | stats share=count() / (all | stats sum(n))',
    rows: [[failing.length / LOGS.length]],
  },
  {
    query:
      'logs | where severity >= error and 1 > (logs | where service.name == "nobody" | stats max(severity_number)) | count',
    rows: [[0]],
  },
  {
    query:
      'logs | stats n=count() by service.name | extend of = "logs" | union (spans | stats n=count() by service.name | extend of = "spans") | sort of, -n | fields of, service.name, n',
    rows: [
      ['logs', 'frontend', 60],
      ['logs', 'checkout', 6],
      ['logs', 'audit', 3],
      ['spans', 'checkout', weightOf(SPANS.filter(({ service }) => service === 'checkout'))],
      ['spans', 'frontend', weightOf(front)],
    ],
  },
  {
    query:
      'logs | where severity >= error | extend what = body | fields time, what | union (spans | where status == error and name == "POST /pay" | extend order = order.id | fields time, order) | sort -time | limit 2',
    rows: [
      [at(LOGS.filter(({ severity }) => severity === 17).at(-1)?.time), 'Payment timeout for order 59', null],
      [at(pay.at(-1)?.time), null, 59],
    ],
  },
  {
    query: 'spans | fields name | union (logs | fields service.name) | stats n=count()',
    rows: [[weightOf(SPANS) + LOGS.length]],
  },
  {
    // A span that matches two successive steps counts for only one of them at a time.
    query:
      'spans | funnel by trace_id within 1m {service.name == "frontend"} -> pay{service.name == "checkout"} -> {status == error}',
    rows: [
      ['1', 60, 1, 1],
      ['pay', 60, 1, 1],
      ['3', failing.length, failing.length / 60, failing.length / 60],
    ],
  },
  {
    query: 'spans | funnel by trace_id within 1m {service.name == "checkout"} -> {service.name == "frontend"}',
    rows: [
      ['1', 60, 1, 1],
      ['2', 0, 0, 0],
    ],
  },
  {
    // A user's first event may be too old while a later one is not: users return every seven minutes.
    query:
      'logs | funnel by user.id within 10m {body has "request 0" or body has "request 7"} -> {body has "request 14"} -> {body has "request 21"}',
    rows: [
      ['1', 1, 1, 1],
      ['2', 1, 1, 1],
      ['3', 0, 0, 0],
    ],
  },
  {
    query: 'logs | where any has "override" | count',
    rows: [[failing.length]],
  },
  {
    query: 'spans | where any has "500" | stats n=count() by name',
    rows: [['GET /checkout', failing.length]],
  },
  {
    query: 'spans | where any has "timeout" and any has "exception" and event.values has "Timeout" | stats n=count()',
    rows: [[failing.length]],
  },
  {
    query: 'spans | where any contains "CHECKOUT-1" and not any =~ "^postgres" | count by service.name',
    rows: [['checkout', 30]],
  },
  {
    query: 'logs | where any has "frontend" and any !~ "served in 1ms" | count',
    rows: [[59]],
  },
  {
    query: 'exemplars latency | where value > 100 | sort time | fields time, value, trace_id, route, user.id, unit',
    rows: EXEMPLARS.filter(({ value }) => value > 100).map((one) => [
      iso(one.time),
      one.value,
      one.trace_id,
      '/x',
      one.attributes['user.id'],
      'ms',
    ]),
  },
  {
    query:
      'exemplars latency | join spans on trace_id as s | where s.name == "POST /pay" | stats n=count(), v=sum(value)',
    rows: [[EXEMPLARS.length, sum(EXEMPLARS.map(({ value }) => value))]],
  },
  {
    query: 'metrics | where name startswith "q" or kind == histogram | fields name, kind, unit, services, series',
    rows: [
      ['latency', 'histogram', 'ms', ['frontend'], 2],
      ['queue.size', 'gauge', '{item}', ['cart'], 1],
    ],
  },
  {
    query:
      'metrics | where name in ("requests", "queue.size") | fields name, temporality, monotonic | sort name, temporality',
    rows: [
      ['queue.size', 'unspecified', false],
      // In the order of OTLP, as kinds are.
      ['requests', 'delta', true],
      ['requests', 'cumulative', true],
    ],
  },
  {
    query:
      'fields | where signal == "spans" and scope == "attribute" and name startswith "order" | fields name, types, rows',
    rows: [['order.id', ['int'], 60]],
  },
  {
    query: 'fields | where scope == "resource" and name == "region" | fields signal, rows, distinct_values',
    rows: [['logs', 6, 1]],
  },
  {
    query: 'logs | stats n=count() by bucket(1d, "Europe/Berlin")',
    rows: [['2026-11-18T23:00:00Z', LOGS.length]],
  },
  {
    query:
      'logs | where severity >= error | stats n=count() by bucket(10m) | union (logs | stats n=count() by bucket(10m)) | stats n=sum(n) by bucket(20m) | limit 1',
    rows: [[minute(0), 2 + 23]],
  },
  // The payment begins 1 ms after its root span and lasts half as long: in the first minute it begins when the root ends.
  {
    query: 'spans | stats self=sum(self_time), n=count() by service.name, name | sort service.name, name',
    rows: [
      ['checkout', 'POST /pay', 909_200_000, 60],
      ['checkout', 'SELECT orders', 60_000_000, 600],
      ['frontend', 'GET /checkout', 915_500_000, 60],
    ],
  },
  {
    query:
      'spans | where name == "GET /checkout" and self_time >= 29ms and duration < 1m | stats n=count(), least=min(self_time)',
    rows: [[3, 29_000_000]],
  },
];
