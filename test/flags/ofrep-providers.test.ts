import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as ServerOpenFeature } from '@openfeature/server-sdk';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkOfrep } from '../../packages/server/src/testing/ofrep-schema.ts';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { NodeEventSource } from './event-source.ts';
import { flagsOf, half } from './support.ts';

/** The published providers, unchanged, against a running server; each response is checked against the protocol. */
describe('stock OFREP providers', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  const seen: { url: string; status: number }[] = [];
  const opened: string[] = [];

  /** The platform's `fetch`, which also checks the responses. */
  const watched: typeof fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : String(input));
    const text = await response.clone().text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    checkOfrep(pathname.endsWith('/flags') ? 'bulk' : 'single', { ...read(response), json });
    seen.push({ url: pathname, status: response.status });
    return response;
  };
  const read = ({ status, headers }: Response) => ({ status, headers });

  beforeAll(async () => {
    vi.stubGlobal(
      'EventSource',
      class extends NodeEventSource {
        constructor(url: string | URL) {
          super(url);
          opened.push(this.url);
        }
      },
    );
    server = await startTestServer();
    user = await signUp(server.base, 'providers');
    flags = flagsOf(user);
    await flags.create('simple');
    await flags.create('text', {
      kind: 'string',
      variants: [
        { key: 'hello', value: 'hëllo' },
        { key: 'bye', value: 'bye' },
      ],
    });
    await flags.create('split');
    await turn(false);
    await flags.serve('text', { fallthrough: { variant: 'hello' } });
    await flags.serve('split', { fallthrough: { rollout: { weights: half } } });
    await flags.create('undecided', { kind: 'boolean', off_variant: null });
  });
  afterEach(async () => {
    await OpenFeature.clearProviders();
    await ServerOpenFeature.clearProviders();
    seen.length = 0;
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await server?.stop();
  });

  /** On for `pro`, and for others as given. */
  const turn = (on: boolean) =>
    flags.serve('simple', {
      rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
      fallthrough: { variant: String(on) },
    });

  it('of servers: values, reasons, metadata and errors of single flags', async () => {
    const headers: [string, string][] = [['Authorization', `Bearer ${await user.sdkKey()}`]];
    await ServerOpenFeature.setProviderAndWait(
      new OFREPProvider({ baseUrl: server.base, fetchImplementation: watched, headers }),
    );
    const client = ServerOpenFeature.getClient();
    const context = { targetingKey: 'u-1', plan: 'pro', since: new Date(0), nested: { list: [1, null, 'ä'] } };
    expect(await client.getBooleanDetails('simple', false, context)).toMatchObject({
      value: true,
      variant: 'true',
      reason: 'TARGETING_MATCH',
      flagMetadata: { flagVersion: expect.any(Number), contextId: 'u-1', flagSetId: 'default/production' },
    });
    expect(await client.getStringValue('text', '', context)).toBe('hëllo');
    expect(await client.getBooleanDetails('missing', true, context)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(await client.getBooleanDetails('split', true, {})).toMatchObject({ errorCode: 'TARGETING_KEY_MISSING' });
    expect(await client.getBooleanDetails('text', true, context)).toMatchObject({ errorCode: 'TYPE_MISMATCH' });
    // Nothing is served, so the caller's default applies. This provider reports it as an error.
    expect(await client.getBooleanValue('undecided', true, context)).toBe(true);
    expect(await client.getBooleanValue('undecided', false, context)).toBe(false);
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 404, 400, 200, 200, 200]);
  });

  async function web(options: { changeDetection: 'sse' | 'polling' | 'none'; pollInterval?: number }) {
    const key = await user.sdkKey('production', { kind: 'client' });
    const provider = new OFREPWebProvider({
      baseUrl: server.base,
      fetchImplementation: watched,
      headers: [['Authorization', `Bearer ${key}`]],
      cacheMode: 'disabled',
      ...options,
    });
    await OpenFeature.setContext({ targetingKey: 'page-1', plan: 'free' });
    await OpenFeature.setProviderAndWait(provider);
    return OpenFeature.getClient();
  }

  it('of pages: all flags at once, then again for another context', async () => {
    await turn(false);
    const client = await web({ changeDetection: 'none' });
    expect(client.getBooleanDetails('simple', true)).toMatchObject({ value: false, reason: 'DEFAULT' });
    expect(client.getStringValue('text', '')).toBe('hëllo');
    expect(client.getBooleanDetails('missing', true)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
    expect([client.getBooleanValue('undecided', true), client.getBooleanValue('undecided', false)]).toEqual([
      true,
      false,
    ]);
    await OpenFeature.setContext({ targetingKey: 'page-2', plan: 'pro' });
    expect(client.getBooleanDetails('simple', false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect(seen.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('of pages: polling shows a change, and unchanged answers are not sent', async () => {
    await turn(false);
    const client = await web({ changeDetection: 'polling', pollInterval: 50 });
    const changed = new Promise((resolve) => client.addHandler(ProviderEvents.ConfigurationChanged, resolve));
    await until(async () => seen.filter(({ status }) => status === 304).length > 1);
    await turn(true);
    await changed;
    expect(client.getBooleanValue('simple', false)).toBe(true);
  });

  it('of pages: the event stream delivers a change without polling', async () => {
    await turn(false);
    opened.length = 0;
    const client = await web({ changeDetection: 'sse' });
    await until(async () => opened.length === 1);
    expect(opened[0]).toMatch(new RegExp(`^${server.base}/ofrep/v1/events\\?token=`));
    expect(client.getBooleanValue('simple', true)).toBe(false);
    const changed = new Promise((resolve) => client.addHandler(ProviderEvents.ConfigurationChanged, resolve));
    await turn(true);
    await changed;
    expect(client.getBooleanValue('simple', false)).toBe(true);
    // Once for the start and once for the event, or for the gap between them; no polling.
    expect(seen.length).toBeLessThanOrEqual(3);
  });
});
