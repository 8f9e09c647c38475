import { chart, libraryDashboard, number, table } from '../library-rules.ts';

/** Spans of requests that services serve. */
const served = 'spans | where (kind == server or kind == consumer) and service.name == $service';

/** Rate, errors and duration: what users of a service notice. */
export const services = libraryDashboard({
  key: 'services',
  name: 'Services (RED)',
  description: 'Requests, errors and durations of each service.',
  sentBy: 'spans of the kinds server and consumer, as OpenTelemetry SDKs send them',
  needs: [{ spans: true }],
  variables: [
    {
      name: 'service',
      type: 'query',
      query:
        'spans | where kind == server or kind == consumer | count by service.name | sort service.name | fields service.name',
      multi: true,
      include_all: true,
    },
  ],
  lines: [
    {
      h: 4,
      panels: [
        number('Requests per second', `${served} | stats rate=count()/window`, { unit: '{request}/s' }),
        number('Failed', `${served} | stats failed=ratio(status == error)`, {
          unit: '1',
          thresholds: [
            { value: 0, color: 'ok' },
            { value: 0.01, color: 'warning' },
            { value: 0.05, color: 'error' },
          ],
        }),
        number('p99', `${served} | stats p99=p99(duration)`),
      ],
    },
    {
      h: 8,
      panels: [
        chart('Requests per second', `${served} | stats rate=count()/window by service.name, bucket(auto)`, {
          unit: '{request}/s',
        }),
        chart('Failed', `${served} | stats failed=ratio(status == error) by service.name, bucket(auto)`, {
          unit: '1',
          min: 0,
        }),
        chart('p99', `${served} | stats p99=p99(duration) by service.name, bucket(auto)`),
      ],
    },
    {
      h: 9,
      panels: [
        table(
          'Operations',
          `${served} | stats requests=count(), failed=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name, name | sort -requests | limit 50`,
        ),
        table(
          'Errors',
          'events | where name == "exception" and service.name == $service | stats n=count(), last=max(time) by service.name, exception.type | sort -n | limit 50',
        ),
      ],
    },
    {
      h: 8,
      panels: [
        chart(
          'Calls of other services',
          'spans | where kind == client and service.name == $service | stats p95=p95(duration) by coalesce(attr.peer.service, attr.server.address), bucket(auto)',
        ),
        chart(
          'Error logs',
          'logs | where severity >= error and service.name == $service | stats n=count() by service.name, bucket(auto)',
          { draw: 'bars', stacked: true },
        ),
      ],
    },
  ],
});
