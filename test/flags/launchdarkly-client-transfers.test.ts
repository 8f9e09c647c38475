import { createClient, type LDClient } from '@launchdarkly/js-client-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { NodeEventSource } from './event-source.ts';
import { openStream } from './sse-client.ts';
import { flagsOf, half } from './support.ts';

const origin = 'https://shop.example.com';
const encoded = (context: unknown) => Buffer.from(JSON.stringify(context)).toString('base64url');
const ada = { kind: 'user', key: 'ada', plan: 'pro' };

interface Transfer {
  readonly event: string;
  readonly data: {
    readonly state: string;
    readonly kind: string;
    readonly key: string;
    readonly version: number;
    readonly object: { readonly value: unknown; readonly variation: number | null; readonly reason?: object };
    readonly payloads: readonly { readonly intentCode: string }[];
  };
}

/** The published SDK for browsers with its data system of the second generation, and requests like those of others. */
describe('LaunchDarkly client-side SDKs of the second generation', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let serverKey: string;
  const clients: LDClient[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'launchdarkly-transfers');
    flags = flagsOf(user);
    for (const name of ['half', 'plan', 'nothing']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const plan = { clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' };
    await flags.serve('plan', { rules: [plan], fallthrough: { variant: 'false' } });
    await flags.serve('nothing', { enabled: false, off_variant: null });
    key = await user.sdkKey('production', { kind: 'client', allowed_origins: [origin] });
    serverKey = await user.sdkKey();
  });
  // Browsers have it.
  beforeEach(() => void vi.stubGlobal('EventSource', NodeEventSource));
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    vi.unstubAllGlobals();
  });
  afterAll(() => server?.stop());

  async function start(context: object, streaming: boolean): Promise<LDClient> {
    const at = server.base;
    const client = createClient(key, context as typeof ada, {
      ...{ baseUri: at, streamUri: at, eventsUri: at, streaming, dataSystem: {} },
      ...{ sendEvents: false, diagnosticOptOut: true, fetchGoals: false },
      logger: { error() {}, warn() {}, info() {}, debug() {} },
    });
    clients.push(client);
    await client.start();
    await client.waitForInitialization({ timeout: 10 });
    return client;
  }

  it('get the values of OFREP', async () => {
    const ofrep = testClient(server.base, { bearer: key });
    const fetched = vi.spyOn(globalThis, 'fetch');
    const client = await start(ada, false);
    const asked = fetched.mock.calls.map(([url]) => new URL(String(url)).pathname.replace(/[^/]*$/, ''));
    expect(new Set(asked)).toEqual(new Set(['/sdk/poll/eval/']));
    fetched.mockRestore();
    for (let i = 0; i < 20; i++) {
      const attributes = { plan: i % 2 ? 'pro' : 'free' };
      await client.identify({ kind: 'user', key: `user-${i}`, ...attributes });
      for (const flag of ['half', 'plan']) {
        const context = { targetingKey: `user-${i}`, ...attributes };
        const { json } = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context });
        expect(client.variation(flag, null), `${flag} user-${i}`).toBe(json.value);
      }
    }
    expect(client.variation('nothing', 'default')).toBe('default');
  });

  it('receive changes through a stream', async () => {
    await flags.create('streamed');
    await flags.serve('streamed');
    const client = await start(ada, true);
    expect(client.variation('streamed', null)).toBe(true);
    const opened: string[] = [];
    client.on('change:streamed', () => opened.push('changed'));
    await until(async () => {
      await flags.serve('streamed', { enabled: false, off_variant: 'false' });
      return client.variation('streamed', null) === false;
    });
    await flags.serve('streamed');
    await until(async () => client.variation('streamed', null) === true);
    expect(opened.length).toBeGreaterThanOrEqual(2);
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.base + path, { headers });
  const poll = async (context: unknown, query = '') => {
    const answer = await get(`/sdk/poll/eval/${encoded(context)}?auth=${key}${query}`);
    expect(answer.status, await answer.clone().text()).toBe(200);
    return ((await answer.json()) as { events: Transfer[] }).events;
  };
  const stateOf = (events: readonly Transfer[]) => events.at(-1)?.data.state ?? '';
  const valuesOf = (events: readonly Transfer[]) =>
    new Map(events.filter(({ event }) => event === 'put-object').map(({ data }) => [data.key, data]));

  it('get a whole transfer, and nothing if they have it', async () => {
    const events = await poll(ada, '&withReasons=true');
    expect(events[0]).toMatchObject({ event: 'server-intent', data: { payloads: [{ intentCode: 'xfer-full' }] } });
    expect(events.at(-1)).toMatchObject({ event: 'payload-transferred', data: { version: expect.any(Number) } });
    const plan = valuesOf(events).get('plan');
    expect(plan).toMatchObject({
      ...{ kind: 'flag-eval', version: expect.any(Number) },
      object: { value: true, variation: 0, flagVersion: plan?.version, reason: { kind: 'RULE_MATCH' } },
    });
    expect(plan?.object).not.toHaveProperty('version');
    const again = await poll(ada, `&withReasons=true&basis=${stateOf(events)}`);
    expect(again).toMatchObject([{ event: 'server-intent', data: { payloads: [{ intentCode: 'none' }] } }]);
  });

  it('get everything for another context, whatever they say they have', async () => {
    const basis = stateOf(await poll(ada));
    const other = await poll({ ...ada, plan: 'free' }, `&basis=${basis}`);
    expect(valuesOf(other).get('plan')?.object.value).toBe(false);
    const reasons = await poll(ada, `&withReasons=true&basis=${basis}`);
    expect(valuesOf(reasons).get('plan')?.object.reason).toBeDefined();
  });

  it('get 304 for a tag, which differs with and without a basis', async () => {
    const path = `/sdk/poll/eval/${encoded(ada)}?auth=${key}`;
    const tag = (await get(path)).headers.get('etag') ?? '';
    expect((await get(path, { 'if-none-match': tag })).status).toBe(304);
    const basis = stateOf(await poll(ada));
    expect((await get(`${path}&basis=${basis}`, { 'if-none-match': tag })).status).toBe(200);
  });

  it('get one value after a change of one flag, and everything after a new one', async () => {
    await flags.create('single');
    await flags.serve('single');
    const stream = await openStream(`${server.base}/sdk/stream/eval/${encoded(ada)}?auth=${key}`);
    const first: Transfer[] = [];
    for (let event = ''; event !== 'payload-transferred'; ) {
      const next = await stream.next();
      event = next.event;
      first.push({ event, data: JSON.parse(next.data) });
    }
    expect(first.map(({ event }) => event).slice(0, 2)).toEqual(['server-intent', 'put-object']);
    await flags.serve('single', { enabled: false, off_variant: 'false' });
    const put = await stream.next();
    expect([put.event, JSON.parse(put.data)]).toMatchObject([
      'put-object',
      { kind: 'flag-eval', key: 'single', object: { value: false } },
    ]);
    const done = await stream.next();
    expect(done.event).toBe('payload-transferred');
    expect(JSON.parse(done.data).state).not.toBe(stateOf(first));
    await flags.create('another');
    expect((await stream.next()).event).toBe('server-intent');
    stream.close();
    // A client that has the state of the stream gets nothing at its next start.
    const { state } = JSON.parse(done.data);
    const old = await openStream(`${server.base}/sdk/stream/eval/${encoded(ada)}?auth=${key}&basis=${state}`);
    expect(JSON.parse((await old.next()).data).payloads[0].intentCode).toBe('xfer-full');
    old.close();
    const current = stateOf(await poll(ada));
    const same = await openStream(`${server.base}/sdk/stream/eval/${encoded(ada)}?auth=${key}&basis=${current}`);
    expect(JSON.parse((await same.next()).data).payloads[0].intentCode).toBe('none');
    same.close();
  });

  it('may send the context as a body, and the key as a header', async () => {
    const post = (path: string, headers: Record<string, string>, body: unknown = ada) =>
      fetch(server.base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    for (const [path, headers] of [
      ['/sdk/poll/eval', { authorization: key }],
      ['/sdk/poll/eval', { authorization: serverKey }],
      [`/sdk/poll/eval?auth=${key}`, {}],
    ] as const) {
      const answer = await post(path, headers);
      expect(valuesOf((await answer.json()).events).get('plan')?.object.value).toBe(true);
    }
    const stream = await post('/sdk/stream/eval?seconds=0', { authorization: key });
    expect(await stream.text()).toMatch(/event: server-intent\n.*event: payload-transferred\n/s);
    expect((await post('/sdk/poll/eval', { authorization: key }, { kind: 'multi' })).status).toBe(400);
  });

  it('reject wrong keys, server keys in an address, and malformed contexts', async () => {
    const path = `/sdk/poll/eval/${encoded(ada)}`;
    const statusOf = async (query: string, headers: Record<string, string> = {}, at = path) =>
      (await get(`${at}${query}`, headers)).status;
    expect(await statusOf('')).toBe(401);
    expect(await statusOf('?auth=svc_sdk_wrong')).toBe(401);
    // The key of the address counts.
    expect(await statusOf('?auth=svc_sdk_wrong', { authorization: key })).toBe(401);
    expect(await statusOf(`?auth=${serverKey}`)).toBe(403);
    expect(await statusOf('', { authorization: `Bearer ${await user.token(['flags:read'])}` })).toBe(403);
    expect(await statusOf('', { authorization: key })).toBe(200);
    expect(await statusOf(`?auth=${key}`, {}, '/sdk/poll/eval/!!!')).toBe(400);
    expect(await statusOf(`?auth=${key}&basis=${'x'.repeat(300)}`)).toBe(400);
  });

  it('answer preflights, and let only pages of the origins of the key read', async () => {
    const path = `/sdk/poll/eval/${encoded(ada)}?auth=${key}`;
    const allowed = async (from: string) =>
      (await get(path, { origin: from })).headers.get('access-control-allow-origin');
    expect(await allowed(origin)).toBe(origin);
    expect(await allowed('https://other.example.com')).toBeNull();
    for (const [at, method] of [
      [path, 'GET'],
      ['/sdk/poll/eval', 'POST'],
      [`/sdk/stream/eval/${encoded(ada)}`, 'GET'],
      ['/sdk/stream/eval', 'POST'],
    ] as const) {
      const headers = { origin, 'access-control-request-method': method };
      const answer = await fetch(server.base + at, { method: 'OPTIONS', headers });
      expect([answer.status, answer.headers.get('access-control-allow-methods')], at).toEqual([204, method]);
    }
  });
});
