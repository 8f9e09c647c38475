import { chart, libraryDashboard, number, table } from '../library-rules.ts';

export const fanion = libraryDashboard({
  key: 'fanion',
  name: 'Fanion',
  description: 'Requests, queries and the process of Fanion servers.',
  sentBy: 'the prometheus receiver of the OpenTelemetry Collector, which reads /internal/metrics',
  needs: [{ metric: 'fanion_http_requests_total' }],
  variables: [],
  lines: [
    {
      h: 4,
      panels: [
        number('Requests per second', 'metric fanion_http_requests_total | rate | stats rate=sum(value)', {
          unit: '{request}/s',
        }),
        number(
          'Server errors',
          'metric fanion_http_requests_total | where status =~ "^5" | increase | stats errors=sum(value)',
        ),
        number('Event loop lag, p99', 'metric nodejs_eventloop_lag_p99_seconds | stats lag=max(value)', { unit: 's' }),
      ],
    },
    {
      h: 8,
      panels: [
        chart('Requests by status', 'metric fanion_http_requests_total | rate | sum by status, bucket(auto)', {
          unit: '{request}/s',
          stacked: true,
        }),
        chart(
          'Time to answer, p99',
          'metric fanion_http_request_duration_seconds | increase | stats p99=p99(value) by bucket(auto)',
          { unit: 's' },
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart('Queries that run', 'metric fanion_queries_running | latest 5m | sum by lane, bucket(auto)'),
        chart('Queries that wait', 'metric fanion_queries_waiting | latest 5m | sum by lane, bucket(auto)'),
        chart('Rejected queries', 'metric fanion_queries_refused_total | increase | sum by lane, bucket(auto)'),
      ],
    },
    {
      h: 8,
      panels: [
        chart('Memory', 'metric process_resident_memory_bytes | latest 5m | sum by service.instance.id, bucket(auto)', {
          unit: 'By',
        }),
        chart('Cores in use', 'metric process_cpu_seconds_total | rate | sum by service.instance.id, bucket(auto)'),
        table(
          'Slowest routes',
          'metric fanion_http_request_duration_seconds | increase | stats p99=p99(value), requests=count(value) by route | sort -p99 | limit 20',
          { unit: 's' },
        ),
      ],
    },
  ],
});
