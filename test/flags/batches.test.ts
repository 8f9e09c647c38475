import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf } from './support.ts';

describe('a batch of writes', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'batches');
    flags = flagsOf(user);
  });
  afterAll(() => server?.stop());

  const write = (writes: readonly object[], more: object = {}) =>
    user.post(`${user.project}/flag-batches`, { writes, ...more });
  const keys = async () => ({
    flags: (await user.get(`${user.project}/flags?limit=500`)).data.map(({ key }: { key: string }) => key),
    segments: (await user.get(`${user.project}/segments?limit=500`)).data.map(({ key }: { key: string }) => key),
  });
  const newFlag = (key: string) => ({ write: 'create_flag', key, name: key, kind: 'boolean' });
  const newSegment = (key: string, named?: string) => ({
    write: 'create_segment',
    key,
    name: key,
    included: ['ada'],
    ...(named !== undefined && { rules: [{ clauses: [{ op: 'in_segment', values: [named] }] }] }),
  });
  const serves = (flag: string, change: object = {}) => ({
    write: 'set_targeting',
    flag,
    environment: 'production',
    version: 0,
    enabled: true,
    off_variant: 'false',
    fallthrough: { variant: 'true' },
    ...change,
  });

  it('writes segments, flags, prerequisites and targeting that build on each other, and serves them at once', async () => {
    const rulesetVersion = async () => (await sdk.get('/api/v1/sdk/flags/ruleset')).data.version;
    const sdk = testClient(server.base, { bearer: await user.sdkKey() });
    const versionBefore = await rulesetVersion();
    const rules = [{ clauses: [{ op: 'in_segment', values: ['outer'] }], variant: 'true' }];
    const answer = await write(
      [
        newSegment('inner'),
        newSegment('outer', 'inner'),
        newFlag('parent'),
        newFlag('child'),
        { write: 'update_flag', flag: 'child', name: 'Child', version: 1 },
        {
          write: 'set_prerequisites',
          flag: 'child',
          prerequisites: [{ flag: 'parent', variants: ['true'] }],
          version: 1,
        },
        serves('parent'),
        serves('child', { rules, fallthrough: { variant: 'false' } }),
      ],
      { comment: 'all of it' },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.data.results).toEqual(Array(8).fill({ status: 'applied', change: null }));
    // Followers of the ruleset see one change.
    expect(await rulesetVersion()).toBe(versionBefore + 1);
    const ask = (targetingKey: string) => sdk.post('/ofrep/v1/evaluate/flags/child', { context: { targetingKey } });
    expect((await ask('ada')).json).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect((await ask('bob')).json).toMatchObject({ value: false, reason: 'DEFAULT' });
    const history = await user.get(`${user.project}/flags/child/changes`);
    expect(history.data[0]).toMatchObject({ kind: 'targeting', comment: 'all of it' });
    expect((await flags.audited()).filter((action) => action === 'flags.batch')).toHaveLength(8);
  });

  it.each([
    [
      'weights that do not sum to 100%',
      serves('late', { fallthrough: { rollout: { weights: [{ variant: 'true', weight: 1 }] } } }),
      'writes.3.fallthrough.rollout.weights',
    ],
    [
      'an unknown segment',
      serves('late', { rules: [{ clauses: [{ op: 'in_segment', values: ['nowhere'] }], variant: 'true' }] }),
      'writes.3.rules.0.clauses.0.values.0',
    ],
    ['an unknown environment', serves('late', { environment: 'nowhere' }), 'writes.3'],
    ['a flag that exists', newFlag('early'), 'writes.3'],
    [
      'a cycle of prerequisites',
      { write: 'set_prerequisites', flag: 'late', prerequisites: [{ flag: 'late', variants: ['true'] }] },
      'writes.3',
    ],
    ['a version that is not the current one', serves('parent', { version: 9 }), 'writes.3.version'],
  ])('writes nothing if a later write has %s, and names it', async (_, bad, path) => {
    const before = await keys();
    const answer = await write([newSegment('quick'), newFlag('early'), newFlag('late'), bad]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.json.error.details[0].path).toBe(path);
    expect(await keys()).toEqual(before);
  });

  it('compares the version from before the batch, even if the batch writes the same item repeatedly', async () => {
    const answer = await write([
      newFlag('twice'),
      serves('twice'),
      serves('twice', { enabled: false }),
      { write: 'update_flag', flag: 'twice', name: 'Once', version: 1 },
      { write: 'update_flag', flag: 'twice', name: 'Twice', version: 1 },
    ]);
    expect(answer.status, answer.text).toBe(200);
    expect(await flags.targeting('twice')).toMatchObject({ enabled: false, version: 2 });
    expect((await user.get(`${user.project}/flags/twice`)).data).toMatchObject({ name: 'Twice', version: 3 });
    const stale = await write([serves('twice', { version: 1 })]);
    expect(stale.json.error.details).toMatchObject([{ path: 'writes.0.version', current: 2 }]);
  });

  it('defers the writes that need approval, and applies the others', async () => {
    await flags.protect('watched');
    const answer = await write([newFlag('guarded'), serves('guarded', { environment: 'watched' }), serves('guarded')]);
    expect(answer.data.results.map(({ status }: { status: string }) => status)).toEqual([
      'applied',
      'waiting',
      'applied',
    ]);
    expect(answer.data.results[1].change).toMatchObject({ flag: 'guarded', environment: 'watched', status: 'pending' });
    expect((await flags.targeting('guarded', 'watched')).enabled).toBe(false);
    expect((await flags.targeting('guarded')).enabled).toBe(true);
  });

  it('is rejected for a token that is limited to one environment', async () => {
    const token = await user.token(['flags:read', 'flags:write'], { project: 'default', environment: 'development' });
    const pinned = testClient(server.base, { bearer: token });
    const answer = await pinned.post(`${user.project}/flag-batches`, { writes: [newFlag('foreign')] });
    expect([403, 404]).toContain(answer.status);
    expect((await keys()).flags).not.toContain('foreign');
  });

  it('takes an environment by its key and by its id as one', async () => {
    const environments: { id: string; key: string }[] = (await user.get(`${user.project}/environments`)).data;
    const id = environments.find(({ key }) => key === 'production')?.id;
    const answer = await write([
      newFlag('of-one-place'),
      serves('of-one-place'),
      serves('of-one-place', { environment: id, enabled: false }),
    ]);
    expect(answer.status, answer.text).toBe(200);
    expect((await flags.targeting('of-one-place')).enabled).toBe(false);
  });
});
