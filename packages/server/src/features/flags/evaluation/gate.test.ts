import { contextLimits } from '@fanion/contract';
import { expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { evaluationFeature } from './index.ts';

const ids = { keyId: newId(), workspaceId: newId(), projectId: newId(), environmentId: newId() };
const place = { ...ids, workspaceNumber: 1, projectNumber: 1, environmentKey: 'production' };
let isSpent = false;
const routes = evaluationFeature({
  rulesets: { get: async () => undefined, refresh: async () => undefined },
  sdkCaller: () => ({
    kind: 'sdk',
    keyKind: 'client',
    payloadKey: null,
    allowedOrigins: ['https://shop.example'],
    ...place,
  }),
  log: createLog('silent'),
  clock: systemClock,
  secret: Buffer.alloc(32),
  answered: () => undefined,
  budgets: {
    refusal: (sender) =>
      isSpent && sender === `key ${ids.keyId}`
        ? fail('BODIES_LIMITED', { seconds: 3 }, { retryAfterSeconds: 3 })
        : undefined,
    spend: () => undefined,
  },
  exposures: { saw: () => undefined },
});

it.each(routes.map(({ route, gate }) => [route.id, gate] as const))(
  '%s refuses a large body from its head when its key has used up its share',
  async (_, gate) => {
    const ask = (length: number) =>
      gate({ url: '/', headers: { 'content-length': String(length), origin: 'https://shop.example' } }, 'flag');
    isSpent = false;
    expect(await ask(50_000)).toBe(contextLimits.client.bytes);
    isSpent = true;
    expect(await ask(50_000)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3', 'access-control-allow-origin': 'https://shop.example' },
    });
    // Small contexts are never counted.
    expect(await ask(500)).toBe(contextLimits.client.bytes);
  },
);
