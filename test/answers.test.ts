import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, mismatchOf } from '../packages/server/src/testing/check-answer.ts';
import { TEST_DOUBLE_HEADER, watchAnswers } from './support/watch-answers.ts';

const health: Answer = {
  method: 'GET',
  path: '/healthz',
  status: 200,
  type: 'application/json; charset=utf-8',
  body: '{"status":"ok"}',
};

describe('an answer and the API document', () => {
  it.each<[string, Partial<Answer>, RegExp | undefined]>([
    ['agree', {}, undefined],
    ['agree with a query string', { path: '/healthz?verbose=1' }, undefined],
    ['differ by an undeclared status', { status: 418 }, /418, which the API document does not have/],
    ['differ by the media type', { type: 'text/html' }, /media type "text\/html"/],
    ['differ by the body', { body: '{"status":1}' }, /off its schema.*status/s],
    ['are not compared for a path that is not of the API', { path: '/elsewhere', body: 'x' }, undefined],
    ['are not compared when the client is gone', { status: 499 }, undefined],
  ])('%s', (_name, change, expected) => {
    const mismatch = mismatchOf({ ...health, ...change });
    if (expected === undefined) expect(mismatch).toBeUndefined();
    else expect(mismatch).toMatch(expected);
  });
});

describe('the watch of answers', () => {
  const seen: Answer[] = [];
  const app = Fastify();
  let base: string;
  let stop: () => void;
  beforeAll(async () => {
    stop = watchAnswers((answer) => seen.push(answer));
    const watched = Fastify();
    watched.get('/in-process', async () => ({ from: 'a server of this process' }));
    await watched.inject('/in-process?a=b');
    // Made before the watch, so only fetch can see it.
    base = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  app.get('/elsewhere', async () => ({ from: 'another server' }));
  app.get('/double', async (_request, reply) => {
    reply.header(TEST_DOUBLE_HEADER, '1');
    return { from: 'a test double' };
  });
  afterAll(async () => {
    stop();
    await app.close();
  });

  it('sees what a server of this process sends', () => {
    expect(seen).toContainEqual(
      expect.objectContaining({ path: '/in-process', status: 200, body: '{"from":"a server of this process"}' }),
    );
  });

  it.each(['text', 'json'] as const)('sees what fetch reads as %s', async (form) => {
    const response = await fetch(`${base}/elsewhere?form=${form}`);
    await response[form]();
    expect(seen.at(-1)).toMatchObject({ method: 'GET', path: '/elsewhere', body: '{"from":"another server"}' });
  });

  it('ignores servers that only imitate Fanion', async () => {
    await (await fetch(`${base}/double`)).text();
    expect(seen.map(({ path }) => path)).not.toContain('/double');
  });
});
