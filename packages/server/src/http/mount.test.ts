import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

describe('the edge of the API', () => {
  let server: TestServer;
  let user: SignedUp;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
  });
  afterAll(() => server?.stop());

  it.each([
    ['malformed JSON', '{"name": ', 400, 'SVC-1001'],
    ['an unknown field', { name: 'x', nmae: 'y' }, 422, 'SVC-1002'],
    ['a field of the wrong type', { name: 7 }, 422, 'SVC-1002'],
    ['a prototype as a field', '{"name":"x","__proto__":{"admin":true}}', 422, 'SVC-1002'],
    ['text with U+0000', { name: 'a\u0000b' }, 422, 'SVC-1002'],
  ])('rejects %s', async (_name, body, status, code) => {
    const answer = await user.post(`${user.workspace}/projects`, body);
    expect([answer.status, answer.json.error.code], answer.text).toEqual([status, code]);
    expect(answer.json.meta.request_id).toBe(answer.headers.get('x-request-id'));
  });

  it('reports the path of each invalid field', async () => {
    const answer = await user.post(`${user.project}/flags`, { key: 'Bad Key', name: '', kind: 'colour' });
    expect(answer.json.error.details.map(({ path }: { path: string }) => path).sort()).toEqual(['key', 'kind', 'name']);
  });

  it.each([['a%00b'], ['a%ff'], ['..%2f..'], ['%F0%9F%98%80']])(
    'a path with %s is nobody’s workspace',
    async (name) => {
      expect((await user.get(`/api/v1/workspaces/${name}/projects`)).status).toBeGreaterThanOrEqual(400);
      expect((await user.get(`/api/v1/workspaces/${name}/projects`)).status).toBeLessThan(500);
    },
  );

  it('rejects U+0000 in a query, and returns 404 for it in the path of an invitation', async () => {
    expect((await user.get(`${user.workspace}/members?search=a%00`)).json.error.code).toBe('SVC-1003');
    expect((await user.get('/api/v1/services?workspace=%00')).json.error.code).toBe('SVC-1003');
    expect((await user.get(`${user.workspace}/query-history?project=%00`)).json.error.code).toBe('SVC-1003');
    expect((await user.get('/api/v1/invitations/a%00b')).status).toBe(404);
  });

  it('rejects other media types and too large bodies', async () => {
    expect(
      (await user.post(`${user.workspace}/projects`, 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }))
        .json.error.code,
    ).toBe('SVC-1007');
    expect(
      (await user.post(`${user.workspace}/projects`, JSON.stringify({ name: 'x'.repeat(9 << 20) }))).json.error.code,
    ).toBe('SVC-1006');
  });

  it('returns the request id of the client if it is well-formed', async () => {
    expect((await user.get('/api/v1/auth/me', { 'x-request-id': 'mine-42' })).headers.get('x-request-id')).toBe(
      'mine-42',
    );
    expect(
      (await user.get('/api/v1/auth/me', { 'x-request-id': 'no good<script>' })).headers.get('x-request-id'),
    ).not.toContain('script');
  });

  it('returns each row of a paged list once', async () => {
    for (let i = 0; i < 5; i++) await user.post(`${user.workspace}/projects`, { name: `Page ${i}` });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await user.get(`${user.workspace}/projects?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...answer.data.map(({ key }: { key: string }) => key));
      cursor = answer.json.meta.next_cursor;
    }
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen).toEqual(expect.arrayContaining(['default', 'page-0', 'page-4']));
    expect((await user.get(`${user.workspace}/projects?cursor=made-up`)).json.error.code).toBe('SVC-1009');
    expect((await user.get(`${user.workspace}/projects?limit=501`)).json.error.code).toBe('SVC-1003');
    expect((await user.get(`${user.workspace}/projects?limt=5`)).json.error.code).toBe('SVC-1003');
  });

  it.each([
    ['routing policies', () => `${user.workspace}/routing-policies`, 'id'],
    ['permissions', () => '/api/v1/permissions', 'name'],
    ['ready dashboards', () => `${user.workspace}/dashboards/library`, 'key'],
  ])('returns the %s page by page too', async (_name, path, id) => {
    const keys = (answer: { data: Record<string, string>[] }) => answer.data.map((row) => row[id]);
    const all = keys(await user.get(path()));
    expect((await user.get(path())).json.meta.next_cursor).toBeNull();
    const seen: (string | undefined)[] = [];
    for (let cursor: string | null = ''; cursor !== null && seen.length <= all.length; ) {
      const answer = await user.get(`${path()}?limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...keys(answer));
      cursor = answer.json.meta.next_cursor;
    }
    expect(seen).toEqual(all);
    expect((await user.get(`${path()}?cursor=made-up`)).json.error.code).toBe('SVC-1009');
  });

  describe('Idempotency-Key', () => {
    it('replays the response to a repeated request', async () => {
      const send = () => user.post(`${user.workspace}/projects`, { name: 'Once' }, { 'idempotency-key': 'k1' });
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.data).toEqual(first.data);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    });
    it('is scoped to a caller and a request', async () => {
      expect(
        (await user.post(`${user.workspace}/projects`, { name: 'Another' }, { 'idempotency-key': 'k1' })).json.error
          .code,
      ).toBe('SVC-1011');
      const other = await signUp(server.base);
      expect(
        (await other.post(`${other.workspace}/projects`, { name: 'Once' }, { 'idempotency-key': 'k1' })).status,
      ).toBe(201);
    });
    it('does not store a response that contains a secret', async () => {
      const send = () =>
        user.post(
          '/api/v1/tokens',
          { name: 't', permissions: ['flags:read'], project: user.projectId },
          { 'idempotency-key': 'k2' },
        );
      expect((await send()).status).toBe(201);
      const again = await send();
      expect([again.status, again.json.error.code]).toEqual([409, 'SVC-1011']);
    });
    it('allows a rejected request to be sent again', async () => {
      const send = (name: string) => user.post(`${user.workspace}/projects`, { name }, { 'idempotency-key': 'k3' });
      expect((await send('')).status).toBe(422);
      expect((await send('Now valid')).status).toBe(201);
    });
    it('runs one of many simultaneous requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          user.post(`${user.workspace}/projects`, { name: 'Racing' }, { 'idempotency-key': 'k4' }),
        ),
      );
      const keys = answers.filter(({ status }) => status === 201).map(({ data }) => data.key);
      expect(new Set(keys).size).toBe(1);
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    });
  });

  describe('a browser’s session', () => {
    it('cannot make changes from another origin', async () => {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${server.base}.evil.example` },
      ]) {
        const answer = await user.post(`${user.workspace}/projects`, { name: 'Forged' }, headers);
        expect(answer.json.error.code).toBe('SVC-3001');
      }
      const bare = testClient(server.base);
      expect(
        (await bare.post(`${user.workspace}/projects`, { name: 'Forged' }, { cookie: user.cookie })).json.error.code,
      ).toBe('SVC-3001');
      expect(
        (
          await bare.post(
            `${user.workspace}/projects`,
            { name: 'Forged' },
            { cookie: user.cookie, 'sec-fetch-site': 'cross-site' },
          )
        ).json.error.code,
      ).toBe('SVC-3001');
    });
    it('cannot be opened from another origin', async () => {
      const answer = await testClient(server.base).post(
        '/api/v1/auth/login',
        { email: user.email, password: 'x' },
        { origin: 'https://evil.example' },
      );
      expect(answer.json.error.code).toBe('SVC-3001');
    });
  });

  it('sends no CORS headers to other origins', async () => {
    const answer = await user.get('/api/v1/auth/me', { origin: 'https://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
