import { compileRuleset, evaluate as evaluateHere } from '@fanion/flag-engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, type TestClient, testClient } from '../../packages/server/src/testing/test-client.ts';
import { type Flags, half, startFlags } from './support.ts';

describe('rollout options of a flag', () => {
  let stop: (() => Promise<void>) | undefined;
  let user: SignedUp;
  let sdk: TestClient;
  let flags: Flags;

  beforeAll(async () => {
    ({ stop, user, sdk, flags } = await startFlags('rollouts'));
  });
  afterAll(() => stop?.());

  const evaluate = async (key: string, context: object) =>
    (await sdk.post(`/api/v1/sdk/flags/evaluate/${key}`, { context })).data;

  describe('the hash of another product', () => {
    // Unleash client-specification, 10-flexible-rollout-strategy: user 174 is in 10 %, 499 is not.
    const tenPercent = {
      hash: 'unleash',
      seed: 'Feature.flexibleRollout.10',
      fallback_bucket_by: ['sessionId'],
      missing: 'skip',
      weights: [
        { variant: 'true', weight: 10_000 },
        { variant: 'false', weight: 90_000 },
      ],
    };

    it('is stored as written, and keeps every unit in its variant', async () => {
      await flags.create('from-unleash');
      await flags.serve('from-unleash', { fallthrough: { rollout: tenPercent } });
      expect((await flags.targeting('from-unleash')).fallthrough.rollout).toEqual(tenPercent);
      expect((await evaluate('from-unleash', { targetingKey: '174' })).value).toBe(true);
      expect((await evaluate('from-unleash', { targetingKey: '499' })).value).toBe(false);
      expect((await evaluate('from-unleash', { sessionId: '174' })).value).toBe(true);
      expect(await evaluate('from-unleash', {})).toMatchObject({ value: false, reason: 'FALLTHROUGH' });
    });

    it('stays when a ramp replaces the percentage', async () => {
      const path = `${flags.path('from-unleash')}/ramp`;
      const steps = [{ weight: 50_000, hold: '1h' }];
      expect((await user.post(path, { variant: 'true', steps })).status).toBe(201);
      expect(await evaluate('from-unleash', { sessionId: '174' })).toMatchObject({
        value: true,
        reason: 'TRACKED_ROLLOUT',
      });
      expect((await user.post(`${path}/abort`)).status).toBe(200);
    });

    it('rejects a percentage between its steps', async () => {
      const weights = [
        { variant: 'true', weight: 12_500 },
        { variant: 'false', weight: 87_500 },
      ];
      const answer = await flags.put('from-unleash', { fallthrough: { rollout: { ...tenPercent, weights } } });
      expect(answer.status).toBe(422);
      expect(answer.json.error.details[0]).toEqual({
        path: 'fallthrough.rollout.weights.0.weight',
        message: 'ends between two buckets: the hash has 100, so percentages come in steps of 1%',
      });
    });
  });

  describe('a share', () => {
    const tenPercent = { hash: 'unleash', seed: 'Feature.flexibleRollout.10', ranges: [[0, 10_000]] };

    it('narrows a rule, and the tester explains it', async () => {
      await flags.create('shared');
      const shares = [tenPercent];
      await flags.serve('shared', {
        fallthrough: { variant: 'false' },
        rules: [{ id: 'r', clauses: [], shares, variant: 'true' }],
      });
      expect((await flags.targeting('shared')).rules[0].shares).toEqual(shares);
      expect((await evaluate('shared', { targetingKey: '174' })).rule_id).toBe('r');
      expect((await evaluate('shared', { targetingKey: '499' })).value).toBe(false);
      const explained = await user.post(`${flags.path('shared')}/evaluate?explain=true`, {
        context: { targetingKey: '499' },
      });
      expect(explained.data.explanation.rules[0].shares).toMatchObject([
        { hash: 'unleash', unit: '499', matched: false },
      ]);
    });

    it('narrows a segment, and is kept when the segment changes elsewhere', async () => {
      const path = `${user.project}/segments`;
      const rules = [{ clauses: [], shares: [tenPercent] }];
      const created = await user.post(path, { key: 'tenth', name: 'A tenth', rules });
      expect(created.status, created.text).toBe(201);
      expect((await user.patch(`${path}/tenth`, { name: 'Ten percent' })).data.rules).toEqual(rules);
      await flags.create('in-tenth');
      await flags.serve('in-tenth', {
        fallthrough: { variant: 'false' },
        rules: [{ clauses: [{ op: 'in_segment', values: ['tenth'] }], variant: 'true' }],
      });
      expect((await evaluate('in-tenth', { targetingKey: '174' })).value).toBe(true);
      expect((await evaluate('in-tenth', { targetingKey: '499' })).value).toBe(false);
      const everybody = await user.post(path, { key: 'all', name: 'All', rules: [{ clauses: [] }] });
      expect(everybody.status).toBe(422);
    });
  });

  describe('metadata', () => {
    const metadata = { owner: 'checkout', ticket: 1204, risky: true };
    const ofrep = (key: string, context: object = { targetingKey: 'u' }) =>
      sdk.post(`/ofrep/v1/evaluate/flags/${key}`, { context });

    it('is in every answer together with the metadata of the service', async () => {
      expect((await flags.create('told', { kind: 'boolean', metadata })).metadata).toEqual(metadata);
      expect((await ofrep('told')).json.metadata).toMatchObject({ ...metadata, flagVersion: 1, contextId: 'u' });
      expect((await evaluate('told', {})).metadata).toEqual(metadata);
      expect(await evaluate('shared', { targetingKey: 'u' })).not.toHaveProperty('metadata');
    });

    it('changes with the flag, in a new version', async () => {
      const answer = await user.patch(`${user.project}/flags/told`, { metadata: { owner: 'payments' } });
      expect(answer.status, answer.text).toBe(200);
      expect((await ofrep('told')).json.metadata).toMatchObject({ owner: 'payments', flagVersion: 2 });
      expect((await ofrep('told')).json.metadata).not.toHaveProperty('ticket');
    });

    it('waits for approval if an environment requires it', async () => {
      await flags.protect('vault');
      const answer = await user.patch(`${user.project}/flags/told`, { metadata: {} });
      expect([answer.status, answer.data.status]).toEqual([202, 'pending']);
      expect((await user.del(`${user.project}/environments/vault?confirm=vault`)).status).toBe(204);
    });

    it.each([
      [{ flagVersion: 3 }, 'is a reserved name'],
      [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, i])), 'at most 50'],
    ])('rejects %j', async (wrong, message) => {
      const answer = await user.patch(`${user.project}/flags/told`, { metadata: wrong });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.json.error.details)).toContain(message);
    });
  });

  describe('a flag hidden from clients', () => {
    let client: TestClient;
    const bulk = async (as: TestClient) => {
      const answer = await as.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'u' } });
      return { etag: answer.headers.get('etag'), keys: answer.json.flags.map(({ key }: { key: string }) => key) };
    };

    it('does not exist for client keys', async () => {
      client = testClient(user.base, { bearer: await user.sdkKey('production', { kind: 'client' }) });
      await flags.create('inside', { kind: 'boolean', client_visible: false });
      await flags.serve('inside');
      expect((await client.post('/ofrep/v1/evaluate/flags/inside', { context: {} })).status).toBe(404);
      expect((await client.post('/api/v1/sdk/flags/evaluate/inside', { context: {} })).status).toBe(404);
      const [seen, all] = [await bulk(client), await bulk(sdk)];
      expect(all.keys.filter((key: string) => !seen.keys.includes(key))).toEqual(['inside']);
      expect(seen.etag).not.toBe(all.etag);
      expect((await evaluate('inside', {})).value).toBe(true);
    });

    it('still gates the flags that require it', async () => {
      await flags.create('needs-inside');
      await flags.serve('needs-inside');
      const prerequisites = [{ flag: 'inside', variants: ['true'] }];
      const answer = await user.put(`${user.project}/flags/needs-inside/prerequisites`, { prerequisites });
      expect(answer.status, answer.text).toBe(200);
      const ask = async () => (await client.post('/ofrep/v1/evaluate/flags/needs-inside', { context: {} })).json.value;
      expect(await ask()).toBe(true);
      await flags.serve('inside', { enabled: false });
      expect(await ask()).toBe(false);
    });

    it('is visible after the change that shows it', async () => {
      const path = `${user.project}/flags/inside`;
      expect((await user.patch(path, { client_visible: true })).data.client_visible).toBe(true);
      expect((await client.post('/ofrep/v1/evaluate/flags/inside', { context: {} })).status).toBe(200);
    });
  });

  describe('clauses', () => {
    it('store how they read the attribute, and compare the time', async () => {
      const clauses = [
        { attribute: 'age', op: 'gte', values: [18], negate: false, as: 'number' },
        {
          attribute: 'plan',
          op: 'in',
          values: ['Pro'],
          negate: false,
          ignore_case: true,
          context_kind: 'organization',
        },
        { attribute: 'now', op: 'after', values: ['2020-01-01T00:00:00Z'], negate: false },
      ];
      const targets = [{ variant: 'false', values: ['blocked'], context_kind: 'organization' }];
      await flags.create('read');
      await flags.serve('read', {
        fallthrough: { variant: 'false' },
        targets,
        rules: [{ id: 'r', clauses, variant: 'true' }],
      });
      const written = await flags.targeting('read');
      expect([written.rules[0].clauses, written.targets]).toEqual([clauses, targets]);
      const of = async (context: object) => (await evaluate('read', context)).reason;
      const organization = { key: 'acme', plan: 'pro' };
      expect(await of({ age: '20', organization })).toBe('RULE_MATCH');
      expect(await of({ age: 'x', organization })).toBe('FALLTHROUGH');
      expect(await of({ age: 20, organization, now: '2019-01-01T00:00:00Z' })).toBe('FALLTHROUGH');
      expect(await of({ age: 20, organization: { ...organization, key: 'blocked' } })).toBe('TARGET_MATCH');
    });

    it('reject readings that their operator does not support', async () => {
      const clauses = [{ attribute: 'a', op: 'contains', values: ['x'], as: 'size' }];
      const answer = await flags.put('read', { rules: [{ clauses, variant: 'true' }] });
      expect(answer.status).toBe(422);
      expect(answer.json.error.details).toContainEqual({
        path: 'rules.0.clauses.0.as',
        message: '"contains" does not compare numbers',
      });
    });
  });

  describe('rewritten weights', () => {
    const thirds = (a: number, b: number) => ({
      rollout: {
        weights: [
          { variant: 'a', weight: a },
          { variant: 'b', weight: b },
          { variant: 'c', weight: 100_000 - a - b },
        ],
      },
    });
    const units = Array.from({ length: 200 }, (_, i) => `unit-${i}`);
    const servedNow = async () => {
      const { flags: all } = (await sdk.get('/api/v1/sdk/flags/ruleset')).data;
      const compiled = compileRuleset({ version: 1, environment: 'e', project: 'p', flags: all, segments: {} });
      return units.map((targetingKey) => evaluateHere(compiled, 'thirds', { targetingKey }).variant);
    };

    it('move units only from shrinking to growing variants', async () => {
      const variants = ['a', 'b', 'c'].map((key) => ({ key, value: key }));
      await flags.create('thirds', { kind: 'string', variants });
      await flags.serve('thirds', { fallthrough: thirds(33_333, 33_333) });
      const before = await servedNow();
      const written = await flags.serve('thirds', { fallthrough: thirds(60_000, 33_333) });
      expect(written.fallthrough.rollout.weights).toEqual(thirds(60_000, 33_333).rollout.weights);
      const moves = (await servedNow()).map((variant, i) => `${before[i]}${variant}`);
      expect(new Set(moves)).toEqual(new Set(['aa', 'bb', 'ca', 'cc']));
    });

    it('are reverted with every unit in its former variant', async () => {
      const before = await servedNow();
      const { layout } = (await flags.targeting('thirds')).fallthrough.rollout;
      expect(layout.length).toBeGreaterThan(3);
      await flags.serve('thirds', { fallthrough: thirds(10_000, 80_000) });
      const history = (await user.get(`${user.project}/flags/thirds/changes`)).data;
      const entry = history.find(({ version }: { version: number }) => version === 2);
      expect((await user.post(`${user.project}/flags/thirds/changes/${entry.id}/restore`, {})).status).toBe(200);
      expect(await servedNow()).toEqual(before);
      // The read representation can be written unchanged.
      const { fallthrough } = await flags.targeting('thirds');
      await flags.serve('thirds', { fallthrough });
      expect(await servedNow()).toEqual(before);
    });

    it('get a new layout in another environment', async () => {
      const answer = await user.post(`${flags.path('thirds')}/promote`, { to: 'development' });
      expect(answer.status, answer.text).toBe(200);
      expect((await flags.targeting('thirds', 'development')).fallthrough).toEqual(thirds(60_000, 33_333));
    });
  });

  it('passes a context without a unit to the next rule if the rollout skips it', async () => {
    await flags.create('by-company');
    await flags.serve('by-company', {
      fallthrough: { variant: 'true' },
      rules: [{ id: 'r', clauses: [], rollout: { bucket_by: 'company', weights: half, missing: 'skip' } }],
    });
    expect(await evaluate('by-company', { targetingKey: 'u' })).toMatchObject({ value: true, reason: 'FALLTHROUGH' });
    expect((await evaluate('by-company', { company: 'acme' })).rule_id).toBe('r');
  });
});
