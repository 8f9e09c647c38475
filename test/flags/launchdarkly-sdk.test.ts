import { init, type LDClient, type LDContext, type LDOptions } from '@launchdarkly/node-server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { openStream } from './sse-client.ts';
import { flagsOf, half } from './support.ts';

const silent = { error() {}, warn() {}, info() {}, debug() {} };
const users = Array.from({ length: 100 }, (_, i) => ({
  plan: i % 2 === 0 ? 'pro' : 'free',
  version: i % 3 === 0 ? '1.9.0' : '2.1.0',
  key: `user-${i}`,
}));

const matching = { clauses: [{ attribute: 'plan', op: 'matches', values: ['^p.'] }], variant: 'true' };
const [differs, missing] = [
  ['uses a pattern that means something else in other languages'],
  ['uses the operator matches'],
];
const ofFlagd = [
  'uses the operator matches, which flagd does not have: compare texts by starts_with, ends_with, contains or in',
];
const ofPattern = { launchdarkly: differs, unleash: missing, growthbook: differs, flagd: ofFlagd };

/** The published SDK, unchanged but for its addresses and key, against a running server. */
describe('LaunchDarkly SDK for Node', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let client: LDClient;
  let key: string;
  const rules = [
    {
      clauses: [
        { attribute: 'plan', op: 'in', values: ['pro'] },
        { attribute: 'version', op: 'semver_gt', values: ['2.0.0'] },
      ],
      variant: 'true',
    },
  ];

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'launchdarkly');
    flags = flagsOf(user);
    for (const name of ['half', 'plan', 'pattern']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    await flags.serve('plan', { rules, fallthrough: { variant: 'false' } });
    await flags.serve('pattern', { rules: [matching], fallthrough: { variant: 'false' } });
    key = await user.sdkKey();
    const at = server.base;
    client = init(key, { baseUri: at, streamUri: at, eventsUri: at, sendEvents: false, logger: silent });
    await client.waitForInitialization({ timeout: 10 });
  });
  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  it('serves the values of OFREP for percentages and rules', async () => {
    const ofrep = testClient(server.base, { bearer: key });
    for (const { key: targetingKey, ...attributes } of users) {
      for (const flag of ['half', 'plan']) {
        const answer = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, {
          context: { targetingKey, ...attributes },
        });
        const context: LDContext = { kind: 'user', key: targetingKey, ...attributes };
        expect(await client.variation(flag, context, null), `${flag} ${targetingKey}`).toBe(answer.json.value);
      }
    }
  });

  it('returns the default of the caller for a percentage of users in a context without a user', async () => {
    expect(await client.variation('half', { kind: 'organization', key: 'acme' }, 'default')).toBe('default');
  });

  it('does not serve a flag that the SDK would evaluate differently', async () => {
    expect(await client.variation('pattern', { kind: 'user', key: 'u', plan: 'pro' }, 'default')).toBe('default');
  });

  it('is told on the flag why it does not get it', async () => {
    const reasons = async (flag: string) => (await flags.targeting(flag)).compatibility;
    const native = ['divides units by its own hash'];
    const anybody = ['serves a percentage to contexts without a unit'];
    const otherHash = ['divides units by its own hash: the hash flagd would give units new variants'];
    expect(await reasons('half')).toEqual({ launchdarkly: [], unleash: anybody, growthbook: native, flagd: otherHash });
    expect(await reasons('pattern')).toEqual(ofPattern);
  });

  it('would not get the flag for reasons that are listed before a change is saved', async () => {
    const preview = (change: object) =>
      user.post(`${flags.path('plan')}/compatibility`, {
        ...{ enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, targets: [], rules: [] },
        ...change,
      });
    const before = await flags.targeting('plan');
    const pattern = { clauses: [{ attribute: 'plan', op: 'matches', values: ['^p.'] }], variant: 'true' };
    const proposed = await preview({ rules: [pattern] });
    expect([proposed.status, proposed.data]).toEqual([200, ofPattern]);
    const unknown = await preview({ fallthrough: { variant: 'unknown' } });
    expect(unknown.json.error.code).toBe('SVC-4004');
    expect(await flags.targeting('plan')).toEqual(before);
  });

  it('serves single flags and segments, as PHP and older SDKs request them', async () => {
    const segment = { key: 'staff', name: 'Staff', included: ['ada'] };
    expect((await user.post(`${user.project}/segments`, segment)).status).toBe(201);
    const headers = { authorization: key };
    const get = (path: string) => fetch(server.base + path, { headers });
    const read = async (path: string) => (await get(path)).json();
    await until(async () => (await get('/sdk/segments/staff')).status === 200);
    const all = (await read('/sdk/latest-all')) as { flags: Record<string, object>; segments: Record<string, object> };
    expect(await read('/sdk/flags')).toEqual(all.flags);
    expect(all.segments.staff).toMatchObject({ key: 'staff', included: ['ada'] });
    for (const [path, expected] of [
      ['/sdk/flags/plan', all.flags.plan],
      ['/sdk/latest-flags/plan', all.flags.plan],
      ['/sdk/segments/staff', all.segments.staff],
      ['/sdk/latest-segments/staff', all.segments.staff],
    ] as const) {
      const answer = await get(path);
      expect(await answer.json(), path).toEqual(expected);
      const tag = answer.headers.get('etag') ?? '';
      const again = await fetch(server.base + path, { headers: { ...headers, 'if-none-match': tag } });
      expect(again.status, path).toBe(304);
    }
    const status = async (path: string) => (await get(path)).status;
    for (const path of ['/sdk/flags/pattern', '/sdk/latest-flags/none', '/sdk/flags/__proto__', '/sdk/segments/plan'])
      expect(await status(path), path).toBe(404);
  });

  it('receives a change through its stream', async () => {
    const context = { kind: 'user', key: 'u', plan: 'pro', version: '2.1.0' };
    expect(await client.variation('plan', context, null)).toBe(true);
    await flags.serve('plan', { enabled: false, off_variant: 'false' });
    await until(async () => (await client.variation('plan', context, null)) === false);
  });

  it('sends only what has changed: a flag, its removal, everything for a new flag, and nothing for a flag that SDKs do not get', async () => {
    const stream = await openStream(`${server.base}/all`, { authorization: key });
    const next = async () => {
      const { event, data } = await stream.next();
      return { event, ...(JSON.parse(data) as { path: string; data?: { on: boolean }; version?: number }) };
    };
    try {
      expect(await next()).toMatchObject({ event: 'put', path: '/' });
      await flags.serve('pattern', { enabled: false, off_variant: 'true', fallthrough: { variant: 'true' } });
      const everything = await next();
      expect(everything).toMatchObject({ event: 'put', data: { flags: { pattern: { on: false } } } });
      await flags.serve('half', { enabled: false, off_variant: 'false' });
      expect(await next()).toMatchObject({ event: 'patch', path: '/flags/half', data: { key: 'half', on: false } });
      await flags.serve('pattern', { rules: [matching] });
      expect(await next()).toMatchObject({ event: 'delete', path: '/flags/pattern' });
      expect(await client.variation('pattern', { kind: 'user', key: 'u' }, 'default')).toBe('default');
      // The change of a flag that is absent sends nothing, so the next event is that of another flag.
      await flags.serve('pattern', { rules: [matching, matching] });
      await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
      expect(await next()).toMatchObject({ event: 'patch', path: '/flags/half', data: { key: 'half', on: true } });
    } finally {
      stream.close();
    }
  });

  it.each([
    ['streaming', { dataSourceOptionsType: 'streamingOnly' }],
    ['polling, then streaming', { dataSourceOptionsType: 'standard' }],
  ])('gives the SDK values and changes by the second generation of the protocol: %s', async (_, dataSource) => {
    const at = server.base;
    const options = { baseUri: at, streamUri: at, eventsUri: at, sendEvents: false, logger: silent };
    const own = init(key, { ...options, dataSystem: { dataSource } } as LDOptions);
    try {
      await own.waitForInitialization({ timeout: 20 });
      const value = (flag: string) => own.variation(flag, { kind: 'user', key: 'u' }, 'default');
      expect(await value('pattern')).toBe('default');
      await flags.serve('half', { fallthrough: { variant: 'true' } });
      await until(async () => (await value('half')) === true);
      await flags.serve('half', { rules: [matching] });
      await until(async () => (await value('half')) === 'default');
      await flags.serve('half', { enabled: false, off_variant: 'false' });
      await until(async () => (await value('half')) === false);
    } finally {
      own.close();
    }
  });

  it('gives the SDK that polls the values by the second generation of the protocol', async () => {
    const at = server.base;
    const options = { baseUri: at, streamUri: at, eventsUri: at, sendEvents: false, logger: silent };
    const dataSystem = { dataSource: { dataSourceOptionsType: 'pollingOnly' } };
    const own = init(key, { ...options, dataSystem } as LDOptions);
    try {
      await own.waitForInitialization({ timeout: 20 });
      const pro = { kind: 'user', key: 'u', plan: 'pro', version: '2.1.0' };
      expect(await own.variation('plan', pro, 'default')).toBe(await client.variation('plan', pro, 'none'));
    } finally {
      own.close();
    }
  });

  it('transfers nothing by the second generation of the protocol to an SDK that has this version', async () => {
    const poll = async (query: string) => {
      const answer = await fetch(`${server.base}/sdk/poll${query}`, { headers: { authorization: key } });
      return (await answer.json()) as { events: { event: string; data: Record<string, unknown> }[] };
    };
    const { events } = await poll('');
    const { state } = events.at(-1)?.data ?? {};
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(['server-intent', 'payload-transferred']);
    const again = await poll(`?basis=${state}`);
    expect(again.events).toMatchObject([{ event: 'server-intent', data: { payloads: [{ intentCode: 'none' }] } }]);
  });

  it('rejects unknown keys and keys of clients', async () => {
    const status = async (authorization: string, path: string) =>
      (await fetch(server.base + path, { headers: { authorization } })).status;
    const ofClients = await user.sdkKey('production', { kind: 'client' });
    const single = ['/sdk/flags', '/sdk/flags/plan', '/sdk/latest-flags/plan', '/sdk/segments/a'];
    for (const path of ['/sdk/latest-all', '/all', '/sdk/poll', '/sdk/stream', ...single]) {
      expect(await status('svc_sdk_wrong', path)).toBe(401);
      expect(await status(ofClients, path)).toBe(403);
    }
    expect(await status(key, '/sdk/latest-all')).toBe(200);
  });
});
