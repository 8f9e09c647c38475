/** Queries that work with any telemetry, offered while the editor is empty. */
export const EXAMPLES: readonly { title: string; query: string }[] = [
  {
    title: 'Requests, errors and latency per service',
    query: 'spans | stats n=count(), errors=ratio(status == error), p99=p99(duration) by service.name',
  },
  {
    title: 'Latency over time',
    query: 'spans | where kind == server | stats p50=p50(duration), p99=p99(duration) by bucket(1m)',
  },
  { title: 'Slow spans', query: 'spans | where duration > 500ms | sort -duration | limit 100' },
  {
    title: 'Failing operations',
    query: 'spans | where status == error | stats n=count() by service.name, name | sort -n | limit 20',
  },
  { title: 'Errors in the log', query: 'logs | where severity >= error | sort -time | limit 100' },
  { title: 'Log volume by severity', query: 'logs | stats n=count() by severity, bucket(1m)' },
];
