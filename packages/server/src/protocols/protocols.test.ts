import Fastify from 'fastify';
import { expect, it } from 'vitest';
import type { Receiver } from '../features/telemetry/ingest/index.ts';
import { fail } from '../platform/fail.ts';
import { mismatchOf } from '../testing/check-answer.ts';
import { ingestProtocolRoutes, registerIngestProtocols } from './index.ts';

const unused = () => {
  throw new Error('no body is read');
};
const receiver: Receiver = {
  append: unused,
  admit: unused,
  authenticate: async () => ({ denied: 401, message: 'nobody' }),
  refused: () => undefined,
  limits: { compressedBytes: 1, inflatedBytes: 1 },
  bodies: unused as never,
};

it('serves exactly the ingest routes that the contract declares', async () => {
  const app = Fastify();
  const answered: string[] = [];
  app.addHook('onRoute', ({ method, url }) => void answered.push(`${method} ${url}`));
  registerIngestProtocols(app, receiver);
  await app.ready();
  expect(answered.toSorted()).toEqual(ingestProtocolRoutes.map(({ method, path }) => `${method} ${path}`).toSorted());
});

it('tells a sender in the format of its protocol that the server stops, and when to send again', async () => {
  const app = Fastify();
  app.addHook('onRequest', async () => {
    throw fail('SHUTTING_DOWN', {}, { retryAfterSeconds: 2 });
  });
  registerIngestProtocols(app, receiver);
  for (const { path, requestMedia } of ingestProtocolRoutes)
    for (const media of requestMedia) {
      const answer = await app.inject({ method: 'POST', url: path, headers: { 'content-type': media } });
      const { statusCode: status, headers, body } = answer;
      expect([path, media, status, headers['retry-after']]).toEqual([path, media, 503, '2']);
      expect(mismatchOf({ method: 'POST', path, status, type: String(headers['content-type']), body })).toBeUndefined();
      expect(body).toContain('shutting down');
    }
});
