import type { Golden } from '../golden/expected.ts';

/** Stages on stored rows. */
export const ROW_ANSWERS: readonly Golden[] = [
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
  { query: 'spans | where link.trace_ids exists | where root and event.names == null | count', rows: [[0]] },
];
