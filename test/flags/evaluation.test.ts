import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, type TestClient, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

/** Every evaluation endpoint, over HTTP. The client checks each answer against the API document. */
describe('flags and their evaluation', () => {
  let server: TestServer;
  let user: SignedUp;
  let sdk: TestClient;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'flags');
    sdk = testClient(server.base, { bearer: await user.sdkKey() });
  });
  afterAll(() => server?.stop());

  const production = (key: string) => `${user.project}/environments/production/flags/${key}`;
  const create = async (key: string, more: object = { kind: 'boolean' }) => {
    const answer = await user.post(`${user.project}/flags`, { key, name: key, ...more });
    expect(answer.status, answer.text).toBe(201);
    return answer.data;
  };
  const serve = async (key: string, change: object) => {
    const current = await user.get(production(key));
    const { off_variant, version } = current.data;
    const body = { enabled: true, off_variant, fallthrough: { variant: 'true' }, targets: [], rules: [], version };
    const answer = await user.put(production(key), { ...body, ...change });
    expect(answer.status, answer.text).toBe(200);
    return answer.data;
  };
  const evaluate = async (key: string, context: object) =>
    (await sdk.post(`/api/v1/sdk/flags/evaluate/${key}`, { context })).data;

  it('turns a new flag off everywhere and serves its off variant', async () => {
    const flag = await create('checkout');
    expect(flag.environments.map((state: { enabled: boolean }) => state.enabled)).toEqual([false, false]);
    expect(await evaluate('checkout', { targetingKey: 'u' })).toMatchObject({
      value: false,
      variant: 'false',
      reason: 'OFF',
    });
  });

  it('applies targets before rules, and rules before the fallthrough', async () => {
    await create('order');
    await serve('order', {
      targets: [{ variant: 'false', values: ['vip'] }],
      rules: [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }],
      fallthrough: { variant: 'false' },
    });
    expect(await evaluate('order', { targetingKey: 'vip', plan: 'pro' })).toMatchObject({
      value: false,
      reason: 'TARGET_MATCH',
    });
    const ruled = await evaluate('order', { targetingKey: 'x', plan: 'pro' });
    expect(ruled).toMatchObject({ value: true, reason: 'RULE_MATCH', rule_id: expect.any(String) });
    expect(await evaluate('order', { targetingKey: 'x' })).toMatchObject({ reason: 'FALLTHROUGH' });
  });

  it('keeps the id and the buckets of a rule through a rewrite', async () => {
    await create('keeps');
    const weights = [
      { variant: 'true', weight: 50_000 },
      { variant: 'false', weight: 50_000 },
    ];
    const rule = { clauses: [{ attribute: 'a', op: 'exists' }], rollout: { weights } };
    const first = await serve('keeps', { rules: [rule] });
    const units = Array.from({ length: 40 }, (_, i) => ({ targetingKey: `u${i}`, a: 1 }));
    const variants = () => Promise.all(units.map(async (unit) => (await evaluate('keeps', unit)).variant));
    const before = await variants();
    expect(new Set(before).size).toBe(2);
    const second = await serve('keeps', { rules: [{ ...rule, id: first.rules[0].id, description: 'half' }] });
    expect(second.rules[0].id).toBe(first.rules[0].id);
    expect(await variants()).toEqual(before);
  });

  it('rejects invalid targeting and lists the invalid fields', async () => {
    await create('strict');
    const { version } = (await user.get(production('strict'))).data;
    const body = { enabled: true, off_variant: 'false', targets: [], rules: [], fallthrough: { variant: 'maybe' } };
    const unknown = await user.put(production('strict'), { ...body, version });
    expect(unknown.status).toBe(422);
    expect(unknown.json.error.details).toContainEqual({
      path: 'fallthrough.variant',
      message: 'unknown variant "maybe"',
    });
    const weights = [{ variant: 'true', weight: 99_999 }];
    const sum = await user.put(production('strict'), { ...body, fallthrough: { rollout: { weights } }, version });
    expect(sum.json.error.message).toMatch(/sum to 100000/);
    const stale = await user.put(production('strict'), { ...body, fallthrough: { variant: 'true' }, version: 7 });
    expect(stale.status).toBe(409);
    expect(stale.json.error.details[0]).toMatchObject({ path: 'version', current: version });
    const typo = await user.put(production('strict'), {
      ...body,
      fallthrough: { variant: 'true' },
      version,
      fallthru: 1,
    });
    expect(typo.status).toBe(422);
  });

  it('accepts the read representation with one change', async () => {
    await create('again');
    await serve('again', {});
    const read = (await user.get(production('again'))).data;
    const written = await user.put(production('again'), { ...read, enabled: false });
    expect(written.status, written.text).toBe(200);
    expect(written.data).toMatchObject({ enabled: false, version: read.version + 1, fallthrough: read.fallthrough });
  });

  it('rejects values that a store cannot hold, without an internal error', async () => {
    for (const text of ['nul \0', 'half \ud800'])
      for (const body of [
        { key: 'odd', name: 'odd', kind: 'string', variants: [{ key: 'a', value: text }] },
        { key: 'odd', name: 'odd', kind: 'json', variants: [{ key: 'a', value: { [text]: 1 } }] },
        { key: 'odd', name: 'odd', kind: 'boolean', description: text },
      ])
        expect((await user.post(`${user.project}/flags`, body)).status).toBe(422);
  });

  it('treats keys such as __proto__ as data', async () => {
    await create('proto');
    await serve('proto', {
      rules: [{ clauses: [{ attribute: '__proto__', op: 'in', values: ['x'] }], variant: 'true' }],
      fallthrough: { variant: 'false' },
    });
    const raw = await sdk.post('/api/v1/sdk/flags/evaluate/proto', '{"context":{"targetingKey":"u","__proto__":"x"}}');
    expect(raw.data).toMatchObject({ value: true, reason: 'RULE_MATCH' });
    expect((await evaluate('__proto__', {}))?.value).toBeUndefined();
  });

  it('rejects a context of the wrong type instead of evaluating without one', async () => {
    for (const path of ['/api/v1/sdk/flags/evaluate/order', '/api/v1/sdk/flags/evaluate']) {
      const typo = await sdk.post(path, { contxt: { targetingKey: 'vip' } });
      expect([typo.status, typo.json.error.details?.[0]?.path]).toEqual([422, 'contxt']);
      expect((await sdk.post(path, {})).status).toBe(200);
      expect((await sdk.post(path, 'null')).status).toBe(422);
      expect((await sdk.post(path, { context: { targetingKey: null } })).status).toBe(200);
      expect((await sdk.post(path, '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    }
  });

  it('returns 405 with the allowed methods for an unsupported method', async () => {
    for (const [method, path, allowed] of [
      ['GET', '/api/v1/sdk/flags/evaluate/order', 'POST'],
      ['POST', '/api/v1/sdk/flags/ruleset', 'GET, HEAD'],
      ['HEAD', '/api/v1/sdk/flags/stream', 'GET'],
      ['POST', production('order'), 'GET, HEAD, PUT'],
      ['PUT', '/api/v1/auth/me', 'GET, HEAD, PATCH'],
      ['DELETE', '/healthz', 'GET, HEAD'],
      ['QUERY', '/api/v1/meta', 'GET, HEAD'],
      ['SEARCH', '/api/v1/meta', 'GET, HEAD'],
    ] as const) {
      const answer = await sdk.send(method, path);
      expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, allowed]);
      if (method !== 'HEAD')
        expect(answer.json).toMatchObject({ data: null, error: { code: 'SVC-1005', status: 405 } });
    }
    const head = await sdk.send('HEAD', '/api/v1/sdk/flags/ruleset');
    const whole = await sdk.get('/api/v1/sdk/flags/ruleset');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', whole.headers.get('etag')]);
    const ofrep = await sdk.send('GET', '/ofrep/v1/evaluate/flags/order');
    expect([ofrep.status, ofrep.headers.get('allow'), ofrep.json.errorCode]).toEqual([405, 'POST', 'GENERAL']);
    expect(ofrep.json.reason).toBe('ERROR');
    const nothing = await sdk.send('POST', '/ofrep/v1/evaluate/flags/order/');
    expect([nothing.status, nothing.json.errorCode]).toEqual([404, 'GENERAL']);
  });

  describe('OFREP', () => {
    it('returns the resolution and the version of a single flag', async () => {
      const answer = await sdk.post('/ofrep/v1/evaluate/flags/order', { context: { targetingKey: 'vip' } });
      expect(answer.json).toMatchObject({ key: 'order', value: false, reason: 'TARGETING_MATCH', variant: 'false' });
      expect(answer.json.metadata).toMatchObject({ flagVersion: expect.any(Number), contextId: 'vip' });
      expect((await sdk.post('/ofrep/v1/evaluate/flags/order', { context: {} })).json.reason).toBe('DEFAULT');
      expect((await sdk.post('/ofrep/v1/evaluate/flags/checkout', { context: {} })).json.reason).toBe('DISABLED');
    });

    it('reports errors in the form of the protocol', async () => {
      const ask = (key: string, body: unknown) => sdk.post(`/ofrep/v1/evaluate/flags/${key}`, body);
      const missing = await ask('nowhere', { context: {} });
      expect([missing.status, missing.json.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
      await create('split');
      const weights = [
        { variant: 'true', weight: 50_000 },
        { variant: 'false', weight: 50_000 },
      ];
      await serve('split', { fallthrough: { rollout: { weights } } });
      const keyless = await ask('split', { context: {} });
      expect([keyless.status, keyless.json.errorCode]).toEqual([400, 'TARGETING_KEY_MISSING']);
      const wrongKey = await ask('split', { context: { targetingKey: 7 } });
      expect([wrongKey.status, wrongKey.json.errorCode]).toEqual([400, 'INVALID_CONTEXT']);
      const malformed = await ask('split', '{"context":');
      expect([malformed.status, malformed.json.errorCode]).toEqual([400, 'PARSE_ERROR']);
      const list = await ask('split', []);
      expect([list.status, list.json.errorCode]).toEqual([400, 'PARSE_ERROR']);
      const huge = await ask('split', { context: { targetingKey: 'u', text: 'x'.repeat(9 * 1024 ** 2) } });
      expect([huge.status, huge.json.errorCode]).toEqual([413, 'GENERAL']);
      for (const answer of [missing, keyless, wrongKey, malformed, list, huge]) {
        expect(answer.json).toMatchObject({
          key: expect.any(String),
          errorDetails: expect.any(String),
          reason: 'ERROR',
        });
      }
      expect(missing.json.metadata).toEqual({ flagSetId: 'default/production' });
    });

    it.each([
      ['a list as its context', { context: [] }, 'INVALID_CONTEXT'],
      ['null as its context', { context: null }, 'INVALID_CONTEXT'],
      ['a text as its context', { context: 'user-1' }, 'INVALID_CONTEXT'],
      ['a number as targeting key', { context: { targetingKey: 7 } }, 'INVALID_CONTEXT'],
      ['an object as targeting key', { context: { targetingKey: {} } }, 'INVALID_CONTEXT'],
      ['a text as its body', '"context"', 'PARSE_ERROR'],
      ['a list as its body', '[{}]', 'PARSE_ERROR'],
      ['a body that is not JSON', 'context=1', 'PARSE_ERROR'],
    ])('rejects %s, for one flag and for all', async (_, body, errorCode) => {
      for (const path of ['/ofrep/v1/evaluate/flags/order', '/ofrep/v1/evaluate/flags']) {
        const answer = await sdk.post(path, body);
        expect([answer.status, answer.json.errorCode, answer.json.reason]).toEqual([400, errorCode, 'ERROR']);
      }
    });

    it('omits value and variant for the code default in OFREP, and other APIs use their own form', async () => {
      expect((await create('later', { kind: 'boolean', off_variant: null })).off_variant).toBeNull();
      const ask = async (context: object) => {
        const ofrep = await sdk.post('/ofrep/v1/evaluate/flags/later', { context });
        const bulk = await sdk.post('/ofrep/v1/evaluate/flags', { context });
        const { metadata: _, ...answer } = ofrep.json;
        const { metadata: __, ...inBulk } = bulk.json.flags.find(({ key }: { key: string }) => key === 'later');
        expect(inBulk).toEqual(answer);
        return answer;
      };
      expect(await ask({})).toEqual({ key: 'later', reason: 'DISABLED' });
      expect(await evaluate('later', {})).toMatchObject({ value: null, variant: null, reason: 'OFF' });
      const path = `${user.project}/environments/production/flags/later/evaluate?explain=true`;
      expect((await user.post(path, { context: {} })).data).toMatchObject({
        variant: null,
        explanation: { decided_by: 'off' },
      });

      const rule = { clauses: [{ attribute: 'plan', op: 'eq', values: ['pro'] }], variant: 'true' };
      await serve('later', { fallthrough: { variant: null }, rules: [rule] });
      expect(await ask({})).toEqual({ key: 'later', reason: 'DEFAULT' });
      expect(await ask({ plan: 'pro' })).toEqual({
        key: 'later',
        reason: 'TARGETING_MATCH',
        value: true,
        variant: 'true',
      });
      const { flags } = (await sdk.get('/api/v1/sdk/flags/ruleset')).data;
      expect(flags.later).toMatchObject({ off_variant: null, fallthrough: { variant: null } });

      // A ramp needs variants.
      const ramp = {
        variant: 'true',
        steps: [
          { weight: 10_000, hold: '1h' },
          { weight: 100_000, hold: '1h' },
        ],
      };
      const refused = await user.post(`${production('later')}/ramp`, ramp);
      expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-4020']);
      expect(refused.json.error.details).toContainEqual(expect.objectContaining({ path: 'variant' }));

      const patched = await user.patch(`${user.project}/flags/later`, { off_variant: 'false' });
      expect([patched.status, patched.data.off_variant]).toEqual([200, 'false']);
      const back = await user.patch(`${user.project}/flags/later`, { off_variant: null });
      expect([back.status, back.data.off_variant]).toEqual([200, null]);
    });

    it('writes the numbers of a flag with fractions as fractions in every answer', async () => {
      const variants = [
        { key: 'one', value: 1 },
        { key: 'half', value: 0.5 },
      ];
      await create('factor', { kind: 'number', variants, off_variant: 'one' });
      const bodies = [
        await sdk.post('/ofrep/v1/evaluate/flags/factor', {}),
        await sdk.post('/ofrep/v1/evaluate/flags', {}),
        await sdk.post('/api/v1/sdk/flags/evaluate/factor', {}),
        await sdk.post('/api/v1/sdk/flags/evaluate', {}),
      ];
      for (const { text } of bodies) expect(text).toMatch(/"key":"factor","value":1\.0,/);
    });

    it('bulk: includes errors among the flags, and tags by environment, version and context', async () => {
      const bulk = (context: object, tag?: string) =>
        sdk.post('/ofrep/v1/evaluate/flags', { context }, tag === undefined ? {} : { 'if-none-match': tag });
      const all = await bulk({});
      expect(all.json.flags).toContainEqual(
        expect.objectContaining({ key: 'split', errorCode: 'TARGETING_KEY_MISSING' }),
      );
      expect(all.json.flags).toContainEqual(expect.objectContaining({ key: 'checkout', value: false }));
      const tag = all.headers.get('etag') ?? '';
      for (const asked of [tag, `W/${tag}`, `"other", ${tag}`, '*']) expect((await bulk({}, asked)).status).toBe(304);
      expect((await bulk({ targetingKey: 'u' }, tag)).status).toBe(200);
      const other = testClient(server.base, { bearer: await user.sdkKey('development') });
      expect((await other.post('/ofrep/v1/evaluate/flags', { context: {} }, { 'if-none-match': tag })).status).toBe(
        200,
      );
      await serve('checkout', {});
      expect((await bulk({}, tag)).status).toBe(200);
    });

    it('accepts only SDK keys, also as X-API-Key, and reports others in its own bodies', async () => {
      const body = { context: {} };
      const nobody = await testClient(server.base).post('/ofrep/v1/evaluate/flags', body);
      expect(nobody).toMatchObject({ status: 401, json: { errorCode: 'GENERAL', reason: 'ERROR' } });
      const token = testClient(server.base, { bearer: await user.token(['flags:read']) });
      expect((await token.post('/ofrep/v1/evaluate/flags', body)).status).toBe(403);
      // Evaluation does not read cookies at all.
      expect((await user.post('/ofrep/v1/evaluate/flags', body)).status).toBe(401);
      const key = await user.sdkKey();
      expect((await testClient(server.base).post('/ofrep/v1/evaluate/flags', body, { 'x-api-key': key })).status).toBe(
        200,
      );
      expect((await sdk.get(`${user.project}/flags`)).status).toBe(403);
    });
  });
});
