import { LOGS } from '../fixture.ts';
import { type Golden, minute } from './expected.ts';

const MINUTE_NS = 60_000_000_000;
const services = ['audit', 'checkout', 'frontend'];
const recordsOf = (service: string, from = 0, to = 60) =>
  LOGS.filter((log) => {
    const at = Number((log.time - (LOGS[0]?.time ?? 0n)) / BigInt(MINUTE_NS));
    return log.service === service && at >= from && at < to;
  }).length;
const others = (from: number, to: number) => recordsOf('audit', from, to) + recordsOf('checkout', from, to);

/** Ranks, neighbors and the largest rows within groups. */
export const WITHIN: readonly Golden[] = [
  {
    query: 'spans | stats n=count() by service.name, name | top 1 by n within service.name',
    rows: [
      ['checkout', 'SELECT orders', 600],
      ['frontend', 'GET /checkout', 60],
    ],
  },
  {
    query: 'spans | stats n=count() by service.name, name | top 1 by n within service.name other',
    rows: [
      ['checkout', 'SELECT orders', 600],
      ['checkout', '(other)', 60],
      ['frontend', 'GET /checkout', 60],
    ],
  },
  {
    query: 'spans | stats n=count() by service.name, kind, name | top 1 by -n within service.name, kind',
    rows: [
      ['checkout', 'server', 'POST /pay', 60],
      ['checkout', 'client', 'SELECT orders', 600],
      ['frontend', 'server', 'GET /checkout', 60],
    ],
  },
  {
    query: 'logs | stats n=count() by bucket(30m), service.name | top 1 by n within time',
    rows: [0, 30].map((at) => [minute(at), 'frontend', 30]),
  },
  {
    query: 'logs | stats n=count() by bucket(30m), service.name | top 1 by n within time other',
    rows: [0, 30].flatMap((at) => [
      [minute(at), 'frontend', 30],
      [minute(at), '(other)', others(at, at + 30)],
    ]),
  },
  {
    query:
      'spans | where service.name == "frontend" | top 1 by duration within http.route | fields http.route, duration',
    rows: [
      ['/cart', 60_000_000],
      ['/checkout', 59_000_000],
    ],
  },
  {
    query:
      'spans | stats n=count() by service.name, name | extend place = rank(n), part = share(n), all = sum(n) over all within service.name | sort service.name, place',
    rows: [
      ['checkout', 'SELECT orders', 600, 1, 600 / 660, 660],
      ['checkout', 'POST /pay', 60, 2, 60 / 660, 660],
      ['frontend', 'GET /checkout', 60, 1, 1, 60],
    ],
  },
  {
    query:
      'logs | stats n=count() by service.name, severity | sort -n | extend before = lag(n), more = difference(n), so_far = running_sum(n), place = rank() within service.name | sort service.name, -n',
    rows: [
      ['audit', 'warn', 3, null, null, 3, 1],
      ['checkout', 'error', 6, null, null, 6, 1],
      ['frontend', 'info', 48, null, null, 48, 1],
      ['frontend', 'debug', 12, 48, -36, 60, 2],
    ],
  },
  {
    // In a time series, a group can hold one bucket, or all buckets of one series.
    query:
      'logs | stats n=count() by bucket(30m), service.name | extend place = rank(n), before = lag(n) within service.name | sort service.name, time',
    rows: services.flatMap((service) => {
      const [first, second] = [recordsOf(service, 0, 30), recordsOf(service, 30)];
      return [
        [minute(0), service, first, 1, null],
        [minute(30), service, second, second < first ? 2 : 1, first],
      ];
    }),
  },
  {
    query:
      'logs | stats n=count() by bucket(30m), service.name | sort -n | extend larger = lag(n), place = rank() within time | where time == 2026-11-19T14:00:00Z | sort place',
    rows: [
      [minute(0), 'frontend', 30, null, 1],
      [minute(0), 'checkout', 3, 30, 2],
      [minute(0), 'audit', 2, 3, 3],
    ],
  },
  {
    query:
      'logs | extend pause = difference(time), near = count() over 15m within service.name | stats longest=max(pause), most=max(near) by service.name | extend longest = longest / 1m',
    rows: [
      ['audit', 20, 1],
      ['checkout', 10, 2],
      ['frontend', 1, 15],
    ],
  },
];
