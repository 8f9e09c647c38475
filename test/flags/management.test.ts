import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, type TestClient, testClient } from '../../packages/server/src/testing/test-client.ts';
import { auditedOnce, colleague, type Flags, half, startFlags } from './support.ts';

describe('managing flags', () => {
  let stop: (() => Promise<void>) | undefined;
  let user: SignedUp;
  let sdk: TestClient;
  let flags: Flags;

  beforeAll(async () => {
    ({ stop, user, sdk, flags } = await startFlags('manager'));
  });
  afterAll(() => stop?.());

  const flagPath = (key: string) => `${user.project}/flags/${key}`;
  const evaluate = async (key: string, context: object = { targetingKey: 'u' }) =>
    (await sdk.post(`/api/v1/sdk/flags/evaluate/${key}`, { context })).data;

  describe('a flag', () => {
    it('changes only the given fields, and increments its version', async () => {
      const before = await flags.create('renamed', { kind: 'boolean', tags: ['old'] });
      const { answer, action } = await auditedOnce(user, () =>
        user.patch(flagPath('renamed'), { name: 'New name', tags: ['a', 'b'], version: before.version }),
      );
      expect(answer.status, answer.text).toBe(200);
      expect(answer.data).toMatchObject({ name: 'New name', tags: ['a', 'b'], kind: 'boolean', version: 2 });
      expect(action).toBe('flags.update');
      const stale = await user.patch(flagPath('renamed'), { name: 'Late', version: before.version });
      expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
      expect((await user.patch(flagPath('nowhere'), { name: 'x' })).status).toBe(404);
      expect((await user.patch(flagPath('renamed'), { kind: 'string' })).status).toBe(422);
    });

    it('serves a changed value at once, in a new version', async () => {
      await flags.create('colour', { kind: 'string', variants: [{ key: 'a', value: 'red' }] });
      await flags.serve('colour', { fallthrough: { variant: 'a' } });
      const before = await evaluate('colour');
      await user.patch(flagPath('colour'), { variants: [{ key: 'a', value: 'blue' }] });
      const after = await evaluate('colour');
      expect([before.value, after.value]).toEqual(['red', 'blue']);
      expect(after.flag_version).toBe(before.flag_version + 1);
      await user.patch(flagPath('colour'), { description: 'only words' });
      expect((await evaluate('colour')).flag_version).toBe(after.flag_version);
    });

    it('keeps a variant that is served in an environment', async () => {
      const variants = ['a', 'b', 'c'].map((key) => ({ key, value: key }));
      await flags.create('sizes', { kind: 'string', variants });
      await flags.serve('sizes', { fallthrough: { variant: 'b' } }, 'development');
      const refused = await user.patch(flagPath('sizes'), { variants: [variants[0], variants[2]] });
      expect([refused.status, refused.json.error.code]).toEqual([409, 'SVC-4008']);
      expect(refused.json.error.message).toContain('development');
      expect((await user.patch(flagPath('sizes'), { variants: variants.slice(0, 2) })).status).toBe(200);
      const wrong = await user.patch(flagPath('sizes'), { variants: [{ key: 'a', value: 1 }, variants[1]] });
      expect(wrong.status).toBe(422);
    });

    it('can be archived and restored, and is deleted only when archived', async () => {
      await flags.create('passing');
      await flags.serve('passing');
      expect((await user.del(flagPath('passing'))).json.error.code).toBe('SVC-4006');
      const archived = await user.patch(flagPath('passing'), { archived: true });
      expect(archived.data.archived).toBe(true);
      expect((await sdk.post('/ofrep/v1/evaluate/flags/passing', { context: {} })).status).toBe(404);
      const put = await flags.put('passing');
      expect([put.status, put.json.error.code]).toEqual([409, 'SVC-4005']);
      const listed = async (query: string) =>
        (await user.get(`${user.project}/flags?limit=500${query}`)).data.map((flag: { key: string }) => flag.key);
      expect(await listed('')).not.toContain('passing');
      expect(await listed('&archived=true')).toEqual(['passing']);
      await user.patch(flagPath('passing'), { archived: false });
      expect((await evaluate('passing')).value).toBe(true);
      await user.patch(flagPath('passing'), { archived: true });
      const { answer, action } = await auditedOnce(user, () => user.del(flagPath('passing')));
      expect([answer.status, action]).toEqual([204, 'flags.remove']);
      expect((await user.get(flagPath('passing'))).status).toBe(404);
      await flags.create('passing');
      expect((await evaluate('passing')).reason).toBe('OFF');
    });

    it('needs the permission in every affected environment', async () => {
      await flags.create('reach');
      const pinned = testClient(user.base, { bearer: await user.token(['flags:read', 'flags:write']) });
      const denied = await pinned.patch(flagPath('reach'), { name: 'x' });
      expect([denied.status, denied.json.error.message]).toEqual([403, 'permission denied: flags:write required']);
      expect((await flags.put('reach', {}, 'production', pinned)).status).toBe(200);
      expect((await pinned.get(flags.path('reach', 'development'))).status).toBe(404);
      const viewer = await colleague(user, 'viewer', 'viewer');
      expect((await flags.put('reach', {}, 'production', viewer)).status).toBe(403);
      expect((await viewer.get(flagPath('reach'))).status).toBe(200);
    });
  });

  describe('prerequisites', () => {
    it('gate a flag, and are listed on both flags', async () => {
      await flags.create('base');
      await flags.create('dependent');
      await flags.serve('dependent');
      const before = await evaluate('dependent');
      const prerequisites = [{ flag: 'base', variants: ['true'] }];
      const { answer, action } = await auditedOnce(user, () =>
        user.put(`${flagPath('dependent')}/prerequisites`, { prerequisites }),
      );
      expect(answer.data).toMatchObject({ flag: 'dependent', prerequisites, dependents: [] });
      expect(action).toBe('flags.set_prerequisites');
      const gated = await evaluate('dependent');
      expect(gated).toMatchObject({ reason: 'PREREQUISITE_FAILED', value: false });
      expect(gated.flag_version).toBeGreaterThan(before.flag_version);
      await flags.serve('base');
      expect(await evaluate('dependent')).toMatchObject({ reason: 'FALLTHROUGH', value: true });
      expect((await user.get(`${flagPath('base')}/prerequisites`)).data.dependents).toEqual(['dependent']);
    });

    it('reject cycles, unknown flags, and archiving a required flag', async () => {
      const put = (key: string, flag: string, variant = 'true') =>
        user.put(`${flagPath(key)}/prerequisites`, { prerequisites: [{ flag, variants: [variant] }] });
      const cycle = await put('base', 'dependent');
      expect([cycle.status, cycle.json.error.message]).toEqual([
        409,
        expect.stringContaining('base → dependent → base'),
      ]);
      expect((await put('base', 'base')).status).toBe(409);
      expect((await put('base', 'nowhere')).status).toBe(422);
      expect((await put('dependent', 'base', 'maybe')).status).toBe(422);
      const archive = await user.patch(flagPath('base'), { archived: true });
      expect([archive.status, archive.json.error.code]).toEqual([409, 'SVC-4007']);
      await user.patch(flagPath('dependent'), { archived: true });
      expect((await user.patch(flagPath('base'), { archived: true })).status).toBe(200);
      const back = await user.patch(flagPath('dependent'), { archived: false });
      expect([back.status, back.json.error.code]).toEqual([409, 'SVC-4005']);
    });

    it('reject one of two concurrent writes that would form a cycle', async () => {
      await flags.create('left');
      await flags.create('right');
      const answers = await Promise.all([
        user.put(`${flagPath('left')}/prerequisites`, { prerequisites: [{ flag: 'right', variants: ['true'] }] }),
        user.put(`${flagPath('right')}/prerequisites`, { prerequisites: [{ flag: 'left', variants: ['true'] }] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe('segments', () => {
    const segment = (key = '') => `${user.project}/segments${key && `/${key}`}`;

    it('have keys and rules, and their members match', async () => {
      const { answer, action } = await auditedOnce(user, () =>
        user.post(segment(), {
          key: 'beta',
          name: 'Beta',
          included: ['in', 'in'],
          excluded: ['out'],
          rules: [{ clauses: [{ attribute: 'email', op: 'ends_with', values: ['@corp.example'] }] }],
        }),
      );
      expect(answer.status, answer.text).toBe(201);
      expect(answer.data).toMatchObject({ included_count: 1, excluded_count: 1, version: 1 });
      expect(action).toBe('segments.create');
      expect((await user.post(segment(), { key: 'beta', name: 'again' })).status).toBe(409);
      await flags.create('for-beta');
      await flags.serve('for-beta', {
        rules: [{ clauses: [{ op: 'in_segment', values: ['beta'] }], variant: 'true' }],
        fallthrough: { variant: 'false' },
      });
      const of = async (context: object) => (await evaluate('for-beta', context)).value;
      expect(await of({ targetingKey: 'in' })).toBe(true);
      expect(await of({ targetingKey: 'x', email: 'x@corp.example' })).toBe(true);
      expect(await of({ targetingKey: 'out', email: 'x@corp.example' })).toBe(false);
      const unknown = await flags.put('for-beta', {
        rules: [{ clauses: [{ op: 'in_segment', values: ['x'] }], variant: 'true' }],
      });
      expect(unknown.status).toBe(422);
    });

    it('increment the version of the flags that use them, also through other segments', async () => {
      await user.post(segment(), {
        key: 'nested',
        name: 'Nested',
        rules: [{ clauses: [{ op: 'in_segment', values: ['beta'] }] }],
      });
      await flags.create('for-nested');
      await flags.serve('for-nested', {
        rules: [{ clauses: [{ op: 'in_segment', values: ['nested'] }], variant: 'true' }],
        fallthrough: { variant: 'false' },
      });
      const before = await evaluate('for-nested');
      const { version } = await flags.targeting('for-nested');
      const { answer } = await auditedOnce(user, () =>
        user.patch(segment('beta'), { add: { included: ['late'] }, remove: { included: ['in'] } }),
      );
      expect(answer.data).toMatchObject({ included_count: 1, version: 2 });
      expect((await user.get(segment('beta'))).data).toMatchObject({
        included: ['late'],
        used_by: { segments: ['nested'] },
      });
      const after = await evaluate('for-nested', { targetingKey: 'late' });
      expect(after).toMatchObject({ value: true, flag_version: before.flag_version + 1 });
      // The targeting itself was not written.
      expect((await flags.targeting('for-nested')).version).toBe(version);
    });

    it('reject cycles, stale writes, and deletion while used', async () => {
      const rules = (key: string) => [{ clauses: [{ op: 'in_segment', values: [key] }] }];
      const cycle = await user.patch(segment('beta'), { rules: rules('nested') });
      expect([cycle.status, cycle.json.error.code]).toEqual([409, 'SVC-4013']);
      expect((await user.patch(segment('beta'), { name: 'x', version: 1 })).status).toBe(409);
      expect((await user.patch(segment('beta'), { rules: rules('nowhere') })).status).toBe(422);
      const used = await user.del(segment('beta'));
      expect([used.status, used.json.error.code]).toEqual([409, 'SVC-4014']);
      expect(used.json.error.message).toContain('for-beta in production');
      await user.post(segment(), { key: 'unused', name: 'Unused' });
      const { answer, action } = await auditedOnce(user, () => user.del(segment('unused')));
      expect([answer.status, action]).toEqual([204, 'segments.remove']);
      expect((await user.get(segment('unused'))).status).toBe(404);
    });

    it('reject data that cannot be evaluated or stored', async () => {
      const matches = (pattern: string) => [{ clauses: [{ attribute: 'a', op: 'matches', values: [pattern] }] }];
      expect((await user.post(segment(), { key: 're', name: 're', rules: matches('(a)\\1') })).status).toBe(422);
      expect((await user.post(segment(), { key: 're', name: 're', included: ['a\0'] })).status).toBe(422);
      expect((await user.post(segment(), { key: 're', name: 're', rules: matches('(a+)+$') })).status).toBe(201);
      await flags.create('explosive');
      await flags.serve('explosive', {
        rules: [{ clauses: [{ op: 'in_segment', values: ['re'] }], variant: 'false' }],
      });
      expect((await evaluate('explosive', { targetingKey: 'u', a: `${'a'.repeat(5_000)}!` })).value).toBe(true);
    });
  });

  describe('promotion', () => {
    it('copies everything except the switch, after it shows the differences', async () => {
      await flags.create('promoted');
      await flags.serve(
        'promoted',
        {
          targets: [{ variant: 'false', values: ['vip'] }],
          fallthrough: { rollout: { weights: half } },
        },
        'development',
      );
      const promote = (body: object) => user.post(`${flags.path('promoted', 'development')}/promote`, body);
      const dry = await promote({ to: 'production', dry_run: true });
      expect(dry.data).toMatchObject({ from: 'development', to: 'production', dry_run: true });
      expect(dry.data.diff.map(({ path }: { path: string }) => path)).toEqual([
        'fallthrough.variant',
        'fallthrough.rollout',
        'targets.false',
      ]);
      expect((await flags.targeting('promoted')).version).toBe(0);
      const { answer, action } = await auditedOnce(user, () => promote({ to: 'production' }));
      expect(action).toBe('flags.promote');
      expect(answer.data.targeting).toMatchObject({ enabled: false, version: 1, targets: [{ variant: 'false' }] });
      const switched = await promote({ to: 'production', include_enabled: true });
      expect(switched.data.targeting.enabled).toBe(true);
      expect((await promote({ to: 'nowhere' })).status).toBe(404);
      expect((await promote({ to: 'production', version: 1 })).status).toBe(409);
    });
  });

  describe('history', () => {
    it('lists applied changes with their differences, and restores any of them', async () => {
      await flags.create('storied');
      const rule = { clauses: [{ attribute: 'a', op: 'exists' }], rollout: { weights: half } };
      const first = await flags.serve('storied', { rules: [rule], comment: 'first' });
      const units = Array.from({ length: 20 }, (_, i) => ({ targetingKey: `u${i}`, a: 1 }));
      const variants = () => Promise.all(units.map(async (unit) => (await evaluate('storied', unit)).variant));
      const served = await variants();
      await flags.serve('storied', { enabled: false });
      await user.patch(flagPath('storied'), { name: 'Told' });
      await flags.serve('storied', {}, 'development');
      const list = async (query = '') => (await user.get(`${flagPath('storied')}/changes${query}`)).data;
      const all = await list();
      expect(all.map(({ kind, environment }: { kind: string; environment: string }) => [kind, environment])).toEqual([
        ['targeting', 'development'],
        ['flag', null],
        ['targeting', 'production'],
        ['targeting', 'production'],
        ['created', null],
      ]);
      expect(await list('?environment=production')).toHaveLength(4);
      const [, renamed, off, on] = all;
      expect(renamed.diff).toEqual([{ path: 'name', kind: 'changed', before: 'storied', after: 'Told' }]);
      expect(off.diff).toContainEqual({ path: 'enabled', kind: 'changed', before: true, after: false });
      expect(on).toMatchObject({ comment: 'first', version: 1, actor: { type: 'user', name: 'manager' } });

      const { answer, action } = await auditedOnce(user, () =>
        user.post(`${flagPath('storied')}/changes/${on.id}/restore`),
      );
      expect(answer.status, answer.text).toBe(200);
      expect(action).toBe('flags.restore');
      expect(answer.data).toMatchObject({ kind: 'targeting', environment: 'production', version: 3 });
      expect((await flags.targeting('storied')).rules[0].id).toBe(first.rules[0].id);
      expect(await variants()).toEqual(served);
      const created = all.at(-1);
      expect((await user.post(`${flagPath('storied')}/changes/${created.id}/restore`)).status).toBe(404);
      const stale = await user.post(`${flagPath('storied')}/changes/${on.id}/restore`, { version: 1 });
      expect(stale.status).toBe(409);
      expect(stale.json.error.details).toMatchObject([{ path: 'version', current: 3, state: { enabled: true } }]);
      const page = await user.get(`${flagPath('storied')}/changes?limit=2`);
      expect(page.data).toHaveLength(2);
      const next = await list(`?limit=2&cursor=${page.json.meta.next_cursor}`);
      expect(next[0].id).not.toBe(page.data[1].id);
    });

    it('returns the targeting that restoring a change brings back', async () => {
      await flags.create('kept');
      await flags.serve('kept', { targets: [{ variant: 'false', values: ['ada'] }] });
      await flags.serve('kept');
      await user.patch(flagPath('kept'), { name: 'Kept' });
      const changes = (await user.get(`${flagPath('kept')}/changes`)).data;
      const version = async (id: string) => user.get(`${flagPath('kept')}/changes/${id}`);
      const [renamed, , first] = changes;
      expect((await version(first.id)).data).toMatchObject({
        ...first,
        targeting: { enabled: true, targets: [{ variant: 'false', values: ['ada'] }] },
      });
      expect((await version(renamed.id)).data).toEqual({ ...renamed, targeting: null });
      expect((await version('nothing')).status).toBe(404);
      const pinned = testClient(user.base, { bearer: await user.token(['flags:read']) });
      expect((await pinned.get(`${flagPath('kept')}/changes/${first.id}`)).status).toBe(200);
      await flags.serve('kept', {}, 'development');
      const [elsewhere] = (await user.get(`${flagPath('kept')}/changes`)).data;
      expect((await pinned.get(`${flagPath('kept')}/changes/${elsewhere.id}`)).status).toBe(404);
    });

    it('finds the version before the current one, past the steps of a ramp', async () => {
      await flags.create('back');
      const previous = () => user.get(`${flags.path('back')}/previous`);
      await flags.serve('back', { fallthrough: { variant: 'false' } });
      expect([(await previous()).status, (await previous()).json.error.code]).toEqual([404, 'SVC-4031']);
      await flags.serve('back', { fallthrough: { variant: 'false' }, targets: [{ variant: 'true', values: ['a'] }] });
      expect((await previous()).data).toMatchObject({ version: 1, targeting: { targets: [] } });
      const steps = [
        { weight: 1_000, hold: '1s' },
        { weight: 100_000, hold: '1s' },
      ];
      const ramp = await user.post(`${flags.path('back')}/ramp`, { variant: 'true', steps });
      expect(ramp.status, ramp.text).toBe(201);
      await expect
        .poll(async () => (await flags.targeting('back')).fallthrough, { timeout: 20_000 })
        .toEqual({
          variant: 'true',
        });
      const { data } = await previous();
      expect(data).toMatchObject({ version: 2, targeting: { fallthrough: { variant: 'false' } } });
      const { version } = await flags.targeting('back');
      const restored = await user.post(`${flagPath('back')}/changes/${data.id}/restore`, { version });
      expect(restored.data).toMatchObject({ comment: `restored version ${data.flag_version}` });
      expect((await flags.targeting('back')).fallthrough).toEqual({ variant: 'false' });
    });
  });

  it('explains what a context gets, and rejects other environments', async () => {
    await flags.create('tested');
    await flags.serve('tested', {
      rules: [{ clauses: [{ attribute: '__proto__', op: 'in', values: ['x'] }], variant: 'false' }],
    });
    const test = (query: string, body: unknown) => user.post(`${flags.path('tested')}/evaluate${query}`, body);
    expect((await test('', { context: { targetingKey: 'u' } })).data).toEqual({
      key: 'tested',
      value: true,
      variant: 'true',
      reason: 'FALLTHROUGH',
      flag_version: expect.any(Number),
    });
    const explained = await test('?explain=true', '{"context":{"targetingKey":"u","__proto__":"x"}}');
    expect(explained.data).toMatchObject({ value: false, explanation: { decided_by: 'rule' } });
    expect(explained.data.explanation.rules[0].clauses[0]).toMatchObject({ matched: true, actual: '"x"' });
    expect((await test('', { context: { targetingKey: 7 } })).status).toBe(422);
    expect((await user.post(`${flags.path('nowhere')}/evaluate`, { context: {} })).status).toBe(404);
  });

  it('accepts one of two writes with the same version and reports a conflict to the other', async () => {
    await flags.create('contested');
    const answers = await Promise.all(
      ['true', 'false', 'true', 'false'].map((variant) =>
        user.put(flags.path('contested'), {
          enabled: true,
          off_variant: 'false',
          fallthrough: { variant },
          version: 0,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await flags.targeting('contested')).version).toBe(1);
  });
});
