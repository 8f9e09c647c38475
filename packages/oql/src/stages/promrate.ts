import { overPrometheusRange } from '../metrics/prometheus.ts';
import type { StageDefinition } from './definition.ts';
import { checkRange } from './range.ts';

export const promrate: StageDefinition<'promrate'> = {
  kind: 'promrate',
  syntax: 'promrate [DURATION] | promincrease [DURATION]',
  doc: "Computes Prometheus' `rate` and `increase` at the end of each later bucket: from the first to the last point in the time up to it, extrapolated towards both ends. OQL's `rate` and `increase` do not extrapolate; use these when numbers must agree with Prometheus. They need at least two points.",
  examples: [
    'metric http_requests_total | promrate 5m | sum by service.name, bucket(1m)',
    'metric http_requests_total | promincrease(1h) | sum by job',
    'metric http.server.request.duration | promrate 5m | p99 by http.route, bucket(5m)',
  ],
  check: (stage, input, ctx) =>
    checkRange(stage, input, ctx, (points, span) =>
      overPrometheusRange(input, points, { perSecond: stage.fn === 'promrate', ...span }, ctx),
    ),
};
