import { type SignedUp, until } from '../../../packages/server/src/testing/test-client.ts';
import { sendOtlp } from './otlp.ts';

/** A histogram of durations and a counter of orders over ten minutes, a point a minute; one exemplar, of a trace. */
export async function sendMetrics(user: SignedUp, traceId: string): Promise<void> {
  const now = Date.now();
  const attributes = [{ key: 'http.route', value: { stringValue: '/checkout' } }];
  const minutes = Array.from({ length: 10 }, (_, index) => ({
    startTimeUnixNano: `${now - 660_000}000000`,
    timeUnixNano: `${now - 600_000 + index * 60_000}000000`,
    grown: index + 1,
  }));
  await sendOtlp(user, '/v1/metrics', {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'frontend' } }] },
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'http.server.request.duration',
                unit: 's',
                histogram: {
                  aggregationTemporality: 2,
                  dataPoints: minutes.map(({ grown, ...times }, index) => ({
                    ...times,
                    attributes,
                    count: String(grown * 10),
                    sum: grown,
                    explicitBounds: [0.1, 0.2, 0.5],
                    bucketCounts: [String(grown * 4), String(grown * 5), String(grown), '0'],
                    ...(index === 8 && {
                      exemplars: [
                        { timeUnixNano: times.timeUnixNano, asDouble: 0.15, traceId, spanId: 'b7ad6b7169203331' },
                      ],
                    }),
                  })),
                },
              },
              {
                name: 'orders',
                unit: '{order}',
                sum: {
                  aggregationTemporality: 2,
                  isMonotonic: true,
                  dataPoints: minutes.map(({ grown, ...times }) => ({
                    ...times,
                    attributes,
                    asInt: String(grown * 120),
                  })),
                },
              },
            ],
          },
        ],
      },
    ],
  });
  await until(async () => {
    const counted = await user.post(`${user.workspace}/query`, { query: 'metric orders | stats n=count()' });
    return counted.data?.rows?.[0]?.[0] === 10;
  });
}
