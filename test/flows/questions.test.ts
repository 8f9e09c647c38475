import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

describe('queries at their limits', () => {
  let server: TestServer;
  let user: SignedUp;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
    const sender = testClient(server.base, { bearer: await user.token(['telemetry:ingest']) });
    const now = BigInt(Date.now()) * 1_000_000n;
    const span = (i: number) => ({
      traceId: 'a'.repeat(32),
      spanId: i.toString(16).padStart(16, '0'),
      name: `n${i}`,
      kind: 2,
      startTimeUnixNano: String(now - 1_000_000n),
      endTimeUnixNano: String(now),
    });
    expect(
      (
        await sender.post('/v1/traces', {
          resourceSpans: [{ scopeSpans: [{ spans: Array.from({ length: 50 }, (_, i) => span(i + 1)) }] }],
        })
      ).status,
    ).toBe(200);
    await until(async () => (await ask('spans | stats n=count()')).data?.rows?.[0]?.[0] === 50);
  });
  afterAll(() => server?.stop());

  const ask = (query: string, more: object = {}) =>
    user.post(`${user.workspace}/query`, { query, from: 'now-1h', to: 'now+5m', ...more });

  it('accepts a list of thousands of values', async () => {
    const names = Array.from({ length: 2_500 }, (_, i) => `"n${i}-${'x'.repeat(8)}"`);
    const answer = await ask(`spans | where name in ("n7", ${names.join(', ')}) | stats n=count()`);
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(answer.data.rows).toEqual([[1]]);
  });

  it('reports rows beyond the limit, and never truncates silently', async () => {
    const cut = await ask('spans | fields name', { limit: 10 });
    expect(cut.data.rows).toHaveLength(10);
    expect(cut.json.meta.truncated).toBe(true);
    const whole = await ask('spans | fields name', { limit: 50 });
    expect(whole.data.rows).toHaveLength(50);
    expect(whole.json.meta).toMatchObject({
      truncated: false,
      rows_read: expect.any(Number),
      took_ms: expect.any(Number),
    });
  });

  it.each([
    ['brackets without end', `spans | where ${'('.repeat(20_000)}true`],
    ['a list without end', `spans | where name in (${Array(200_000).fill('"x"').join(',')})`],
    ['an unknown source', 'system.tables | limit 1'],
    ['SQL', "spans | where name == 'x' OR 1=1 --"],
  ])('rejects %s with its position', async (_name, query) => {
    const answer = await ask(query.slice(0, 1_000_000));
    expect(answer.status).toBe(422);
  });

  it('reports every mistake of an invalid query with its position and a suggestion', async () => {
    const answer = await ask('spans | wher duration > 1s | stats n=cuont()');
    expect(answer.json.error.code).toBe('SVC-5001');
    expect(answer.json.error.details[0]).toMatchObject({
      path: 'query',
      code: expect.stringMatching(/^OQL-\d{4}$/),
      span: { start: 8, line: 1, column: 9 },
      suggestion: { edit: { text: 'where' } },
    });
  });

  it.each([
    [{ from: 'now', to: 'now-1h' }, 'SVC-5006'],
    [{ from: 'yesterday' }, 'SVC-5006'],
  ])('rejects the window %j', async (window, code) => {
    expect((await ask('spans | limit 1', window)).json.error.code).toBe(code);
  });

  it('limits a pinned token to its project and environment, whatever it requests', async () => {
    const { data: second } = await user.post(`${user.workspace}/projects`, { name: 'Second' });
    const pinned = testClient(server.base, { bearer: await user.token(['telemetry:query'], { project: second.id }) });
    const question = (more: object) =>
      pinned.post(`${user.workspace}/query`, { query: 'spans | stats n=count()', to: 'now+5m', ...more });
    expect((await question({})).data.rows).toEqual([[0]]);
    expect((await question({ project: user.projectId })).status).toBe(404);
    expect((await pinned.get(`${user.workspace}/traces/${'a'.repeat(32)}`)).status).toBe(404);
  });
});
