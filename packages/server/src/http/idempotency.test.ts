import { listProjects } from '@fanion/contract';
import Fastify from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { type TestStore, testStores } from '../testing/test-database.ts';
import { createIdempotency } from './idempotency.ts';

describe.each(testStores)('idempotency on %s', (_name, start) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store.close());

  it('does not repeat work whose response could not be stored', async () => {
    const { db } = store;
    await sql`ALTER TABLE idempotency_keys ADD CONSTRAINT unkept CHECK (state <> 'done')`.execute(db);
    const idempotency = createIdempotency({ db, clock: systemClock, log: createLog('silent') });
    let done = 0;
    const app = Fastify();
    app.post('/', (_request, reply) =>
      idempotency
        .run(
          { caller: { kind: 'anonymous' }, key: 'k', route: listProjects, path: '/', body: undefined },
          async () => ({ status: 201, headers: {}, payload: { done: ++done } }),
          reply,
        )
        .catch((error: { code: string }) => reply.code(409).send({ code: error.code })),
    );
    const first = await app.inject({ method: 'POST', url: '/' });
    expect([first.statusCode, first.json()]).toEqual([201, { done: 1 }]);
    const second = await app.inject({ method: 'POST', url: '/' });
    expect([second.statusCode, done]).toEqual([409, 1]);
    await app.close();
  });
});
