import { initialize } from 'launchdarkly-node-client-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { openStream } from './sse-client.ts';
import { flagsOf, half } from './support.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };
const origin = 'https://shop.example.com';
const encoded = (context: unknown) => Buffer.from(JSON.stringify(context)).toString('base64url');
const ada = { kind: 'user', key: 'ada', plan: 'pro' };

/** The published client-side SDK, unchanged but for its addresses and key, and requests like those of others. */
describe('LaunchDarkly client-side SDKs', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let serverKey: string;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'launchdarkly-clients');
    flags = flagsOf(user);
    for (const name of ['half', 'plan', 'pattern', 'company', 'nothing']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const pattern = { clauses: [{ attribute: 'plan', op: 'matches', values: ['^p'] }], variant: 'true' };
    await flags.serve('pattern', { rules: [pattern], fallthrough: { variant: 'false' } });
    const companies = { context_kind: 'organization', attribute: 'targetingKey', op: 'in', values: ['acme'] };
    await flags.serve('company', {
      rules: [{ clauses: [companies], variant: 'true' }],
      fallthrough: { variant: 'false' },
    });
    await flags.serve('nothing', { enabled: false, off_variant: null });
    key = await user.sdkKey('production', { kind: 'client', allowed_origins: [origin] });
    serverKey = await user.sdkKey();
  });
  afterAll(() => server?.stop());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.base + path, { headers });
  const values = async (context: unknown, query = '') => {
    const answer = await get(`/sdk/evalx/${key}/contexts/${encoded(context)}${query}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, { value: unknown; variation: number | null; reason?: object }>;
  };

  it.each([false, true])(
    'gives the SDK the values of OFREP and changes through its stream, useReport: %s',
    async (useReport) => {
      const plan = { clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' };
      await flags.serve('plan', { rules: [plan], fallthrough: { variant: 'false' } });
      const at = server.base;
      const client = initialize(key, ada, {
        ...{ baseUrl: at, streamUrl: at, eventsUrl: at, streaming: true, useReport },
        ...{ sendEvents: false, diagnosticOptOut: true, logger: silent },
      });
      await client.waitForInitialization(10);
      const ofrep = testClient(server.base, { bearer: key });
      for (let i = 0; i < 20; i++) {
        await client.identify({ ...ada, key: `user-${i}`, plan: i % 2 ? 'pro' : 'free' });
        for (const flag of ['half', 'plan', 'pattern']) {
          const context = { targetingKey: `user-${i}`, plan: i % 2 ? 'pro' : 'free' };
          const answer = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context });
          expect(client.variation(flag, null), `${flag} user-${i}`).toBe(answer.json.value);
        }
      }
      expect(client.variation('nothing', 'default')).toBe('default');
      expect(client.variation('plan', null)).toBe(true);
      await flags.serve('plan', { enabled: false, off_variant: 'false' });
      await until(async () => client.variation('plan', null) === false);
      await client.close();
    },
  );

  it('reads the user at the top of a context of several kinds, and the others by their names', async () => {
    const organization = { key: 'acme' };
    const multi = await values({ kind: 'multi', user: { key: 'ada', plan: 'pro' }, organization });
    expect([multi.pattern?.value, multi.company?.value]).toEqual([true, true]);
    const alone = await values({ kind: 'organization', key: 'acme', plan: 'pro' });
    expect([alone.pattern?.value, alone.company?.value, alone.half?.value]).toEqual([false, true, null]);
    const former = await values({ key: 'ada', custom: { plan: 'pro' } });
    expect([former.pattern?.value, former.half?.value]).toEqual([true, multi.half?.value]);
  });

  it('says why, if asked', async () => {
    const { pattern, nothing } = await values(ada, '?withReasons=true&h=abc');
    expect(pattern?.reason).toMatchObject({ kind: 'RULE_MATCH', ruleIndex: 0 });
    expect(nothing).toMatchObject({ value: null, variation: null, reason: { kind: 'OFF' } });
    expect((await values(ada)).pattern).not.toHaveProperty('reason');
  });

  it('streams the value that has changed, its removal, and every value if several may have changed', async () => {
    await flags.create('parent');
    await flags.create('child');
    await flags.serve('parent');
    await flags.serve('child');
    const stream = await openStream(`${server.base}/meval/${encoded(ada)}`, { authorization: key });
    const next = async () => {
      const { event, data } = await stream.next();
      return { event, ...(JSON.parse(data) as Record<string, unknown>) };
    };
    const hide = async (client_visible: boolean) => {
      const answer = await user.patch(`${user.project}/flags/parent`, { client_visible });
      expect(answer.status, answer.text).toBe(200);
    };
    try {
      expect(await next()).toMatchObject({ event: 'put', parent: { value: true } });
      await flags.serve('parent', { enabled: false, off_variant: 'false' });
      expect(await next()).toMatchObject({ event: 'patch', key: 'parent', value: false, variation: 1 });
      await hide(false);
      expect(await next()).toMatchObject({ event: 'delete', key: 'parent' });
      // A hidden flag changes nothing here, and a flag that is new needs every value.
      await flags.serve('parent');
      await hide(true);
      expect(await next()).toMatchObject({ event: 'put', parent: { value: true }, child: { value: true } });
      const needed = { prerequisites: [{ flag: 'parent', variants: ['true'] }] };
      const answer = await user.put(`${user.project}/flags/child/prerequisites`, needed);
      expect(answer.status, answer.text).toBe(200);
      expect(await next()).toMatchObject({ event: 'patch', key: 'child', value: true });
      await flags.serve('parent', { enabled: false, off_variant: 'false' });
      expect(await next()).toMatchObject({ event: 'put', parent: { value: false }, child: { value: false } });
    } finally {
      stream.close();
    }
  });

  it('answers mobile applications, whose key is a header, and REPORT', async () => {
    const headers = { authorization: key, 'content-type': 'application/json' };
    const wanted = await values(ada);
    const mobile = await get(`/msdk/evalx/contexts/${encoded(ada)}`, headers);
    expect(await mobile.json()).toEqual(wanted);
    const body = JSON.stringify(ada);
    for (const path of ['/msdk/evalx/context', `/sdk/evalx/${key}/context`])
      for (const method of ['REPORT', 'POST'])
        expect(await (await fetch(server.base + path, { method, headers, body })).json(), `${method} ${path}`).toEqual(
          wanted,
        );
    const stream = await get(`/meval/${encoded(ada)}?seconds=0`, headers);
    expect(await stream.text()).toContain(`event: put\ndata: ${JSON.stringify(wanted)}`);
    expect(await (await get(`/sdk/goals/${key}`)).json()).toEqual([]);
  });

  it('answers 304 to a tag of the same context and version', async () => {
    const path = `/sdk/evalx/${key}/contexts/${encoded(ada)}`;
    const tag = (await get(path)).headers.get('etag') ?? '';
    expect((await get(path, { 'if-none-match': tag })).status).toBe(304);
    const other = `/sdk/evalx/${key}/contexts/${encoded({ ...ada, key: 'eve' })}`;
    expect((await get(other, { 'if-none-match': tag })).status).toBe(200);
  });

  it('lets only pages of the origins of the key read', async () => {
    const path = `/sdk/evalx/${key}/contexts/${encoded(ada)}`;
    const readable = async (from: string) =>
      (await get(path, { origin: from })).headers.get('access-control-allow-origin');
    expect(await readable(origin)).toBe(origin);
    expect(await readable('https://elsewhere.example.com')).toBeNull();
    const preflight = await fetch(`${server.base}/events/bulk/${key}`, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-LaunchDarkly-Event-Schema');
  });

  it('refuses bad contexts, wrong keys and server keys in an address', async () => {
    const status = async (context: string, of = key) => (await get(`/sdk/evalx/${of}/contexts/${context}`)).status;
    const wrong = ['%', 'a*b', 'bm90IEpTT04', encoded([]), encoded({ kind: 'user' }), encoded({ kind: 7, key: 'a' })];
    for (const context of [...wrong, encoded({ kind: 'multi' }), encoded({ kind: 'a b', key: 'a' })])
      expect([400, 404], context).toContain(await status(context));
    expect(await status(encoded(ada), 'svc_sdk_wrong')).toBe(401);
    expect(await status(encoded(ada), serverKey)).toBe(403);
    const large = JSON.stringify({ ...ada, text: 'x'.repeat(1024 * 1024) });
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${server.base}/sdk/evalx/${key}/context`, { method: 'POST', headers, body: large });
    expect(sent.status).toBe(413);
    expect((await fetch(`${server.base}/sdk/evalx/${key}/context`, { method: 'PUT' })).status).toBe(405);
  });
});
