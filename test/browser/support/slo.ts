import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type SignedUp, until } from '../../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../../flags/support.ts';
import { sendOtlp } from './otlp.ts';

export const checkoutSlo = {
  name: 'Checkout answers',
  project: 'default',
  indicator: {
    kind: 'events',
    source: 'spans | where service.name == "checkout"',
    good: 'status != error',
  },
  objective: 0.95,
  window: { kind: 'rolling', period: '7d' },
  burn_alerts: true,
} as const;

/**
 * An SLO of 60 requests of the last half hour, 6 of which failed; all of these, and 24 others, saw the variant `true` of the flag
 * `checkout-v2`. The version 1.5.0 served the last 15. Resolves when all of them are counted.
 */
export async function createCountedSlo(user: SignedUp): Promise<{ id: string }> {
  await flagsOf(user).create('checkout-v2');
  await flagsOf(user).serve('checkout-v2');
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const now = Date.now();
  const requests = Array.from({ length: 60 }, (_, index) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    // A back-fill ends with the last whole minute.
    at: now - 120_000 - index * 25_000,
    failed: index % 10 === 0,
    variant: index % 2 === 0 ? 'true' : 'false',
    version: index < 15 ? '1.5.0' : '1.4.0',
  }));
  await sendOtlp(user, '/v1/traces', {
    resourceSpans: ['1.4.0', '1.5.0'].map((version) => ({
      resource: { attributes: [text('service.name', 'checkout'), text('service.version', version)] },
      scopeSpans: [
        {
          spans: requests
            .filter((request) => request.version === version)
            .map(({ traceId, spanId, at, failed }) => ({
              traceId,
              spanId,
              name: failed ? 'POST /pay' : 'GET /cart',
              kind: 2,
              startTimeUnixNano: `${at}000000`,
              endTimeUnixNano: `${at + 50}000000`,
              status: failed ? { code: 2 } : {},
            })),
        },
      ],
    })),
  });
  await sendOtlp(user, '/v1/logs', {
    resourceLogs: [
      {
        resource: { attributes: [text('service.name', 'checkout')] },
        scopeLogs: [
          {
            logRecords: requests.map(({ traceId, at, variant }, index) => ({
              timeUnixNano: `${at}000000`,
              traceId,
              eventName: 'feature_flag.evaluation',
              attributes: [
                text('feature_flag.key', 'checkout-v2'),
                text('feature_flag.result.variant', variant),
                text('feature_flag.context.id', `u${index}`),
              ],
            })),
          },
        ],
      },
    ],
  });
  const counted = async (query: string) =>
    (await user.post(`${user.workspace}/query`, { query })).data?.rows?.[0]?.[0] === requests.length;
  await until(
    async () => (await counted('spans | stats n=count()')) && counted('flags "checkout-v2" | stats n=count()'),
  );
  const { status, data, text: answer } = await user.post(`${user.workspace}/slos`, checkoutSlo);
  expect(status, answer).toBe(201);
  await until(async () => {
    const { total, backfill } = (await user.get(`${user.workspace}/slos/${data.id}/status`)).data;
    return total === requests.length && backfill.state === 'done';
  }, 180_000);
  return data;
}
