import { LOGS, traceId } from '../fixture.ts';
import { failing, type Golden } from '../golden/expected.ts';
import { counted } from './expected.ts';

/** Joins and sub-queries. */
export const JOIN_ANSWERS: readonly Golden[] = [
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
];

function usersOfMoreThan(n: number): number {
  return counted(LOGS.flatMap(({ strings }) => strings['user.id'] ?? [])).filter(([, count]) => Number(count) > n)
    .length;
}
