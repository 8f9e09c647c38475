import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const page = 'https://shop.example';
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const json = { 'content-type': 'application/json' };
const ada = { kind: 'user', key: 'ada', plan: 'pro', name: 'Größe / ?' };

/** Sends requests on one connection, in one piece, and reads as many answers. */
async function exchange(port: number, requests: readonly Sent[], last: Readonly<Record<string, string>> = {}) {
  const socket = connect(port, '127.0.0.1');
  const text = requests.map(({ method, path, headers, body = '' }) => {
    const all = {
      host: 'x',
      ...headers,
      ...(method !== 'GET' && { 'content-length': Buffer.byteLength(body) }),
      ...last,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  });
  socket.write(text.join(''));
  let bytes = Buffer.alloc(0);
  const answers: Read[] = [];
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (let next = firstOf(bytes); next !== undefined; next = firstOf(bytes)) {
      answers.push(next.answer);
      bytes = bytes.subarray(next.end);
    }
    if (answers.length === requests.length) break;
  }
  socket.destroy();
  return answers;
}

function firstOf(bytes: Buffer): { readonly answer: Read; readonly end: number } | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, head).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const),
  );
  const end = head + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < end) return undefined;
  const { date: _, connection: __, 'keep-alive': ___, ...others } = headers;
  return {
    answer: { status: Number(first.slice(9, 12)), headers: others, body: bytes.toString('utf8', head + 4, end) },
    end,
  };
}

/** Evaluation for SDKs of other products, whose requests are read without Node's parser and the framework where they are plain. */
describe('plain requests of SDKs of other products', () => {
  let server: TestServer;
  let port: number;
  let flagdPort: number;
  let key: string;
  let client: string;

  beforeAll(async () => {
    flagdPort = await freePort();
    server = await startTestServer({ env: { FANION_FLAGD_PORT: String(flagdPort) } });
    port = Number(new URL(server.base).port);
    const user = await signUp(server.base, 'plain-requests');
    const flags = flagsOf(user);
    for (const name of ['half', 'plan', 'address']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const rule = (attribute: string, value: string) => ({
      rules: [{ clauses: [{ attribute, op: 'in', values: [value] }], variant: 'true' }],
      fallthrough: { variant: 'false' },
    });
    await flags.serve('plan', rule('plan', 'pro'));
    await flags.serve('address', rule('remoteAddress', '127.0.0.1'));
    key = await user.sdkKey();
    client = await user.sdkKey('production', { kind: 'client', allowed_origins: [page] });
  });
  afterAll(() => server?.stop());

  /** How many answers to a route were made without the framework, whose answers alone have a duration. */
  async function plainAnswers(route: string): Promise<number> {
    const text = await (await fetch(`${server.base}/internal/metrics`)).text();
    const sum = (start: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(start) && line.includes(`route="${route}"`))
        .reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
    return sum('fanion_http_requests_total') - sum('fanion_http_request_duration_seconds_count');
  }

  const bearer = () => ({ authorization: client });
  const plain: readonly (readonly [name: string, route: string, sent: () => Sent])[] = [
    [
      'values for browsers',
      'launchdarkly.values',
      () => ({ method: 'GET', path: `/sdk/evalx/${client}/contexts/${base64(ada)}` }),
    ],
    [
      'values for browsers with reasons, for a page',
      'launchdarkly.values',
      () => ({
        method: 'GET',
        path: `/sdk/evalx/${client}/contexts/${base64(ada).replace('e', '%65')}?withReasons=true&h=1`,
        headers: { origin: page },
      }),
    ],
    [
      'values for another page',
      'launchdarkly.values',
      () => ({
        method: 'GET',
        path: `/sdk/evalx/${client}/contexts/${base64(ada)}`,
        headers: { origin: 'https://other.example' },
      }),
    ],
    [
      'values for mobile applications',
      'launchdarkly.mobile_values',
      () => ({ method: 'GET', path: `/msdk/evalx/contexts/${base64(ada)}`, headers: bearer() }),
    ],
    [
      'values for mobile applications in a body',
      'launchdarkly.mobile_values_by_body',
      () => ({
        method: 'POST',
        path: '/msdk/evalx/context',
        headers: { ...bearer(), ...json },
        body: JSON.stringify(ada),
      }),
    ],
    [
      'a poll of the second generation',
      'launchdarkly.value_poll',
      () => ({ method: 'GET', path: `/sdk/poll/eval/${base64(ada)}?auth=${client}` }),
    ],
    ['goals', 'launchdarkly.goals', () => ({ method: 'GET', path: `/sdk/goals/${client}` })],
    [
      'toggles',
      'unleash.frontend',
      () => ({
        method: 'GET',
        path: '/unleash/api/frontend?userId=ada&properties%5Bplan%5D=pro&appName=a+b',
        headers: bearer(),
      }),
    ],
    [
      'toggles at the path with a slash',
      'unleash.frontend',
      () => ({ method: 'GET', path: '/unleash/api/frontend/', headers: bearer() }),
    ],
    [
      'toggles for a body',
      'unleash.frontend_post',
      () => ({
        method: 'POST',
        path: '/unleash/api/frontend',
        headers: { ...bearer(), ...json },
        body: '{"context":{"userId":"ada"}}',
      }),
    ],
    [
      'remote evaluation',
      'growthbook.evaluate',
      () => ({
        ...{ method: 'POST', path: `/growthbook/api/eval/${client}` },
        ...{ headers: { 'content-type': 'application/json; charset=utf-8', origin: page } },
        body: '{"attributes":{"id":"ada","plan":"pro"},"forcedFeatures":[["half",false]]}',
      }),
    ],
  ];

  it.each(plain)('get the answer of the framework: %s', async (_, route, sent) => {
    const before = await plainAnswers(route);
    const [first, second] = await exchange(port, [sent(), sent()]);
    expect(await plainAnswers(route)).toBe(before + 2);
    expect(second).toEqual(first);
    const [framework] = await exchange(port, [sent()], { connection: 'close' });
    expect(await plainAnswers(route)).toBe(before + 2);
    expect(first).toEqual(framework);
    expect(first?.status).toBe(200);
    const tag = first?.headers.etag;
    if (tag === undefined) return;
    const again = { ...sent(), headers: { ...sent().headers, 'if-none-match': tag } };
    expect((await exchange(port, [again])).map(({ status, body }) => [status, body])).toEqual([[304, '']]);
  });

  const unusual: readonly (readonly [name: string, status: number, sent: () => Sent])[] = [
    ['an unknown key', 401, () => ({ method: 'GET', path: `/sdk/evalx/svc_sdk_unknown/contexts/${base64(ada)}` })],
    ['a server key in an address', 403, () => ({ method: 'GET', path: `/sdk/evalx/${key}/contexts/${base64(ada)}` })],
    ['no key', 401, () => ({ method: 'GET', path: '/unleash/api/frontend' })],
    ['a context that is no JSON', 400, () => ({ method: 'GET', path: `/msdk/evalx/contexts/e30x`, headers: bearer() })],
    [
      'a path that cannot be decoded',
      404,
      () => ({ method: 'GET', path: '/msdk/evalx/contexts/%zz', headers: bearer() }),
    ],
    ['U+0000 in a path', 404, () => ({ method: 'GET', path: '/msdk/evalx/contexts/%00', headers: bearer() })],
    [
      'a parameter twice',
      400,
      () => ({ method: 'GET', path: `/sdk/poll/eval/${base64(ada)}?auth=${client}&basis=a&basis=a` }),
    ],
    [
      'a body that is no JSON',
      400,
      () => ({ method: 'POST', path: '/unleash/api/frontend', headers: { ...bearer(), ...json }, body: '{' }),
    ],
    [
      'a body of another type',
      415,
      () => ({
        method: 'POST',
        path: '/msdk/evalx/context',
        headers: { ...bearer(), 'content-type': 'text/csv' },
        body: '{}',
      }),
    ],
    ['another method', 405, () => ({ method: 'DELETE', path: '/unleash/api/frontend', headers: bearer() })],
    [
      'a large body',
      200,
      () => ({
        method: 'POST',
        path: '/msdk/evalx/context',
        headers: { ...bearer(), ...json },
        body: JSON.stringify({ ...ada, name: 'a'.repeat(8_000) }),
      }),
    ],
  ];

  it.each(unusual)('are answered by the framework if they are not plain: %s', async (_, status, sent) => {
    const [plainly] = await exchange(port, [sent()]);
    const [framework] = await exchange(port, [sent()], { connection: 'close' });
    expect(plainly?.status).toBe(status);
    const known = ({ headers, body }: Read) => ({
      headers: Object.keys(headers),
      body: body.replace(/"(?:request_)?id":"[^"]+"/, ''),
    });
    expect(plainly && known(plainly)).toEqual(framework && known(framework));
  });

  it("evaluate with the address of Unleash's client, and not with one that it claims", async () => {
    const sent = { method: 'GET', path: '/unleash/api/frontend', headers: bearer() };
    const claimed = { ...sent, headers: { ...bearer(), 'x-forwarded-for': '10.0.0.1' } };
    for (const { body } of await exchange(port, [sent, claimed])) expect(body).toContain('"address"');
    const [other] = await exchange(port, [{ ...sent, path: '/unleash/api/frontend?remoteAddress=10.0.0.1' }]);
    expect(other?.body).not.toContain('"address"');
  });

  const service = '/flagd.evaluation.v1.Service';
  const connects: readonly (readonly [name: string, status: number, sent: () => Sent])[] = [
    [
      'one flag',
      200,
      () => ({
        method: 'POST',
        path: `${service}/ResolveBoolean`,
        body: '{"flagKey":"half","context":{"targetingKey":"ada"}}',
      }),
    ],
    [
      'all flags',
      200,
      () => ({ method: 'POST', path: `${service}/ResolveAll`, body: '{"context":{"targetingKey":"ada"}}' }),
    ],
    [
      'an unknown flag',
      404,
      () => ({ method: 'POST', path: `${service}/ResolveBoolean`, body: '{"flagKey":"unknown"}' }),
    ],
    ['a malformed message', 400, () => ({ method: 'POST', path: `${service}/ResolveAll`, body: '{' })],
  ];

  it.each(connects)('of Connect get the answer of the framework: %s', async (_, status, sent) => {
    const request = { ...sent(), headers: { ...json, 'x-api-key': client, origin: page } };
    const [plainly] = await exchange(flagdPort, [request]);
    const [framework] = await exchange(flagdPort, [request], { connection: 'close' });
    expect(plainly).toEqual(framework);
    expect(plainly?.status).toBe(status);
    expect(plainly?.headers['access-control-allow-origin']).toBe(page);
    const [unknown, same] = await exchange(flagdPort, [
      { ...request, headers: { ...json, 'x-api-key': 'svc_sdk_unknown' } },
      request,
    ]);
    expect(unknown?.status).toBe(401);
    expect(same).toEqual(framework);
  });
});

it('plain requests evaluate with the address that a trusted proxy names', async () => {
  const server = await startTestServer({ env: { FANION_TRUST_PROXY: 'true' } });
  onTestFinished(() => server.stop());
  const user = await signUp(server.base, 'trusted-proxy');
  const flags = flagsOf(user);
  await flags.create('address');
  const clauses = [{ attribute: 'remoteAddress', op: 'in', values: ['10.0.0.1'] }];
  await flags.serve('address', { rules: [{ clauses, variant: 'true' }], fallthrough: { variant: 'false' } });
  const headers = { authorization: await user.sdkKey('production', { kind: 'client' }) };
  const port = Number(new URL(server.base).port);
  const sent = (forwarded: string) => ({
    ...{ method: 'GET', path: '/unleash/api/frontend' },
    headers: { ...headers, 'x-forwarded-for': forwarded },
  });
  const all = ['10.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.2, 10.0.0.1'].map(sent);
  const plainly = await exchange(port, all);
  expect(plainly.map(({ body }) => body.includes('"address"'))).toEqual([true, true, false]);
  for (const [at, one] of all.entries())
    expect(await exchange(port, [one], { connection: 'close' })).toEqual([plainly[at]]);
});
