import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { ingestProtocolRoutes, registerIngestProtocols } from './index.ts';

it('serves exactly the ingest routes that the contract declares', async () => {
  const app = Fastify();
  const answered: string[] = [];
  app.addHook('onRoute', ({ method, url }) => void answered.push(`${method} ${url}`));
  const unused = () => {
    throw new Error('no request is sent');
  };
  registerIngestProtocols(app, {
    append: unused,
    admit: unused,
    authenticate: unused,
    refused: unused,
    limits: { compressedBytes: 1, inflatedBytes: 1 },
    bodies: unused as never,
  });
  await app.ready();
  expect(answered.toSorted()).toEqual(ingestProtocolRoutes.map(({ method, path }) => `${method} ${path}`).toSorted());
});
