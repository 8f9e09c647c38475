import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp, TestClient } from '../../packages/server/src/testing/test-client.ts';
import { auditedOnce, colleague, type Flags, half, startFlags } from './support.ts';

const release = {
  variant: 'true',
  steps: [{ weight: 10_000, hold: '1h' }],
  guards: [{ metric: 'error_rate', tolerance: 0.01 }],
};

describe('guarded releases', () => {
  let stop: (() => Promise<void>) | undefined;
  let user: SignedUp;
  let sdk: TestClient;
  let flags: Flags;

  beforeAll(async () => {
    ({ stop, user, sdk, flags } = await startFlags('guarded'));
  });
  afterAll(() => stop?.());

  const at = (key: string, verb = '', environment = 'production') =>
    `${flags.path(key, environment)}/guarded-release${verb && `/${verb}`}`;
  const ready = async (key: string, environment = 'production') => {
    await flags.create(key);
    await flags.serve(key, { fallthrough: { variant: 'false' } }, environment);
    const written = await user.put(at(key, '', environment), release);
    expect(written.status, written.text).toBe(200);
    return written.data;
  };
  const codeOf = (answer: { status: number; json: { error: { code: string } } }) => [
    answer.status,
    answer.json.error.code,
  ];

  it('change nothing until they are armed, then serve and track both arms', async () => {
    const draft = await ready('armed');
    expect(draft).toMatchObject({
      state: 'draft',
      control: null,
      weight: 0,
      alpha: 0.05,
      watch: '24h',
      watching_until: null,
    });
    const evaluate = async (unit: string) =>
      (await sdk.post('/api/v1/sdk/flags/evaluate/armed', { context: { targetingKey: unit } })).data;
    expect((await evaluate('u')).reason).toBe('FALLTHROUGH');
    const { answer, action } = await auditedOnce(user, () => user.post(at('armed', 'arm'), { comment: 'go' }));
    expect(answer.status, answer.text).toBe(200);
    expect(action).toBe('guarded_releases.arm');
    expect(answer.data).toMatchObject({ state: 'armed', control: 'false', weight: 10_000, step: 0 });
    const answers = await Promise.all(Array.from({ length: 150 }, (_, i) => evaluate(`unit-${i}`)));
    const reasons = new Set(answers.map(({ variant, reason }) => `${variant} ${reason}`));
    expect(reasons).toEqual(new Set(['true TRACKED_ROLLOUT', 'false TRACKED_ROLLOUT']));
    expect((await flags.targeting('armed')).holder).toEqual({ kind: 'guarded_release', id: answer.data.id });
    expect(codeOf(await user.put(at('armed'), release))).toEqual([409, 'SVC-7137']);
    expect(codeOf(await user.del(at('armed')))).toEqual([409, 'SVC-7137']);
    expect(codeOf(await user.post(at('armed', 'arm')))).toEqual([409, 'SVC-7137']);
    const ramp = await user.post(`${flags.path('armed')}/ramp`, {
      variant: 'true',
      steps: [{ weight: 1, hold: '1h' }],
    });
    expect(codeOf(ramp)).toEqual([409, 'SVC-7132']);
    const ended = await user.post(at('armed', 'disarm'), { comment: 'enough' });
    expect(ended.data).toMatchObject({ state: 'disarmed', ended_reason: 'enough', weight: 0 });
    expect(await evaluate('unit-1')).toMatchObject({ variant: 'false', reason: 'FALLTHROUGH' });
    const events = (await user.get(`${at('armed', 'events')}?kind=decisions`)).data as { kind: string }[];
    expect(events.map(({ kind }) => kind)).toEqual(['disarmed', 'armed']);
    expect((await user.del(at('armed'))).status).toBe(204);
    expect(codeOf(await user.get(at('armed')))).toEqual([404, 'SVC-7135']);
  });

  it('of all flags are listed by state, environment and flag', async () => {
    await ready('listed-draft');
    await ready('listed-armed');
    expect((await user.post(at('listed-armed', 'arm'))).status).toBe(200);
    const listed = async (query: string) => {
      const answer = await user.get(`${user.project}/guarded-releases?limit=500${query}`);
      expect(answer.status, answer.text).toBe(200);
      return (answer.data as { flag: string }[]).filter(({ flag }) => flag.startsWith('listed-'));
    };
    const keys = async (query: string) => (await listed(query)).map(({ flag }) => flag);
    expect(await keys('')).toEqual(['listed-armed', 'listed-draft']);
    expect(await keys('&state=active&environment=production')).toEqual(['listed-armed']);
    expect(await keys('&state=draft')).toEqual(['listed-draft']);
    expect(await keys('&state=ended')).toEqual([]);
    expect(await keys('&flag=listed-draft')).toEqual(['listed-draft']);
    expect(await keys('&environment=development')).toEqual([]);
    expect(await listed('&state=draft')).toEqual([(await user.get(at('listed-draft'))).data]);
  });

  it('end when a person edits the flag, and archiving it ends them too', async () => {
    await ready('edited');
    await user.post(at('edited', 'arm'));
    await flags.serve('edited', { enabled: false, fallthrough: { variant: 'false' } });
    expect((await user.get(at('edited'))).data).toMatchObject({
      state: 'disarmed',
      ended_reason: 'guarded edited the targeting.',
    });
    await ready('archived');
    await user.post(at('archived', 'arm'));
    expect((await user.patch(`${user.project}/flags/archived`, { archived: true })).status).toBe(200);
    await user.patch(`${user.project}/flags/archived`, { archived: false });
    expect((await user.get(at('archived'))).data).toMatchObject({ state: 'disarmed', weight: 0 });
    expect((await flags.targeting('archived')).holder).toBeNull();
  });

  it('wait for approval where the environment asks for it, and nothing else is armed then', async () => {
    await flags.protect('guarded-env');
    await flags.create('approved');
    const on = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
    await user.put(flags.path('approved', 'guarded-env'), { ...on, bypass_approval: true });
    await user.put(at('approved', '', 'guarded-env'), release);
    const waiting = await user.post(at('approved', 'arm', 'guarded-env'));
    expect([waiting.status, waiting.data.kind]).toEqual([202, 'guarded_release']);
    expect((await user.get(at('approved', '', 'guarded-env'))).data.state).toBe('draft');
    const reviewer = await colleague(user, 'guard-reviewer', 'admin');
    const changes = `${user.project}/flag-changes`;
    // Edited after it was submitted: what was shown for approval is not what would be armed.
    const edited = { ...release, steps: [{ weight: 50_000, hold: '1m' }], version: 1 };
    expect((await user.put(at('approved', '', 'guarded-env'), edited)).status).toBe(200);
    const stale = await reviewer.post(`${changes}/${waiting.data.id}/approve`);
    expect(stale.data).toMatchObject({ status: 'failed', failure: expect.stringMatching(/stale version/) });
    const again = await user.post(at('approved', 'arm', 'guarded-env'));
    const approved = await reviewer.post(`${changes}/${again.data.id}/approve`);
    expect(approved.data.status, approved.text).toBe('applied');
    expect((await user.get(at('approved', '', 'guarded-env'))).data).toMatchObject({ state: 'armed', weight: 50_000 });
    // Ending it needs no approval.
    expect((await user.post(at('approved', 'disarm', 'guarded-env'))).status).toBe(200);
  });

  it('stay drafts when their approval is rejected, and can be submitted again', async () => {
    await flags.protect('guarded-refusing');
    await flags.create('refused');
    const on = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
    await user.put(flags.path('refused', 'guarded-refusing'), { ...on, bypass_approval: true });
    const place = (verb = '') => at('refused', verb, 'guarded-refusing');
    expect((await user.put(place(), release)).status).toBe(200);
    const waiting = await user.post(place('arm'));
    const reviewer = await colleague(user, 'guard-refuser', 'admin');
    const rejected = await reviewer.post(`${user.project}/flag-changes/${waiting.data.id}/reject`);
    expect(rejected.data.status, rejected.text).toBe('rejected');
    expect((await user.get(place())).data).toMatchObject({ state: 'draft', weight: 0, control: null });
    expect((await flags.targeting('refused', 'guarded-refusing')).holder).toBeNull();
    expect((await user.post(place('arm'))).status).toBe(202);
  });

  it.each([
    ['a variant that the flag does not have', { variant: 'blue' }, 'SVC-7136'],
    ['a metric that the project does not have', { guards: [{ metric: 'nothing' }] }, 'SVC-7136'],
    ['a guard of the same metric twice', { guards: [{ metric: 'error_rate' }, { metric: 'error_rate' }] }, 'SVC-7136'],
    ['steps that shrink', { steps: [...release.steps, { weight: 10_000, hold: '1h' }] }, 'SVC-7136'],
    ['a channel of nobody', { channels: ['019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f'] }, 'SVC-7136'],
    ['a channel that is no id', { channels: ['nope'] }, 'SVC-7136'],
    ['a watch that is too long', { watch: '31d' }, 'SVC-7136'],
    ['a watch that is no duration', { watch: 'forever' }, 'SVC-1002'],
    ['a step that leaves less than 1 % to the control group', { steps: [{ weight: 99_001, hold: '1h' }] }, 'SVC-1002'],
    ['no guard', { guards: [] }, 'SVC-1002'],
  ])('are rejected with %s', async (_name, change, code) => {
    if ((await user.get(`${user.project}/flags/rejected`)).status === 404) await ready('rejected');
    expect(codeOf(await user.put(at('rejected'), { ...release, version: 1, ...change }))).toEqual([422, code]);
  });

  it.each([
    ['gets several variants', { rollout: { weights: half } }, /control group/],
    ['gets the variant already', { variant: 'true' }, /already served/],
  ])('are not planned where everyone else %s', async (_name, fallthrough, message) => {
    const key = `dead-${Object.keys(fallthrough)[0]}`;
    await flags.create(key);
    await flags.serve(key, { fallthrough });
    const refused = await user.put(at(key), release);
    expect([codeOf(refused), refused.json.error.message]).toEqual([[422, 'SVC-7136'], expect.stringMatching(message)]);
    expect((await user.get(at(key))).status).toBe(404);
    await flags.serve(key, { fallthrough: { variant: 'false' } });
    const guards = [{ metric: 'error_rate', tolerance: 0.05, scale: 'relative' }];
    expect((await user.put(at(key), { ...release, guards })).data.guards).toMatchObject(guards);
    expect((await user.post(at(key, 'arm'))).status).toBe(200);
  });

  it('cannot be armed without a control group: where everyone else gets several variants', async () => {
    await ready('uncontrolled');
    await flags.serve('uncontrolled', { fallthrough: { rollout: { weights: half } } });
    const refused = await user.post(at('uncontrolled', 'arm'));
    expect(codeOf(refused)).toEqual([422, 'SVC-7136']);
    expect(refused.json.error.message).toMatch(/control group/);
  });

  it('cannot be armed for a flag that is off, or that serves the variant already', async () => {
    await ready('off');
    await flags.serve('off', { enabled: false, fallthrough: { variant: 'false' } });
    expect(codeOf(await user.post(at('off', 'arm')))).toEqual([422, 'SVC-7136']);
    await flags.serve('off', { fallthrough: { variant: 'true' } });
    expect(codeOf(await user.post(at('off', 'arm')))).toEqual([422, 'SVC-7136']);
  });
});
