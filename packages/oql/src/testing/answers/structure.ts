import { type Golden, minute, minutes } from '../golden/expected.ts';

/** The structure of traces: `match`, aggregates over a trace's spans, events of spans. */
export const STRUCTURE_ANSWERS: readonly Golden[] = [
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
];
