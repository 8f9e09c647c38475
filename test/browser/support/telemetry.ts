import { randomBytes } from 'node:crypto';
import { type SignedUp, stored, until } from '../../../packages/server/src/testing/test-client.ts';
import { sendOtlp } from './otlp.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const nano = (milliseconds: number) => `${Math.round(milliseconds)}000000`;
const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});

export interface Shop {
  /** A trace of three spans over two services; the last one failed. */
  readonly traceId: string;
}

/**
 * Sends telemetry of two shop services: `count` traces over the last half hour, each with a failing payment and a
 * log line. Resolves when all of it is stored and counted.
 */
export async function sendShop(user: SignedUp, count = 30): Promise<Shop> {
  const now = Date.now();
  const traces = Array.from({ length: count }, (_, index) => ({
    traceId: hex(16),
    // The last one is of this moment: what is derived from minutes with a delay is derived of it while reading.
    at: now - 1000 - (count - 1 - index) * (1_790_000 / count),
    ids: [hex(8), hex(8), hex(8)],
  }));
  const span = (
    traceId: string,
    spanId: string | undefined,
    parentSpanId: string | undefined,
    name: string,
    kind: number,
    at: number,
    duration: number,
    error = false,
  ) => ({
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind,
    startTimeUnixNano: nano(at),
    endTimeUnixNano: nano(at + duration),
    attributes: [attribute('http.route', '/checkout'), attribute('note', '<img src=x onerror=alert(1)>')],
    status: error ? { code: 2, message: 'card declined' } : {},
    ...(error && {
      events: [
        {
          timeUnixNano: nano(at + 1),
          name: 'exception',
          attributes: [attribute('exception.message', 'card <b>declined</b>')],
        },
      ],
    }),
  });
  const resource = (service: string) => ({
    attributes: [attribute('service.name', service), attribute('deployment.environment.name', 'production')],
  });
  await sendOtlp(user, '/v1/traces', {
    resourceSpans: [
      {
        resource: resource('frontend'),
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: traces.flatMap(({ traceId, at, ids }) => [
              span(traceId, ids[0], undefined, 'POST /checkout', 2, at, 120),
              span(traceId, ids[1], ids[0], 'call payments', 3, at + 10, 100),
            ]),
          },
        ],
      },
      {
        resource: resource('payments'),
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: traces.map(({ traceId, at, ids }) =>
              span(traceId, ids[2], ids[1], 'POST /charge', 2, at + 20, 80, true),
            ),
          },
        ],
      },
    ],
  });
  await sendOtlp(user, '/v1/logs', {
    resourceLogs: [
      {
        resource: resource('payments'),
        scopeLogs: [
          {
            scope: { name: 'test' },
            logRecords: traces.map(({ traceId, at, ids }, index) => ({
              timeUnixNano: nano(at + 30),
              severityNumber: 17,
              severityText: 'ERROR',
              traceId,
              spanId: ids[2],
              body: { stringValue: `card declined for order ${index}` },
            })),
          },
        ],
      },
    ],
  });
  const last = traces.at(-1)?.traceId ?? '';
  await until(async () => {
    const trace = await user.get(`${user.workspace}/traces/${last}?include=logs`);
    return trace.status === 200 && trace.data.spans.length === 3 && trace.data.logs.length === 1;
  });
  // The service map finds late spans by a count that is stored after the spans.
  await stored(user.base);
  return { traceId: last };
}

/** Sends traces that evaluated a flag: a third of those with `true` failed after 2 s, and the others took 20 ms. */
export async function sendPictures(user: SignedUp, { flag, count }: { flag: string; count: number }): Promise<void> {
  const now = Date.now();
  const traces = Array.from({ length: count }, (_, index) => ({
    traceId: hex(16),
    spanId: hex(8),
    at: now - 60_000 - index * 1_000,
    variant: index % 2 === 0 ? 'true' : 'false',
    failed: index % 6 === 0,
  }));
  const resource = {
    attributes: [attribute('service.name', 'pictures'), attribute('deployment.environment.name', 'production')],
  };
  const scope = { name: 'test' };
  const spans = traces.map(({ at, failed, variant, ...ids }) => ({
    ...ids,
    name: 'GET /picture',
    kind: 2,
    startTimeUnixNano: nano(at),
    endTimeUnixNano: nano(at + (failed ? 2_000 : 20)),
    status: { code: failed ? 2 : 1 },
    ...(failed && {
      events: [
        { timeUnixNano: nano(at), name: 'exception', attributes: [attribute('exception.message', 'no picture')] },
      ],
    }),
  }));
  const logRecords = traces.map(({ at, variant, traceId, spanId }) => ({
    timeUnixNano: nano(at),
    eventName: 'feature_flag.evaluation',
    traceId,
    spanId,
    attributes: [
      attribute('feature_flag.key', flag),
      attribute('feature_flag.result.variant', variant),
      attribute('feature_flag.context.id', traceId),
    ],
  }));
  await sendOtlp(user, '/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] });
  await sendOtlp(user, '/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
  await until(async () => {
    const answer = await user.post(`${user.workspace}/query`, { query: 'spans | stats n=count()', from: 'now-1d' });
    return answer.data?.rows?.[0]?.[0] === count;
  });
  await stored(user.base);
}
