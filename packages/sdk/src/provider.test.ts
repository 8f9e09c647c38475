import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ruleset } from '@fanion/flag-engine';
import { ErrorCode, OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/server-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FanionProviderOptions } from './options.ts';
import { FanionProvider } from './provider.ts';
import { watchEvents } from './testing/events.ts';
import { type FlagServer, startFlagServer } from './testing/flag-server.ts';
import { booleanFlag, rulesetOf } from './testing/rulesets.ts';

const { ConfigurationChanged, Ready, Stale } = ProviderEvents;
const rulesetPath = '/api/v1/sdk/flags/ruleset';
const streamPath = '/api/v1/sdk/flags/stream';

let server: FlagServer;
let cacheDirectory: string;

beforeEach(async () => {
  server = await startFlagServer(rulesetOf(7, booleanFlag('a', false), booleanFlag('b', true)));
  cacheDirectory = await mkdtemp(join(tmpdir(), 'fanion-sdk-'));
});
afterEach(async () => {
  await OpenFeature.clearProviders();
  await server.stop();
  await rm(cacheDirectory, { recursive: true, force: true });
});

function providerWith(options: Partial<FanionProviderOptions> = {}) {
  const { endpoint, key: sdkKey } = server;
  const provider = new FanionProvider({ endpoint, sdkKey, pollIntervalMs: 20, staleAfterMs: 20, ...options });
  return { provider, events: watchEvents(provider), client: OpenFeature.getClient() };
}

async function started(options: Partial<FanionProviderOptions> = {}) {
  const given = providerWith(options);
  await OpenFeature.setProviderAndWait(given.provider);
  if (options.streaming !== false && server.mood === 'well') await server.until(() => server.streams === 1);
  return given;
}

const patchOf = (version: number, value: boolean) => ({ version, flags: { a: booleanFlag('a', value, version) } });

describe('evaluation', () => {
  const json: Ruleset['flags'][string] = {
    ...booleanFlag('json', true),
    kind: 'json',
    variants: [{ key: 'true', value: { list: [1] } }],
    off_variant: 'true',
  };

  it('returns value, variant, reason and metadata', async () => {
    const { client } = await started();
    expect(await client.getBooleanDetails('b', false, { targetingKey: 'user-1' })).toEqual({
      flagKey: 'b',
      value: true,
      variant: 'true',
      reason: 'DEFAULT',
      flagMetadata: { flagVersion: 1, version: '1', flagSetId: 'shop/production', contextId: 'user-1' },
    });
  });

  it.each(['String', 'Number', 'Object'] as const)(
    'returns the default if a boolean is requested as %s',
    async (type) => {
      const { client } = await started();
      const ask = {
        String: () => client.getStringDetails('b', 'x'),
        Number: () => client.getNumberDetails('b', 4),
        Object: () => client.getObjectDetails('b', { x: 1 }),
      };
      const { value, errorCode, reason } = await ask[type]();
      expect({ errorCode, reason }).toEqual({ errorCode: ErrorCode.TYPE_MISMATCH, reason: 'ERROR' });
      expect(value).toEqual({ String: 'x', Number: 4, Object: { x: 1 } }[type]);
    },
  );

  it('returns the default for an unknown flag, and for any context', async () => {
    const { client, provider } = await started();
    expect(await client.getBooleanDetails('none', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    const context = JSON.parse('{"__proto__": {"targetingKey": 1}, "targetingKey": 5}');
    expect(await provider.resolveBooleanEvaluation('b', false, context)).toMatchObject({ value: true });
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
        has: () => {
          throw new Error('no');
        },
      },
    );
    expect(await provider.resolveBooleanEvaluation('b', false, hostile)).toMatchObject({ value: true });
  });

  it('returns frozen objects', async () => {
    server.ruleset = rulesetOf(1, json);
    const { client } = await started();
    const value = await client.getObjectValue('json', {});
    expect(value).toEqual({ list: [1] });
    expect(Object.isFrozen(value)).toBe(true);
  });

  it('is not ready without a ruleset', async () => {
    const { provider } = providerWith();
    const details = await provider.resolveBooleanEvaluation('b', false, {});
    expect(details).toMatchObject({ value: false, errorCode: ErrorCode.PROVIDER_NOT_READY });
  });
});

describe('following the stream', () => {
  it('applies patches, and reports which flags changed', async () => {
    server.ruleset = rulesetOf(7, booleanFlag('a', false), {
      ...booleanFlag('needs-a', true),
      prerequisites: [{ flag: 'a', variants: ['true'] }],
    });
    const { client, events } = await started();
    expect(await client.getBooleanValue('needs-a', true)).toBe(false);
    server.patch(patchOf(8, true));
    expect(await events.next(ConfigurationChanged)).toMatchObject({
      flagsChanged: ['a', 'needs-a'],
      metadata: { rulesetVersion: 8 },
    });
    expect(await client.getBooleanValue('needs-a', false)).toBe(true);
  });

  it('removes a flag, and updates the flags that use a removed segment', async () => {
    const { client, events } = await started();
    server.patch({
      version: 8,
      flags: { b: null },
      segments: { s: { key: 's', version: 1, included: ['x'], excluded: [], rules: [] } },
    });
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['b']);
    expect(await client.getBooleanDetails('b', false)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  });

  it('resumes after its version, and misses nothing', async () => {
    const { client, events } = await started();
    server.patch(patchOf(8, true));
    await events.next(ConfigurationChanged);
    server.endStreams();
    server.patch({ version: 9, flags: { b: booleanFlag('b', false, 9) } });
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['b']);
    expect(await client.getBooleanValue('a', false)).toBe(true);
    expect(server.requests).toEqual([rulesetPath, `${streamPath} 7`, `${streamPath} 8`]);
  });

  it('accepts the whole ruleset if the server cannot replay', async () => {
    const { events } = await started();
    server.ruleset = rulesetOf(20, booleanFlag('c', true, 20));
    server.endStreams();
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['a', 'b', 'c']);
  });

  it('fetches the ruleset if an event is too large', async () => {
    const { events } = await started();
    server.maxEvent = 10;
    server.patch(patchOf(8, true));
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['a']);
    expect(server.requests.at(-1)).toBe(rulesetPath);
    server.maxEvent = 10_000;
    server.patch(patchOf(9, false));
    expect(await events.next(ConfigurationChanged)).toMatchObject({ metadata: { rulesetVersion: 9 } });
  });

  it('starts over after invalid events, and skips unknown ones', async () => {
    const { events, client } = await started();
    server.write('event: later-invention\ndata: ?\n\nevent: patch\ndata: {"version": "8"}\n\n');
    await server.until(() => server.streams === 0);
    await server.until(() => server.streams === 1);
    server.patch(patchOf(8, true));
    await events.next(ConfigurationChanged);
    expect(await client.getBooleanValue('a', false)).toBe(true);
  });

  it.each([
    ['as an event', 10_000],
    ['to be fetched', 10],
  ])(
    'does not return to an older ruleset of a lagging replica %s until it is offered repeatedly',
    async (_, maxEvent) => {
      const { events, client } = await started();
      server.maxEvent = maxEvent;
      server.ruleset = rulesetOf(6, booleanFlag('a', true, 6), booleanFlag('b', true));
      const before = server.requests.length;
      server.endStreams();
      expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['a']);
      expect(server.requests.length - before).toBeGreaterThanOrEqual(3);
      expect(await client.getBooleanValue('a', false)).toBe(true);
    },
  );
});

describe('polling', () => {
  it('is the fallback without a stream', async () => {
    server.mood = 'no-stream';
    const { events } = await started();
    server.ruleset = rulesetOf(8, booleanFlag('a', true, 8), booleanFlag('b', true));
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['a']);
    expect(events.types()).toEqual(['CONFIGURATION_CHANGED']);
    server.mood = 'well';
    await server.until(() => server.streams === 1);
  });

  it('is used without streaming, with a 304 each time', async () => {
    const { events } = await started({ streaming: false });
    await server.until(() => server.requests.length > 3);
    expect(new Set(server.requests.slice(1))).toEqual(new Set([`${rulesetPath} "env-7"`]));
    server.ruleset = rulesetOf(8, booleanFlag('b', true));
    expect((await events.next(ConfigurationChanged))?.flagsChanged).toEqual(['a']);
  });
});

describe('an unreliable server', () => {
  it('makes the provider stale but still serving, and ready when it is back', async () => {
    const { client, events } = await started();
    await server.stop();
    await events.next(Stale);
    expect(client.providerStatus).toBe(ProviderStatus.STALE);
    expect(await client.getBooleanValue('b', false)).toBe(true);
    server.ruleset = rulesetOf(8, booleanFlag('a', true, 8), booleanFlag('b', true));
    await server.start();
    await events.next(Ready);
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    await events.next(ConfigurationChanged);
    expect(await client.getBooleanValue('a', false)).toBe(true);
    expect(events.types().sort()).toEqual(['CONFIGURATION_CHANGED', 'READY', 'STALE']);
  });

  it('does not matter to a provider whose logger throws', async () => {
    const warn = () => {
      throw new Error('disk full');
    };
    const { events } = await started({ logger: { warn } });
    await server.stop();
    await events.next(Stale);
    await server.start();
    await events.next(Ready);
  });

  it('is not reported for a short restart', async () => {
    const { events } = await started({ staleAfterMs: 60_000 });
    await server.stop();
    await server.start();
    await server.until(() => server.streams === 1);
    server.patch(patchOf(8, true));
    await events.next(ConfigurationChanged);
    expect(events.types()).toEqual(['CONFIGURATION_CHANGED']);
  });

  it('makes the provider ready later if it was not available in time', async () => {
    server.mood = 'unavailable';
    const { provider, client, events } = providerWith({ initTimeoutMs: 50 });
    await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow(
      /no ruleset within 50 ms: .*503.*control plane/,
    );
    expect(client.providerStatus).toBe(ProviderStatus.ERROR);
    server.mood = 'well';
    await events.next(Ready);
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(await client.getBooleanValue('b', false)).toBe(true);
  });

  it.each(['silent', 'nonsense'] as const)('does not delay the start beyond the timeout if it is %s', async (mood) => {
    server.mood = mood;
    const { provider } = providerWith({ initTimeoutMs: 50 });
    await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow('no ruleset within 50 ms');
  });
});

describe('keys', () => {
  it('that are wrong end the start with an error', async () => {
    const { provider, client } = providerWith({ sdkKey: 'svc_sdk_wrong' });
    await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow(
      /does not accept this SDK key \(401\).*not known/,
    );
    expect(client.providerStatus).toBe(ProviderStatus.FATAL);
    expect(server.requests).toEqual([rulesetPath]);
    expect(await client.getBooleanDetails('b', false)).toMatchObject({ value: false, errorCode: 'PROVIDER_FATAL' });
  });

  it('that are revoked are reported, and evaluation continues', async () => {
    const { client, events } = await started();
    server.mood = 'denied';
    server.endStreams();
    expect((await events.next(ProviderEvents.Error))?.message).toContain('does not accept this SDK key');
    expect(client.providerStatus).toBe(ProviderStatus.ERROR);
    expect(await client.getBooleanValue('b', false)).toBe(true);
  });

  it('are never written to disk', async () => {
    const { provider } = await started({ cacheDirectory });
    await provider.onClose();
    const [file = ''] = await readdir(cacheDirectory);
    expect(file + (await readFile(join(cacheDirectory, file), 'utf8'))).not.toContain(server.key);
  });
});

describe('the ruleset on disk', () => {
  it('is served at the start if the server is down', async () => {
    await started({ cacheDirectory });
    await OpenFeature.clearProviders();
    await server.stop();

    const { client, events } = providerWith({ cacheDirectory, initTimeoutMs: 60_000 });
    const again = providerWith({ cacheDirectory, initTimeoutMs: 60_000 });
    await OpenFeature.setProviderAndWait(again.provider);
    await again.events.next(Stale);
    expect(client.providerStatus).toBe(ProviderStatus.STALE);
    expect(await client.getBooleanValue('b', false)).toBe(true);
    expect(events.seen).toEqual([]);

    server.ruleset = rulesetOf(8, booleanFlag('a', true, 8), booleanFlag('b', true));
    await server.start();
    await again.events.next(Ready);
    await again.events.next(ConfigurationChanged);
    expect(again.events.types().sort()).toEqual(['CONFIGURATION_CHANGED', 'READY', 'STALE']);
  });

  it('is served after the timeout if the server does not answer', async () => {
    await started({ cacheDirectory });
    await OpenFeature.clearProviders();
    server.mood = 'silent';
    const { client, events, provider } = providerWith({ cacheDirectory, initTimeoutMs: 50 });
    await OpenFeature.setProviderAndWait(provider);
    await events.next(Stale);
    expect(await client.getBooleanValue('b', false)).toBe(true);
  });

  it('has the newest state after a clean shutdown', async () => {
    const { events } = await started({ cacheDirectory });
    server.patch(patchOf(8, true));
    server.patch(patchOf(9, false));
    await events.next(ConfigurationChanged);
    await events.next(ConfigurationChanged);
    await OpenFeature.clearProviders();
    const files = await readdir(cacheDirectory);
    expect(files).toHaveLength(1);
    expect(JSON.parse(await readFile(join(cacheDirectory, files[0] ?? ''), 'utf8')).ruleset).toEqual(server.ruleset);
  });

  it('is never that of another key', async () => {
    await started({ cacheDirectory });
    await OpenFeature.clearProviders();
    await server.stop();
    const { provider } = providerWith({ cacheDirectory, sdkKey: 'svc_sdk_other', initTimeoutMs: 50 });
    await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow('no ruleset within 50 ms');
  });

  it.each(['{"format": 1, "ruleset": {"version"', '{"format": 9}', ''])(
    'is passed over when it is %j',
    async (content) => {
      await started({ cacheDirectory });
      await OpenFeature.clearProviders();
      const [file = ''] = await readdir(cacheDirectory);
      await writeFile(join(cacheDirectory, file), content);
      await server.stop();
      const warnings: string[] = [];
      const logger = { warn: (message: string) => warnings.push(message) };
      const { provider } = providerWith({ cacheDirectory, logger, initTimeoutMs: 50 });
      await expect(OpenFeature.setProviderAndWait(provider)).rejects.toThrow('no ruleset within 50 ms');
      expect(warnings.join()).toContain(file);
    },
  );

  it('is optional: a directory that cannot be written is ignored', async () => {
    const notADirectory = join(cacheDirectory, 'file');
    await mkdir(cacheDirectory, { recursive: true });
    await writeFile(notADirectory, '');
    const warnings: string[] = [];
    const { client } = await started({
      cacheDirectory: notADirectory,
      logger: { warn: (message) => warnings.push(message) },
    });
    expect(await client.getBooleanValue('b', false)).toBe(true);
    await OpenFeature.clearProviders();
    expect(warnings.join()).toContain('could not be kept on disk');
  });
});

describe('shutdown', () => {
  it('closes the stream and stops polling', async () => {
    await started();
    const asked = server.requests.length;
    await OpenFeature.clearProviders();
    await server.until(() => server.connections === 0);
    expect(server.requests).toHaveLength(asked);
  });

  it('ends a start in progress', async () => {
    server.mood = 'silent';
    const { provider } = providerWith({ initTimeoutMs: 60_000 });
    const starting = provider.initialize();
    const refused = expect(starting).rejects.toThrow('closed');
    await server.until(() => server.requests.length === 1);
    await provider.onClose();
    await refused;
  });

  it('allows a provider to be started again', async () => {
    const { provider, client } = await started();
    await provider.onClose();
    server.ruleset = rulesetOf(8, booleanFlag('a', true, 8));
    await provider.initialize();
    expect(await client.getBooleanValue('a', false)).toBe(true);
    await provider.onClose();
  });
});

describe('options', () => {
  it.each<[string, Partial<FanionProviderOptions>]>([
    ['sdkKey', { sdkKey: '' }],
    ['sdkKey', { sdkKey: 'svc_sdk_\n' }],
    ['endpoint', { endpoint: 'flags.example.com' }],
    ['endpoint', { endpoint: 'ftp://flags.example.com' }],
    ['pollIntervalMs', { pollIntervalMs: 0 }],
    ['initTimeoutMs', { initTimeoutMs: Number.NaN }],
    ['staleAfterMs', { staleAfterMs: 2 ** 40 }],
  ])('are rejected by name: %s', (name, options) => {
    expect(() => providerWith(options)).toThrow(new RegExp(`FanionProvider: ${name} `));
  });

  it('accept a server below a path', async () => {
    const { client } = await started({ endpoint: `${server.endpoint}/below/` });
    expect(await client.getBooleanValue('b', false)).toBe(true);
  });

  it('accept an agent, which is not destroyed', async () => {
    const agent = new Agent({ keepAlive: true });
    const { client } = await started({ agent, streaming: false });
    expect(await client.getBooleanValue('b', false)).toBe(true);
    await OpenFeature.clearProviders();
    expect(Object.keys(agent.freeSockets)).toHaveLength(1);
    agent.destroy();
  });
});
