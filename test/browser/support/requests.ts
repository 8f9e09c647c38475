import { randomBytes } from 'node:crypto';
import { type SignedUp, until } from '../../../packages/server/src/testing/test-client.ts';
import { sendOtlp } from './otlp.ts';

const MINUTE = 60_000;

/**
 * Four hours of requests of the service `checkout`, five a minute: `GET /cart` in 40 to 80 ms and `POST /pay` in 200 ms. Twice, for
 * five minutes, payments take two seconds and fail. Another service, `search`, has a request a minute.
 */
export async function sendRequests(user: SignedUp): Promise<void> {
  const end = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;
  const minutes = Array.from({ length: 240 }, (_, index) => end - (index + 1) * MINUTE);
  const isBad = (at: number) => [60, 160].some((ago) => end - at > ago * MINUTE && end - at <= (ago + 5) * MINUTE);
  const span = (name: string, at: number, duration: number, failed = false) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name,
    kind: 2,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + duration}000000`,
    status: failed ? { code: 2 } : {},
  });
  const of = (service: string, spans: readonly object[]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans }],
  });
  const checkout = minutes.flatMap((at) => [
    ...[40, 50, 60, 80].map((duration, index) => span('GET /cart', at + index * 1000, duration)),
    span('POST /pay', at + 10_000, isBad(at) ? 2000 : 200, isBad(at)),
  ]);
  const search = minutes.map((at) => span('GET /search', at, 20));
  await sendOtlp(user, '/v1/traces', { resourceSpans: [of('checkout', checkout), of('search', search)] });
  await until(async () => {
    const counted = await user.post(`${user.workspace}/query`, { query: 'spans | stats n=count()', from: 'now-1d' });
    return counted.data?.rows?.[0]?.[0] === checkout.length + search.length;
  });
}
