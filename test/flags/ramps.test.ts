import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, type TestClient, until } from '../../packages/server/src/testing/test-client.ts';
import { auditedOnce, colleague, type Flags, half, startFlags } from './support.ts';

describe('ramps', () => {
  let stop: (() => Promise<void>) | undefined;
  let user: SignedUp;
  let sdk: TestClient;
  let flags: Flags;

  beforeAll(async () => {
    ({ stop, user, sdk, flags } = await startFlags('ramps'));
  });
  afterAll(() => stop?.());

  const rampPath = (key: string, verb = '') => `${flags.path(key)}/ramp${verb && `/${verb}`}`;
  const units = Array.from({ length: 200 }, (_, i) => `unit-${i}`);
  const evaluate = async (key: string, targetingKey: string) =>
    (await sdk.post(`/api/v1/sdk/flags/evaluate/${key}`, { context: { targetingKey } })).data;
  const members = async (key: string) => {
    const answers = await Promise.all(units.map((unit) => evaluate(key, unit)));
    return new Set(units.filter((_, i) => answers[i].value === true));
  };
  /** A unit of a ramp: all have its reason, whether or not they are measured. */
  const unitOfRamp = async (key: string) => {
    const answers = await Promise.all(units.map((unit) => evaluate(key, unit)));
    expect(new Set(answers.map(({ reason }) => reason))).toEqual(new Set(['TRACKED_ROLLOUT']));
    return units[0];
  };
  const ready = async (key: string, change: object = { fallthrough: { variant: 'false' } }) => {
    await flags.create(key);
    await flags.serve(key, change);
  };
  const steps = (...weights: number[]) => weights.map((weight) => ({ weight, hold: '1h' }));

  it('serves the variant to a share, tracks both arms, and reverts when aborted', async () => {
    await ready('share');
    const { answer, action } = await auditedOnce(user, () =>
      user.post(rampPath('share'), { variant: 'true', steps: steps(30_000, 100_000) }),
    );
    expect(answer.status, answer.text).toBe(201);
    expect(action).toBe('ramps.start');
    expect(answer.data).toMatchObject({ status: 'running', step: 0, weight: 30_000, started_by: 'ramps' });
    expect(Date.parse(answer.data.next_step_at) - Date.parse(answer.data.step_started_at)).toBe(3_600_000);
    const { size } = await members('share');
    expect(size).toBeGreaterThan(30);
    expect(size).toBeLessThan(90);
    const unit = await unitOfRamp('share');
    const ofrep = await sdk.post('/ofrep/v1/evaluate/flags/share', { context: { targetingKey: unit } });
    expect(ofrep.json.reason).toBe('SPLIT');
    expect(await flags.targeting('share')).toMatchObject({
      version: 1,
      fallthrough: { variant: 'false' },
      ramp: { status: 'running', variant: 'true', weight: 30_000 },
    });
    const aborted = await auditedOnce(user, () => user.post(rampPath('share', 'abort'), { comment: 'errors' }));
    expect(aborted.action).toBe('ramps.abort');
    expect(aborted.answer.data).toMatchObject({ status: 'aborted', ended_at: expect.any(String), next_step_at: null });
    expect(await evaluate('share', 'x')).toMatchObject({ reason: 'FALLTHROUGH', value: false });
    expect((await flags.targeting('share')).ramp).toBeNull();
    expect((await user.post(rampPath('share', 'abort'))).json.error.code).toBe('SVC-4021');
    const kinds = (await user.get(`${user.project}/flags/share/changes`)).data.map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(kinds).toEqual(['ramp', 'ramp', 'targeting', 'created']);
  });

  it('lists the ramps of all flags, newest first, by state, environment and flag', async () => {
    await ready('listed-first');
    await ready('listed-second');
    const ramp = { variant: 'true', steps: steps(30_000, 60_000) };
    for (const key of ['listed-first', 'listed-second'])
      expect((await user.post(rampPath(key), ramp)).status).toBe(201);
    expect((await user.post(rampPath('listed-first', 'abort'))).status).toBe(200);
    const keys = async (query: string) => {
      const answer = await user.get(`${user.project}/ramps?limit=500${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.data.map(({ flag }: { flag: string }) => flag).filter((key: string) => key.startsWith('listed-'));
    };
    expect(await keys('')).toEqual(['listed-second', 'listed-first']);
    expect(await keys('&state=active')).toEqual(['listed-second']);
    expect(await keys('&state=ended&environment=production')).toEqual(['listed-first']);
    expect(await keys('&environment=development')).toEqual([]);
    expect(await keys('&environment=production&flag=listed-first')).toEqual(['listed-first']);
    expect((await user.get(`${user.project}/ramps?flag=listed-never`)).status).toBe(404);
    const first = await user.get(`${user.project}/ramps?state=active&limit=1`);
    expect(first.data[0]).toEqual((await user.get(rampPath(first.data[0].flag))).data);
    if (first.json.meta.next_cursor !== null) {
      const rest = await user.get(`${user.project}/ramps?state=active&cursor=${first.json.meta.next_cursor}`);
      expect(rest.data.map(({ id }: { id: string }) => id)).not.toContain(first.data[0].id);
    }
  });

  it('moves no unit when it extends a percentage, and selects the same units when restarted', async () => {
    await ready('grown', { fallthrough: { rollout: { weights: half } } });
    const before = await members('grown');
    await user.post(rampPath('grown'), { variant: 'true', steps: steps(50_000, 80_000) });
    expect(await members('grown')).toEqual(before);
    await user.post(rampPath('grown', 'abort'));
    await user.post(rampPath('grown'), { variant: 'true', steps: steps(80_000) });
    const after = await members('grown');
    for (const unit of before) expect(after.has(unit)).toBe(true);
    await user.post(rampPath('grown', 'abort'));
    await user.post(rampPath('grown'), { variant: 'true', steps: steps(80_000) });
    expect(await members('grown')).toEqual(after);
  });

  it('steps automatically, and its last share becomes the fallthrough', async () => {
    await ready('stepping');
    const hold = '1s';
    const started = await user.post(rampPath('stepping'), {
      variant: 'true',
      steps: [
        { weight: 20_000, hold },
        { weight: 60_000, hold },
      ],
    });
    const version = (await evaluate('stepping', 'x')).flag_version;
    await until(async () => (await user.get(rampPath('stepping'))).data.status === 'completed');
    const end = (await user.get(rampPath('stepping'))).data;
    expect(end).toMatchObject({ id: started.data.id, step: 1, weight: 60_000, next_step_at: null });
    await until(async () => (await evaluate('stepping', 'x')).reason === 'FALLTHROUGH');
    expect((await evaluate('stepping', 'x')).flag_version).toBe(version + 2);
    const { fallthrough, ramp } = await flags.targeting('stepping');
    expect(ramp).toBeNull();
    expect(fallthrough.rollout.weights).toEqual([
      { variant: 'true', weight: 60_000 },
      { variant: 'false', weight: 40_000 },
    ]);
    const actions = (await flags.audited()).slice(0, 3);
    expect(actions).toEqual(['ramps.complete', 'ramps.step', 'ramps.start']);
    const [, stepped] = (await user.get(`${user.project}/flags/stepping/changes`)).data;
    expect(stepped).toMatchObject({ kind: 'ramp', comment: 'step 2 of 2', actor: { type: 'system', name: 'ramps' } });
  });

  it('holds its step while paused, and continues with the remaining time', async () => {
    await ready('held');
    await user.post(rampPath('held'), { variant: 'true', steps: [{ weight: 10_000, hold: '1s' }, ...steps(100_000)] });
    const paused = await user.post(rampPath('held', 'pause'));
    expect(paused.data).toMatchObject({ status: 'paused', step: 0, next_step_at: null });
    expect((await user.post(rampPath('held', 'pause'))).status).toBe(409);
    // Another ramp has stepped meanwhile, so the job has run.
    await ready('meanwhile');
    await user.post(rampPath('meanwhile'), { variant: 'true', steps: [{ weight: 1, hold: '1s' }] });
    await until(async () => (await user.get(rampPath('meanwhile'))).data.status === 'completed');
    expect((await user.get(rampPath('held'))).data).toMatchObject({ status: 'paused', step: 0 });
    expect((await user.post(rampPath('held', 'resume'))).data.status).toBe('running');
    await until(async () => (await user.get(rampPath('held'))).data.step === 1);
  });

  it('allows changes of targets and rules but not of the fallthrough; pauses when the flag is turned off', async () => {
    await ready('edited');
    await user.post(rampPath('edited'), { variant: 'true', steps: steps(10_000) });
    const fallthrough = { variant: 'false' };
    const changed = await flags.put('edited', { fallthrough: { variant: 'true' } });
    expect([changed.status, changed.json.error.code]).toEqual([409, 'SVC-4019']);
    expect((await user.post(rampPath('edited'), { variant: 'true', steps: steps(1) })).status).toBe(409);
    await flags.serve('edited', { fallthrough, targets: [{ variant: 'true', values: ['vip'] }] });
    expect(await evaluate('edited', 'vip')).toMatchObject({ reason: 'TARGET_MATCH', value: true });
    await unitOfRamp('edited');
    await flags.serve('edited', { fallthrough, enabled: false });
    expect((await user.get(rampPath('edited'))).data.status).toBe('paused');
    await user.patch(`${user.project}/flags/edited`, { archived: true });
    expect((await user.get(rampPath('edited'))).data.status).toBe('aborted');
  });

  it('rejects steps that reduce a share or serve no one', async () => {
    await ready('refused', { fallthrough: { rollout: { weights: half } } });
    const start = async (body: object) => {
      const answer = await user.post(rampPath('refused'), { variant: 'true', steps: steps(60_000), ...body });
      return answer.status;
    };
    expect(await start({ steps: steps(40_000) })).toBe(422);
    expect(await start({ steps: steps(60_000, 60_000) })).toBe(422);
    expect(await start({ variant: 'maybe' })).toBe(422);
    expect(await start({ steps: [] })).toBe(422);
    expect(await start({ steps: [{ weight: 60_000, hold: 'soon' }] })).toBe(422);
    expect(await start({ version: 0 })).toBe(409);
    await flags.serve('refused', { enabled: false });
    expect(await start({ steps: steps(60_000) })).toBe(422);
    expect((await user.get(rampPath('refused'))).status).toBe(404);
    expect((await user.post(rampPath('nowhere'), { variant: 'true', steps: steps(1) })).status).toBe(404);
  });

  it('waits for approval in a protected environment; pausing and aborting do not', async () => {
    const reviewer = await colleague(user, 'ramp-reviewer', 'editor');
    await flags.protect('live');
    await flags.create('guarded-ramp');
    const path = `${flags.path('guarded-ramp', 'live')}`;
    const on = await flags.put('guarded-ramp', { fallthrough: { variant: 'false' } }, 'live');
    await reviewer.post(`${user.project}/flag-changes/${on.data.id}/approve`);
    const asked = await user.post(`${path}/ramp`, { variant: 'true', steps: steps(10_000) });
    expect([asked.status, asked.data.kind, asked.data.status]).toEqual([202, 'ramp', 'pending']);
    expect((await user.get(`${path}/ramp`)).status).toBe(404);
    const approved = await reviewer.post(`${user.project}/flag-changes/${asked.data.id}/approve`);
    expect(approved.data.status).toBe('applied');
    expect((await user.post(`${path}/ramp/pause`)).data.status).toBe('paused');
    expect((await user.post(`${path}/ramp/abort`)).data.status).toBe('aborted');
  });
});
