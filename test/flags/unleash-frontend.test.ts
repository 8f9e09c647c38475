import { gzipSync } from 'node:zlib';
import { UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

const users = Array.from({ length: 60 }, (_, i) => ({
  targetingKey: `user-${i}`,
  plan: i % 2 === 0 ? 'pro' : 'free',
  version: i % 3 === 0 ? '1.9.0' : '2.1.0',
}));
const origin = 'https://shop.example';

/** The published SDK for browsers, unchanged but for its URL and key, against a running server. */
describe('Unleash SDK for browsers', () => {
  let server: TestServer;
  let user: SignedUp;
  let key: string;
  let url: string;
  const clients: UnleashClient[] = [];

  async function started(more: object = {}): Promise<UnleashClient> {
    const options = { url, clientKey: key, appName: 'shop', disableRefresh: true, metricsInterval: 0, ...more };
    const client = new UnleashClient(options);
    clients.push(client);
    await client.start();
    return client;
  }
  const raw = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(url + path, { ...init, headers: { authorization: key, ...init.headers } });

  beforeAll(async () => {
    server = await startTestServer();
    url = `${server.base}/unleash/api/frontend`;
    user = await signUp(server.base, 'unleash');
    const flags = flagsOf(user);
    for (const name of ['half', 'plan']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const clauses = [
      { attribute: 'plan', op: 'in', values: ['pro'] },
      { attribute: 'version', op: 'semver_gt', values: ['2.0.0'] },
    ];
    await flags.serve('plan', { rules: [{ clauses, variant: 'true' }], fallthrough: { variant: 'false' } });
    const variants = [
      { key: 'blue', value: { hex: '#00f' } },
      { key: 'grey', value: { hex: '#888' } },
    ];
    await flags.create('colour', { kind: 'json', variants, default_variant: 'blue', off_variant: 'grey' });
    await flags.serve('colour', { fallthrough: { variant: 'blue' } });
    key = await user.sdkKey('production', { kind: 'client', allowed_origins: [origin] });
  });
  afterAll(async () => {
    for (const client of clients) client.stop();
    await server?.stop();
  });

  it.each([false, true])('gets the values of OFREP (in a body: %s)', async (usePOSTrequests) => {
    const client = await started({ usePOSTrequests });
    const ofrep = testClient(server.base, { bearer: key });
    for (const { targetingKey, plan, version } of users) {
      await client.updateContext({ userId: targetingKey, properties: { plan, version } });
      for (const flag of ['half', 'plan']) {
        const context = { targetingKey, plan, version };
        const answer = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context });
        expect(client.isEnabled(flag), `${flag} ${targetingKey}`).toBe(answer.json.value);
      }
    }
  });

  it('gets other values as the payload of a variant', async () => {
    const client = await started();
    expect(client.getVariant('colour')).toMatchObject({
      name: 'blue',
      feature_enabled: true,
      payload: { type: 'json', value: '{"hex":"#00f"}' },
    });
    expect(client.getVariant('plan')).toMatchObject({ name: 'disabled', enabled: false });
  });

  it('answers 304 until the flags of the context change', async () => {
    const first = await raw('?userId=user-1');
    const etag = first.headers.get('etag') ?? '';
    const again = { headers: { 'if-none-match': etag } };
    expect((await raw('?userId=user-1', again)).status).toBe(304);
    expect((await raw('/?userId=user-1', again)).status).toBe(304);
    const others = await Promise.all(users.map(({ targetingKey }) => raw(`?userId=${targetingKey}`, again)));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200, 304]));
  });

  it('lets pages of the allowed origins read answers and errors, and no others', async () => {
    const allowed = async (path: string, from: string, init: RequestInit = {}) =>
      (await raw(path, { ...init, headers: { origin: from, 'content-type': 'application/json' } })).headers.get(
        'access-control-allow-origin',
      );
    expect(await allowed('?userId=u', origin)).toBe(origin);
    expect(await allowed('', origin, { method: 'POST', body: '{"context":7}' })).toBe(origin);
    expect(await allowed('?userId=u', 'https://elsewhere.example')).toBe(null);
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Unleash-Connection-Id');
  });

  it('rejects bad requests in the form of Unleash', async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const answer = await raw('', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
      return { status: answer.status, body: await answer.json() };
    };
    const message = expect.stringMatching(/./);
    const json = JSON.stringify({ context: { userId: 'u', properties: { text: 'x'.repeat(1_000_000) } } });
    expect(await send(json)).toEqual({ status: 413, body: { id: message, name: 'BODY_TOO_LARGE', message } });
    expect(await send('{"context":')).toMatchObject({ status: 400, body: { name: 'MALFORMED_BODY' } });
    expect(await send('{"context":[]}')).toMatchObject({ status: 422, body: { name: 'INVALID_INPUT' } });
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, ' ')));
    expect([400, 413]).toContain((await send(bomb, { 'content-encoding': 'gzip' })).status);
    expect((await raw('', { method: 'DELETE' })).status).toBe(405);
    expect((await raw('', { headers: { authorization: 'svc_sdk_wrong' } })).status).toBe(401);
    expect((await raw('', { headers: { authorization: '*:development.0123456789' } })).status).toBe(401);
  });
});
