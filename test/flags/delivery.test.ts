import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SignedUp,
  signUp,
  type TestClient,
  testClient,
  until,
} from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { openStream } from './sse-client.ts';
import { flagsOf } from './support.ts';

describe('delivery of rulesets to SDKs', () => {
  let server: TestServer;
  let user: SignedUp;
  let key: string;
  let sdk: TestClient;
  let flags: ReturnType<typeof flagsOf>;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'delivery');
    key = await user.sdkKey();
    sdk = testClient(server.base, { bearer: key });
    flags = flagsOf(user);
    await flags.create('first');
  });
  afterAll(() => server?.stop());

  const rulesetPath = '/api/v1/sdk/flags/ruleset';
  const streamPath = '/api/v1/sdk/flags/stream';
  const stream = (headers: Record<string, string> = {}, bearer = key) =>
    openStream(server.base + streamPath, { authorization: `Bearer ${bearer}`, ...headers });

  it('tags the ruleset by environment and version, and returns 304 only for that tag', async () => {
    const full = await sdk.get(rulesetPath);
    const tag = full.headers.get('etag') ?? '';
    expect(full.data).toMatchObject({ environment: 'production', project: 'default', segments: {} });
    expect(tag).toMatch(new RegExp(`^"[0-9a-f-]{36}-${full.data.version}"$`));
    expect(full.data.flags.first).toMatchObject({ key: 'first', enabled: false, prerequisites: [] });
    expect((await sdk.get(rulesetPath, { 'if-none-match': tag })).status).toBe(304);
    const other = testClient(server.base, { bearer: await user.sdkKey('development') });
    expect((await other.get(rulesetPath, { 'if-none-match': tag })).status).toBe(200);
    await flags.serve('first');
    const next = await sdk.get(rulesetPath, { 'if-none-match': tag });
    expect([next.status, next.data.version]).toEqual([200, full.data.version + 1]);
  });

  it('lets a client key evaluate, but not read the ruleset or its stream', async () => {
    const client = testClient(server.base, { bearer: await user.sdkKey('production', { kind: 'client' }) });
    expect((await client.post('/api/v1/sdk/flags/evaluate/first', { context: {} })).status).toBe(200);
    expect((await client.get(rulesetPath)).status).toBe(403);
    expect((await client.get(streamPath)).status).toBe(403);
    expect((await testClient(server.base).get(rulesetPath)).status).toBe(401);
    expect((await user.get(streamPath)).status).toBe(401);
  });

  it('starts a stream with the whole ruleset, then sends changes, with the version as id', async () => {
    const events = await stream();
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const put = await events.next('put');
    expect(events.retryMs()).toBeGreaterThanOrEqual(1_000);
    expect(JSON.parse(put.data)).toEqual((await sdk.get(rulesetPath)).data);
    await flags.create('second');
    const created = await events.next('patch');
    expect(JSON.parse(created.data)).toMatchObject({
      version: Number(created.id),
      flags: { second: { enabled: false } },
    });
    await flags.serve('second');
    const served = JSON.parse((await events.next('patch')).data);
    expect(Object.keys(served.flags)).toEqual(['second']);
    await user.post(`${user.project}/segments`, { key: 'streamed', name: 'Streamed', included: ['u'] });
    expect(JSON.parse((await events.next('patch')).data)).toMatchObject({
      flags: {},
      segments: { streamed: { key: 'streamed', included: ['u'] } },
    });
    await user.patch(`${user.project}/flags/second`, { archived: true });
    expect(JSON.parse((await events.next('patch')).data).flags).toEqual({ second: null });
    // A change of another environment is not sent.
    await flags.serve('first', {}, 'development');
    await flags.serve('first', { enabled: false });
    expect(Object.keys(JSON.parse((await events.next('patch')).data).flags)).toEqual(['first']);
    await flags.serve('first');
    events.close();
  });

  it('resumes after the last received event, and starts again if that is too old', async () => {
    const before = await stream();
    const { id } = await before.next('put');
    before.close();
    await flags.serve('first', { enabled: false });
    await flags.serve('first');
    const resumed = await stream({ 'last-event-id': id });
    expect((await resumed.next()).event).toBe('patch');
    const last = await resumed.next();
    expect([last.event, Number(last.id)]).toEqual(['patch', Number(id) + 2]);
    resumed.close();
    const current = await stream({ 'last-event-id': last.id });
    await flags.serve('first', { enabled: false });
    expect(Number((await current.next()).id)).toBe(Number(last.id) + 1);
    current.close();
    for (const strange of ['1', '999999', 'abc']) {
      const anew = await stream({ 'last-event-id': strange });
      expect((await anew.next()).event).toBe('put');
      anew.close();
    }
  });

  it('replaces an event above 512 KiB with where to fetch it', async () => {
    const events = await stream();
    await events.next('put');
    const included = Array.from({ length: 40_000 }, (_, i) => `customer-number-${i}`);
    await user.post(`${user.project}/segments`, { key: 'large', name: 'Large', included });
    const large = await events.next('patch');
    expect(JSON.parse(large.data)).toEqual({ version: Number(large.id), refetch: true });
    events.close();
    const again = await stream();
    expect(JSON.parse((await again.next('put')).data)).toMatchObject({ refetch: true });
    again.close();
    expect((await sdk.get(rulesetPath)).data.segments.large.included).toHaveLength(40_000);
    await user.del(`${user.project}/segments/large`);
  });

  it('ends when its key is revoked', async () => {
    const made = await user.post(`${user.project}/flag-keys`, { environment: 'production' });
    const events = await stream({}, made.data.key);
    await events.next('put');
    expect((await user.del(`/api/v1/tokens/${made.data.id}?workspace=${user.workspaceId}`)).status).toBe(204);
    await events.ended;
    expect((await testClient(server.base, { bearer: made.data.key }).get(streamPath)).status).toBe(401);
  });

  it('disconnects a client that does not read', async () => {
    const open = async () => {
      const metrics = await (await fetch(`${server.base}/internal/metrics`)).text();
      return Number(/^fanion_flag_streams (\d+)$/m.exec(metrics)?.[1]);
    };
    const before = await until(async () => (await open()) === 0 && 'none');
    const call = httpRequest(server.base + streamPath, { headers: { authorization: `Bearer ${key}` } });
    call.on('response', (response) => response.pause().on('error', () => {}));
    call.on('error', () => {});
    call.end();
    await until(async () => (await open()) === 1);
    const variants = (n: number) =>
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ key: name, value: `${n}${'x'.repeat(60_000)}` }));
    await flags.create('heavy', { kind: 'string', variants: variants(0) });
    let n = 0;
    // The kernel's buffers fill first.
    await until(async () => {
      await user.patch(`${user.project}/flags/heavy`, { variants: variants(++n) });
      return (await open()) === 0;
    }, 60_000);
    expect(before).toBe('none');
    call.destroy();
    await user.patch(`${user.project}/flags/heavy`, { archived: true });
  }, 90_000);

  describe('for web clients', () => {
    const bulk = async (client: TestClient, query = '') =>
      (await client.post(`/ofrep/v1/evaluate/flags${query}`, { context: { targetingKey: 'u' } })).json;

    it('names in a bulk answer a stream that signals when to evaluate again', async () => {
      const client = testClient(server.base, { bearer: await user.sdkKey('production', { kind: 'client' }) });
      const first = await bulk(client);
      const [{ type, endpoint }] = first.eventStreams;
      expect(type).toBe('sse');
      expect((await bulk(client)).eventStreams).toEqual(first.eventStreams);
      const events = await openStream(server.base + endpoint.requestUri);
      expect(events.headers.get('access-control-allow-origin')).toBe('*');
      await flags.serve('first', { fallthrough: { variant: 'false' } });
      const event = await until(async () => {
        const next = await events.next('message');
        return JSON.parse(next.data).etag !== undefined && JSON.parse(next.data);
      });
      expect(event).toEqual({ type: 'refetchEvaluation', etag: expect.stringMatching(/^"[0-9a-f-]{36}-\d+"$/) });
      const query = `?flagConfigEtag=${encodeURIComponent(event.etag)}`;
      expect((await bulk(client, query)).metadata.version).toBe(event.etag.slice(38, -1));
      events.close();
    });

    it('rejects a forged or truncated ticket', async () => {
      const { eventStreams } = await bulk(sdk);
      const { requestUri } = eventStreams[0].endpoint;
      expect((await testClient(server.base).get(requestUri.slice(0, -3))).status).toBe(401);
      expect(
        (await testClient(server.base).get(`/ofrep/v1/events?token=${Buffer.from('a.b.9e15').toString('base64url')}.x`))
          .status,
      ).toBe(401);
      const without = await testClient(server.base).get('/ofrep/v1/events');
      expect(without.status).toBe(400);
      // Thousands of pages may share a proxy's address, so no limit per address applies.
      expect(without.headers.has('x-ratelimit-limit')).toBe(false);
    });
  });

  it('ends its streams at once on shutdown and asks clients to reconnect later', async () => {
    const other = await startTestServer({});
    const owner = await signUp(other.base, 'stopping');
    const events = await openStream(other.base + streamPath, { authorization: `Bearer ${await owner.sdkKey()}` });
    await events.next('put');
    const first = events.retryMs();
    await other.stop();
    await events.ended;
    expect(events.retryMs()).not.toBe(first);
  });
});
