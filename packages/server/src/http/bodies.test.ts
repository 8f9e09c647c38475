import { connect } from 'node:net';
import { allRoutes, bodyLimits } from '@fanion/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type SignedUp, signUp, testClient } from '../testing/test-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { createBodyBudgets } from './body-budgets.ts';
import { checkBody, hasMoreCommas, hasMoreValues, limitOf, parseJson } from './json-body.ts';

describe('a body', () => {
  let server: TestServer;
  let user: SignedUp;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base);
  });
  afterAll(() => server?.stop());

  /** Sends the head of a request and no byte of its body; resolves with the status of the answer. */
  async function headAlone(method: string, path: string, length: number, more = ''): Promise<number> {
    const { port } = new URL(server.base);
    const socket = connect(Number(port), '127.0.0.1');
    try {
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`,
      );
      for await (const chunk of socket) return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1]);
      return 0;
    } finally {
      socket.destroy();
    }
  }

  const withBodies = allRoutes.filter(
    ({ method, body, auth, bodies }) =>
      method !== 'GET' && !(body instanceof z.ZodUndefined) && auth !== 'public' && bodies === 'envelope',
  );
  it.each(withBodies.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'of %s is not waited for without a credential',
    async (_, { method, prefix, path }) => {
      expect(await headAlone(method, prefix + path.replaceAll(/\{\w+\}/g, 'x'), 1_000)).toBe(401);
    },
  );

  it('of an evaluation is not waited for without a key', async () => {
    for (const path of ['/ofrep/v1/evaluate/flags/x', '/ofrep/v1/evaluate/flags', '/api/v1/sdk/flags/evaluate'])
      expect(await headAlone('POST', path, 100_000)).toBe(401);
  });

  it('of an evaluation may have 64 KiB with a client key, 256 KiB with a server key, and 5,000 values', async () => {
    const keys = { client: await user.sdkKey('production', { kind: 'client' }), server: await user.sdkKey() };
    const statusOf = async (kind: keyof typeof keys, context: unknown) => {
      const sdk = testClient(server.base, { bearer: keys[kind] });
      const answers = [
        await sdk.post('/ofrep/v1/evaluate/flags', { context }),
        await sdk.post('/api/v1/sdk/flags/evaluate', { context }),
      ];
      expect(answers[0]?.status === 400 ? 422 : answers[0]?.status).toBe(answers[1]?.status);
      return answers[1]?.status;
    };
    const text = (kib: number) => ({ targetingKey: 'u', text: 'x'.repeat(kib * 1024) });
    expect(await statusOf('client', text(63))).toBe(200);
    expect(await statusOf('client', text(65))).toBe(413);
    expect(await statusOf('server', text(255))).toBe(200);
    expect(await statusOf('server', text(257))).toBe(413);
    expect(await statusOf('client', { list: Array(4_900).fill(0) })).toBe(200);
    expect(await statusOf('client', { list: Array(5_100).fill(0) })).toBe(422);
  });

  it('is not waited for where no route is', async () => {
    expect(await headAlone('POST', '/api/v1/nowhere', 7_000_000)).toBe(404);
    expect(await headAlone('PUT', '/api/v1/auth/login', 7_000_000)).toBe(405);
  });

  it('is not waited for without the permission, or in the workspace of somebody else', async () => {
    const token = await user.token(['flags:read']);
    const head = (secret: string) => `Authorization: Bearer ${secret}\r\n`;
    expect(await headAlone('POST', `${user.project}/flags`, 7_000_000, head(token))).toBe(403);
    const other = await (await signUp(server.base)).token(['flags:write']);
    expect(await headAlone('POST', `${user.project}/flags`, 7_000_000, head(other))).toBe(404);
  });

  it('of 7 MB of small objects gets 413 from every route that anybody may call', async () => {
    const body = `[${'{"a":1},'.repeat(900_000)}0]`;
    const anybody = testClient(server.base);
    for (const path of ['/api/v1/auth/login', '/api/v1/auth/signup', '/api/v1/invitations/x/accept']) {
      const answer = await anybody.post(path, body);
      expect([answer.status, answer.json.error.code]).toEqual([413, 'SVC-1006']);
    }
  });

  it('that is rejected unread leaves the connection usable for the client', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => testClient(server.base).post(`${user.project}/flags`, 'x'.repeat(3 << 20))),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it('of more than 64 KiB is read in the thread with the same answers, where the route accepts it', async () => {
    const grafana = (panels: unknown[]) => ({ grafana: { title: 'Large', panels } });
    const texts = Array.from({ length: 2_000 }, (_, id) => ({
      id,
      type: 'text',
      options: { content: 'x'.repeat(20) },
    }));
    const path = `${user.workspace}/dashboards/convert`;
    const converted = await user.post(path, grafana(texts));
    expect([converted.status, converted.data.report.length]).toEqual([200, 201]);
    const wrong = await user.post(path, { ...grafana(texts), other: true });
    expect([wrong.status, wrong.json.error.code, wrong.json.error.details[0].message]).toEqual([
      422,
      'SVC-1002',
      'Unrecognized key: "other"',
    ]);
    const many = Array.from({ length: 80_000 }, (_, id) => ({ id, type: 'text', options: { content: 'x' } }));
    const bomb = await user.post(path, grafana(many));
    expect([bomb.status, bomb.json.error.code]).toEqual([413, 'SVC-1026']);
    expect((await user.post(path, `{"grafana":${'['.repeat(70_000)}`)).json.error.code).toBe('SVC-1001');
    expect((await user.post(path, `{"grafana":{"a":${'['.repeat(7e4)}${']'.repeat(7e4)}}}`)).json.error.code).toMatch(
      /SVC-1001|SVC-1023/,
    );
    const included = Array.from({ length: 20_000 }, (_, id) => `unit-${id}`);
    const segment = await user.post(`${user.project}/segments`, { key: 'units', name: 'Units', included });
    expect([segment.status, segment.data?.included_count ?? segment.data?.included?.length]).toEqual([201, 20_000]);
  });

  it('that the thread reads takes its version from If-Match', async () => {
    const key = 'matched';
    const made = await user.post(`${user.project}/flags`, { key, name: 'Matched', kind: 'boolean' });
    expect(made.status, made.text).toBe(201);
    const path = `${user.project}/environments/production/flags/${key}`;
    const { version } = (await user.get(path)).data;
    const values = Array.from({ length: 8_000 }, (_, id) => `unit-${id}`);
    const targeting = {
      ...{ enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, rules: [] },
      targets: [{ variant: 'true', values }],
    };
    expect(JSON.stringify(targeting).length).toBeGreaterThan(64 * 1024);
    const put = (tag: string, more = {}) => user.put(path, { ...targeting, ...more }, { 'if-match': tag });
    const first = await put(`"${version}"`);
    expect([first.status, first.data?.version]).toEqual([200, version + 1]);
    expect((await put(`"${version}"`)).status).toBe(409);
    expect((await put(`"${version + 1}"`, { version })).status).toBe(422);
    expect((await put('W/"1"')).status).toBe(422);
    const none = await user.put(path, targeting);
    expect([none.status, none.json.error.details[0].path]).toEqual([422, 'version']);
    expect((await user.get(path)).data.version).toBe(version + 1);
  });

  it.each([
    ['is refused', () => '', 401],
    ['is accepted', () => `Cookie: ${user.cookie}\r\nSec-Fetch-Site: same-origin\r\n`, 201],
  ])('of a client that expects 100 Continue %s', async (_, credential, expected) => {
    const { port } = new URL(server.base);
    const body = JSON.stringify({ key: 'continued', name: 'Continued', kind: 'boolean' });
    const head = [
      `POST ${user.project}/flags HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Expect: 100-continue',
      credential(),
    ];
    const socket = connect(Number(port), '127.0.0.1');
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    socket.write(`${head.join('\r\n')}\r\n`);
    let text = '';
    for await (const chunk of socket) {
      // The client sends its body when it is told to, and another request after the answer.
      if (text === '') socket.write(body + next);
      text += chunk;
    }
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([100, expected, 200]);
  });

  it('is checked again after it has arrived, if access was revoked meanwhile', async () => {
    const token = await user.token(['flags:write', 'tokens:write']);
    const { port } = new URL(server.base);
    const socket = connect(Number(port), '127.0.0.1');
    const body = JSON.stringify({ key: 'late', name: 'Late', kind: 'boolean' });
    socket.write(
      `POST ${user.project}/flags HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // The head has been read when an answer to a later request has come.
    await user.get('/api/v1/auth/me');
    const { data } = await user.get(`/api/v1/tokens?workspace=${user.workspaceId}`);
    for (const { id } of data) await user.del(`/api/v1/tokens/${id}?workspace=${user.workspaceId}`);
    socket.write(body.slice(5));
    for await (const chunk of socket) {
      expect(String(chunk)).toMatch(/^HTTP\/1\.1 401/);
      break;
    }
    socket.destroy();
  });
});

describe('the shape of a body', () => {
  const login = allRoutes.find(({ id }) => id === 'auth.login');
  const data = allRoutes.find(({ id }) => id === 'dashboards.data');
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const limit = bodyLimits.ordinary;

  it('has a limit of values, of members and of depth', () => {
    expect(() => parseJson(bytes(Array(limit.values).fill(0)), limit)).toThrow('more than 5000 values');
    expect(parseJson(bytes(Array(limit.values - 1).fill(0)), limit)).toHaveLength(limit.values - 1);
    const members = Object.fromEntries(Array.from({ length: limit.members + 1 }, (_, i) => [`k${i}`, 0]));
    expect(() => parseJson(bytes({ members }), limit)).toThrow('more than 1000 members in one object');
    expect(() => parseJson(Buffer.from('['.repeat(101) + ']'.repeat(101)), limit)).toThrow('more than 100 levels');
    expect(parseJson(Buffer.from('['.repeat(100) + ']'.repeat(100)), limit)).toHaveLength(1);
  });

  it('lists at most 50 problems, however many there are', () => {
    if (data === undefined) throw new Error('no such route');
    const variables = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, {}]));
    try {
      checkBody(data, { variables });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ error: 'INVALID_INPUT' });
      expect((error as { details: unknown[] }).details).toHaveLength(50);
    }
  });

  it.each([
    ['alert_rules.create', { labels: { alertname: 'x' } }, 'labels.alertname', '`alertname` is the name of the rule'],
    ['annotations.create', { text: 'x' }, 'time', 'expected string, received undefined'],
    ['annotations.create', { text: 'x', time: 1.5 }, 'time', 'expected string, received number, or'],
  ])('of %s is told what is wrong with it: %j', (id, body, path, message) => {
    const route = allRoutes.find((one) => one.id === id);
    if (route === undefined) throw new Error('no such route');
    try {
      checkBody(route, body);
      expect.unreachable();
    } catch (error) {
      const { details } = error as { details: { path: string; message: string }[] };
      expect(details.find((one) => one.path === path)?.message).toContain(message);
    }
  });

  it('is limited by the configuration too', () => {
    if (login === undefined) throw new Error('no such route');
    expect(limitOf(login, 65_536).bytes).toBe(16_384);
    expect(limitOf({ bodyLimit: 'bulk' }, 65_536).bytes).toBe(65_536);
  });
});

describe('the commas of a body', () => {
  const more = (text: string, values: number) => hasMoreCommas(Buffer.from(text), values);

  it('are counted outside of strings', () => {
    expect(more('[1,2,3]', 2)).toBe(true);
    expect(more('[1,2,3]', 3)).toBe(false);
    expect(more('[",,,,","\\",,,"]', 2)).toBe(false);
    expect(more('', 0)).toBe(false);
  });

  it('never refuse a body that has no more values than allowed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(20), (value, values) => {
        const text = JSON.stringify(value);
        expect(more(text, values) && !hasMoreValues(value, values)).toBe(false);
      }),
    );
  });
});

describe('the share of one sender', () => {
  const rate = { bytesPerSecond: 100, millisecondsPerSecond: 10 };
  const rates = { anonymous: rate, caller: { bytesPerSecond: 1_000, millisecondsPerSecond: 100 } };

  it('is used up by bytes and by milliseconds, and comes back with time', () => {
    let now = 0;
    const budgets = createBodyBudgets(rates, { now: () => now });
    budgets.spend('address 192.0.2.1', 999, 0);
    expect(budgets.refusal('address 192.0.2.1')).toBeUndefined();
    budgets.spend('address 192.0.2.1', 301, 0);
    expect(budgets.refusal('address 192.0.2.1')).toMatchObject({ error: 'BODIES_LIMITED', retryAfterSeconds: 3 });
    expect(budgets.refusal('address 192.0.2.2')).toBeUndefined();
    budgets.spend('user 1', 5_000, 1_150.5);
    expect(budgets.refusal('user 1')?.retryAfterSeconds).toBe(2);
    now += 3_001;
    expect(budgets.refusal('address 192.0.2.1')).toBeUndefined();
    expect(budgets.refusal('user 1')).toBeUndefined();
  });
});
