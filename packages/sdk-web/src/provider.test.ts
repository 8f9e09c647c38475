import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FanionWebProvider } from './provider.ts';
import { startFlagServer } from './testing/flag-server.ts';
import { openPage } from './testing/page.ts';

let server: Awaited<ReturnType<typeof startFlagServer>>;
let events: string[];

beforeEach(async () => {
  server = await startFlagServer();
  events = [];
  for (const event of [ProviderEvents.Stale, ProviderEvents.Ready])
    OpenFeature.addHandler(event, () => events.push(event));
  OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, (details) =>
    events.push(`changed ${String(details?.flagsChanged)}`),
  );
  await OpenFeature.setContext({ targetingKey: 'visitor', plan: 'free' });
});
afterEach(async () => {
  await OpenFeature.clearProviders();
  OpenFeature.clearHandlers();
  server.stop();
  vi.unstubAllGlobals();
});

const start = (options: { pollIntervalMs?: number; streaming?: boolean } = {}) =>
  OpenFeature.setProviderAndWait(
    new FanionWebProvider({ endpoint: `${server.endpoint}/`, clientKey: 'svc_sdk_x', streaming: false, ...options }),
  );
const flags = () => OpenFeature.getClient();

it('answers from memory with the variant, reason and metadata of the server', async () => {
  await start();
  expect(flags().getBooleanDetails('basket', true)).toMatchObject({
    value: false,
    variant: 'false',
    reason: 'TARGETING_MATCH',
    flagMetadata: { flagVersion: 3 },
  });
  expect(server.asked).toEqual([
    { context: { targetingKey: 'visitor', plan: 'free' }, ifNoneMatch: undefined, authorization: 'Bearer svc_sdk_x' },
  ]);
});

it('returns the default of the code, with an error only where there is one', async () => {
  await start();
  const nothing = flags().getStringDetails('nothing', 'mine');
  expect(nothing).toMatchObject({ value: 'mine', reason: 'DEFAULT' });
  expect(nothing.errorCode).toBeUndefined();
  expect(flags().getBooleanDetails('broken', true)).toMatchObject({ value: true, errorCode: 'PARSE_ERROR' });
  expect(flags().getNumberDetails('basket', 7)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' });
  expect(flags().getBooleanDetails('toString', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
});

it('keeps the flags of the latest contexts, and asks again with their tag', async () => {
  await start();
  await OpenFeature.setContext({ targetingKey: 'visitor', plan: 'pro' });
  expect(flags().getBooleanValue('basket', false)).toBe(true);
  await OpenFeature.setContext({ targetingKey: 'visitor', plan: 'free' });
  expect(flags().getBooleanValue('basket', true)).toBe(false);
  expect(server.asked.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, undefined, '"1-free"']);
});

it('polls where no stream is possible, and reports only what has changed', async () => {
  await start({ pollIntervalMs: 20 });
  await vi.waitUntil(() => server.asked.length > 2);
  expect(events).not.toContain('changed basket');
  server.state.values = { free: true };
  server.state.version = 2;
  await vi.waitUntil(() => events.includes('changed basket'));
  expect(flags().getBooleanValue('basket', false)).toBe(true);
});

it('serves the last flags while the server is away, and says that they are stale until it is back', async () => {
  await start({ pollIntervalMs: 20 });
  server.state.status = 503;
  await vi.waitUntil(() => events.includes(ProviderEvents.Stale));
  expect(flags().getBooleanDetails('basket', true)).toMatchObject({ value: false, variant: 'false' });
  events = [];
  server.state.status = 200;
  await vi.waitUntil(() => events.includes(ProviderEvents.Ready));
});

it('never serves the flags of another context', async () => {
  await start({ pollIntervalMs: 20 });
  server.state.status = 503;
  await OpenFeature.setContext({ targetingKey: 'other', plan: 'pro' }).catch(() => {});
  expect(flags().getBooleanDetails('basket', false).value).toBe(false);
  server.state.status = 200;
  await vi.waitUntil(() => flags().getBooleanValue('basket', false));
});

it('starts by itself when the server comes back, and gives up with a rejected key', async () => {
  server.state.status = 503;
  await expect(start({ pollIntervalMs: 20 })).rejects.toThrow('the server could not answer (503): not now');
  server.state.status = 200;
  await vi.waitUntil(() => events.includes(ProviderEvents.Ready));
  server.state.status = 401;
  await expect(start({ pollIntervalMs: 20 })).rejects.toThrow('the server does not accept this key (401)');
  expect(flags().providerStatus).toBe('FATAL');
});

/** Starts with a stream. The server answers requests that arrive after `hold()` only after `release()`. */
async function startStreaming() {
  server.state.inactivityDelaySec = 120;
  const page = openPage();
  await start({ streaming: true });
  let release = () => {};
  return {
    page,
    hold() {
      server.state.heldUntil = new Promise((resolve) => {
        release = resolve;
      });
    },
    /** Until the answers that were held have arrived. */
    async release() {
      server.state.heldUntil = undefined;
      release();
      await vi.waitUntil(() => server.answered.length === server.asked.length);
    },
    /** Announces a change, and waits until the server has the request. */
    async change(free: unknown) {
      server.state.version++;
      server.state.values = { free, pro: free };
      const before = server.asked.length;
      page.announceChange();
      await vi.waitUntil(() => server.asked.length > before);
    },
  };
}
const basket = () => flags().getStringValue('basket', 'none');

it('ignores the late answer to a request before the held flags', async () => {
  const { hold, release, change } = await startStreaming();
  hold();
  await change('old');
  server.state.heldUntil = undefined;
  await change('new');
  await vi.waitUntil(() => basket() === 'new');
  await release();
  await change('newest');
  await vi.waitUntil(() => basket() === 'newest');
  expect(events.filter((event) => event === 'changed basket')).toHaveLength(2);
});

it('ignores the late failure of a request before the held flags', async () => {
  const { hold, release, change } = await startStreaming();
  hold();
  server.state.status = 503;
  await change('old');
  server.state.heldUntil = undefined;
  server.state.status = 200;
  await change('new');
  await vi.waitUntil(() => basket() === 'new');
  await release();
  await change('newest');
  await vi.waitUntil(() => basket() === 'newest');
  expect(events).not.toContain(ProviderEvents.Stale);
});

it('keeps newer flags of a context when the first answer for it is late', async () => {
  const { hold, release, change } = await startStreaming();
  hold();
  const switched = OpenFeature.setContext({ targetingKey: 'visitor', plan: 'pro' });
  await vi.waitUntil(() => server.asked.length === 2);
  server.state.heldUntil = undefined;
  await change('new');
  await vi.waitUntil(() => events.includes('changed basket'));
  await release();
  await switched;
  expect(basket()).toBe('new');
});

it('reports a change once when two requests return it', async () => {
  const { page, hold, release, change } = await startStreaming();
  hold();
  await change('new');
  page.announceChange();
  await vi.waitUntil(() => server.asked.length === 3);
  await release();
  await change('newest');
  await vi.waitUntil(() => basket() === 'newest');
  expect(events.filter((event) => event === 'changed basket')).toHaveLength(2);
});

it('reports stale flags again after a change of context ended the first time', async () => {
  const { change } = await startStreaming();
  server.state.status = 503;
  server.state.retryAfter = 300;
  await change('new');
  await vi.waitUntil(() => events.includes(ProviderEvents.Stale));
  server.state.status = 200;
  await OpenFeature.setContext({ targetingKey: 'visitor', plan: 'pro' });
  expect(flags().providerStatus).toBe('READY');
  events = [];
  server.state.status = 503;
  await change('newer');
  await vi.waitUntil(() => events.includes(ProviderEvents.Stale));
});

it('gives up when its key is revoked later', async () => {
  const errors: unknown[] = [];
  OpenFeature.addHandler(ProviderEvents.Error, (details) => errors.push(details));
  await start({ pollIntervalMs: 20 });
  server.state.status = 401;
  await vi.waitUntil(() => errors.length > 0);
  expect(errors).toMatchObject([
    { errorCode: 'PROVIDER_FATAL', message: 'the server does not accept this key (401): not now' },
  ]);
  expect(flags().providerStatus).toBe('FATAL');
  expect(events).not.toContain(ProviderEvents.Stale);
  // Another provider polls as often, so the first one had the time to.
  server.state.status = 200;
  const requestsOf = (key: string) => server.asked.filter(({ authorization }) => authorization === `Bearer ${key}`);
  const before = requestsOf('svc_sdk_x').length;
  const other = { endpoint: server.endpoint, clientKey: 'svc_sdk_other', streaming: false, pollIntervalMs: 20 };
  await OpenFeature.setProviderAndWait('other', new FanionWebProvider(other));
  await vi.waitUntil(() => requestsOf('svc_sdk_other').length > 4);
  expect(requestsOf('svc_sdk_x')).toHaveLength(before);
});

it('closes the stream of a hidden page, polls, and opens a stream only when the page is visible again', async () => {
  server.state.inactivityDelaySec = 0;
  const page = openPage();
  await start({ pollIntervalMs: 20, streaming: true });
  expect(page.openStreams()).toHaveLength(1);
  page.show('hidden');
  await vi.waitUntil(() => page.openStreams().length === 0);
  const before = server.answered.length;
  await vi.waitUntil(() => server.answered.length > before + 2);
  expect(page.streams).toHaveLength(1);
  page.show('visible');
  await vi.waitUntil(() => page.openStreams().length === 1);
});

it('opens no stream for a page that starts hidden until it is visible', async () => {
  server.state.inactivityDelaySec = 120;
  const page = openPage('hidden');
  await start({ streaming: true });
  expect(page.streams).toHaveLength(0);
  page.show('visible');
  await vi.waitUntil(() => page.openStreams().length === 1);
});

it.each([
  [{ endpoint: 'shop' }, 'endpoint has to be an http(s) URL, not "shop"'],
  [{ clientKey: '' }, 'clientKey is needed'],
  [{ pollIntervalMs: 0 }, 'pollIntervalMs has to be a number above 0'],
])('rejects %o', (wrong, message) => {
  const options = { endpoint: 'http://localhost', clientKey: 'k', ...wrong };
  expect(() => new FanionWebProvider(options)).toThrow(message);
});
