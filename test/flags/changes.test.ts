import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SignedUp,
  signUp,
  type TestClient,
  testClient,
  until,
} from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { auditedOnce, colleague, flagsOf } from './support.ts';

describe('pending changes', () => {
  let server: TestServer;
  let author: SignedUp;
  let reviewer: TestClient;
  let admin: TestClient;
  let flags: ReturnType<typeof flagsOf>;

  beforeAll(async () => {
    server = await startTestServer();
    author = await signUp(server.base, 'author');
    reviewer = await colleague(author, 'reviewer', 'editor');
    admin = await colleague(author, 'admin', 'admin');
    flags = flagsOf(author);
    await flags.protect();
  });
  afterAll(() => server?.stop());

  const changes = `/flag-changes`;
  const changePath = (id: string, verb: string) => `${author.project}${changes}/${id}/${verb}`;
  const change = async (id: string) =>
    (await author.get(`${author.project}${changes}?limit=500`)).data.find((known: { id: string }) => known.id === id);
  /** A change of a protected environment, pending. */
  const propose = async (key: string, body: object = {}) => {
    const answer = await flags.put(key, body, 'guarded');
    expect(answer.status, answer.text).toBe(202);
    return answer.data;
  };

  it('hold a write to a protected environment until another user approves', async () => {
    await flags.create('careful');
    const { answer, action } = await auditedOnce(author, () => flags.put('careful', { comment: 'go' }, 'guarded'));
    expect(answer.status).toBe(202);
    expect(action).toBe('flags.set_targeting');
    expect(answer.data).toMatchObject({
      status: 'pending',
      kind: 'targeting',
      flag: 'careful',
      environment: 'guarded',
      base_version: 0,
      comment: 'go',
      created_by: 'author',
    });
    expect(answer.data.diff).toContainEqual({ path: 'enabled', kind: 'changed', before: false, after: true });
    expect((await flags.targeting('careful', 'guarded')).enabled).toBe(false);

    const self = await author.post(changePath(answer.data.id, 'approve'));
    expect([self.status, self.json.error.code]).toEqual([403, 'SVC-4017']);
    const token = await author.token(['flags:approve', 'flags:read'], { project: author.projectId });
    const selfByToken = await testClient(server.base, { bearer: token }).post(changePath(answer.data.id, 'approve'));
    expect(selfByToken.status).toBe(403);

    const approved = await auditedOnce(author, () =>
      reviewer.post(changePath(answer.data.id, 'approve'), { comment: 'ok' }),
    );
    expect(approved.action).toBe('flag_changes.approve');
    expect(approved.answer.data).toMatchObject({ status: 'applied', reviewed_by: 'reviewer', review_comment: 'ok' });
    expect(await flags.targeting('careful', 'guarded')).toMatchObject({
      enabled: true,
      version: 1,
      updated_by: 'author',
    });
    const again = await reviewer.post(changePath(answer.data.id, 'approve'));
    expect([again.status, again.json.error.code]).toEqual([409, 'SVC-4016']);
    const [latest] = (await author.get(`${author.project}/flags/careful/changes`)).data;
    expect(latest).toMatchObject({ change_id: answer.data.id, comment: 'go', actor: { name: 'author' } });
  });

  it('never take effect when rejected or withdrawn', async () => {
    await flags.create('unwanted');
    const first = await propose('unwanted');
    expect((await reviewer.post(changePath(first.id, 'reject'), { comment: 'no' })).data.status).toBe('rejected');
    const second = await propose('unwanted');
    expect((await author.post(changePath(second.id, 'cancel'))).data.status).toBe('cancelled');
    expect((await reviewer.post(changePath(second.id, 'approve'))).status).toBe(409);
    expect((await flags.targeting('unwanted', 'guarded')).enabled).toBe(false);
    const pending = await author.get(`${author.project}${changes}?status=pending`);
    expect(pending.data).toEqual([]);
  });

  it('fail with a reason if their base changed, and overwrite nothing', async () => {
    await flags.create('moved');
    const first = await propose('moved');
    const second = await propose('moved', { fallthrough: { variant: 'false' } });
    expect((await reviewer.post(changePath(first.id, 'approve'))).data.status).toBe('applied');
    const failed = await reviewer.post(changePath(second.id, 'approve'));
    expect(failed.data).toMatchObject({ status: 'failed', failure: expect.stringContaining('version 1 is current') });
    expect((await flags.targeting('moved', 'guarded')).fallthrough).toEqual({ variant: 'true' });
  });

  it('apply once under fifty concurrent approvals', async () => {
    await flags.create('rushed');
    const { id } = await propose('rushed');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? reviewer : admin).post(changePath(id, 'approve'))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await flags.targeting('rushed', 'guarded')).version).toBe(1);
  });

  it('hold indirect changes to a protected environment too', async () => {
    await flags.create('reaching', { kind: 'string', variants: [{ key: 'a', value: 'red' }] });
    await flags.create('needed');
    const { id } = await propose('reaching', { fallthrough: { variant: 'a' } });
    await reviewer.post(changePath(id, 'approve'));
    const flag = `${author.project}/flags/reaching`;

    expect((await author.patch(flag, { name: 'Only a name' })).status).toBe(200);
    const value = await author.patch(flag, { variants: [{ key: 'a', value: 'blue' }] });
    expect(value.data).toMatchObject({ status: 'pending', kind: 'flag', environment: null });
    expect((await reviewer.post(changePath(value.data.id, 'approve'))).data.status).toBe('applied');
    expect((await author.get(flag)).data.variants).toEqual([{ key: 'a', value: 'blue' }]);

    const prerequisites = [{ flag: 'needed', variants: ['true'] }];
    const gate = await author.put(`${flag}/prerequisites`, { prerequisites });
    expect(gate.data).toMatchObject({ status: 'pending', kind: 'prerequisites' });
    expect((await author.post(changePath(gate.data.id, 'cancel'))).status).toBe(200);

    const segment = `${author.project}/segments`;
    expect((await author.post(segment, { key: 'watched', name: 'Watched' })).status).toBe(201);
    // No protected environment uses it yet.
    expect((await author.patch(`${segment}/watched`, { included: ['u'] })).status).toBe(200);
    const use = await propose('reaching', {
      fallthrough: { variant: 'a' },
      rules: [{ clauses: [{ op: 'in_segment', values: ['watched'] }], variant: 'a' }],
    });
    expect((await reviewer.post(changePath(use.id, 'approve'))).data.status).toBe('applied');
    const edit = await author.patch(`${segment}/watched`, { add: { included: ['v'] } });
    expect(edit.data).toMatchObject({ status: 'pending', kind: 'segment', segment: 'watched', flag: null });
    expect((await author.get(`${segment}/watched`)).data.included).toEqual(['u']);
    expect((await reviewer.post(changePath(edit.data.id, 'approve'))).data.status).toBe('applied');
    expect((await author.get(`${segment}/watched`)).data.included).toEqual(['u', 'v']);

    const promoted = await author.post(`${flags.path('needed')}/promote`, { to: 'guarded', include_enabled: true });
    expect(promoted.status).toBe(202);
    const ramp = await author.post(`${flags.path('reaching', 'guarded')}/ramp`, {
      variant: 'a',
      steps: [{ weight: 100_000, hold: '1h' }],
    });
    expect(ramp.status).toBe(422);
  });

  it('require an explicit request to bypass approval, and log it', async () => {
    await flags.create('urgent');
    const bypass = { bypass_approval: true };
    const denied = await flags.put('urgent', bypass, 'guarded', reviewer);
    expect([denied.status, denied.json.error.message]).toEqual([
      403,
      'permission denied: flags:bypass_approval required',
    ]);
    expect((await flags.put('urgent', bypass, 'guarded', admin)).status).toBe(403);
    expect((await flags.put('urgent', bypass, 'guarded')).status).toBe(200);
    const [entry] = (await author.get(`/api/v1/audit?workspace=${author.workspaceId}&limit=1`)).data;
    expect(entry).toMatchObject({ action: 'flags.set_targeting', after: { bypassed_approval: true } });
    // Without an approval to bypass, the permission is not needed.
    expect((await flags.put('urgent', bypass, 'production', reviewer)).status).toBe(200);
  });

  it('need approval if the environment becomes protected while they wait', async () => {
    await flags.create('overtaken');
    const later = await author.post(`${flags.path('overtaken', 'development')}/changes`, {
      patch: { enabled: true },
      apply_at: 'now+1s',
    });
    expect(later.data.status).toBe('scheduled');
    await author.patch(`${author.project}/environments/development`, { requires_approval: true });
    const failed = await until(async () => {
      const now = await change(later.data.id);
      return now.status === 'failed' && now;
    });
    expect(failed.failure).toContain('development');
    await author.patch(`${author.project}/environments/development`, { requires_approval: false });
  });

  it('apply once at their scheduled time, and leave the rest unchanged', async () => {
    await flags.create('later');
    await flags.serve('later', { enabled: false, fallthrough: { variant: 'false' } });
    const path = `${flags.path('later')}/changes`;
    const { answer, action } = await auditedOnce(author, () =>
      author.post(path, { patch: { enabled: true }, apply_at: 'now+1s', comment: 'launch' }),
    );
    expect(answer.status, answer.text).toBe(201);
    expect(action).toBe('flags.defer_change');
    expect(answer.data).toMatchObject({ status: 'scheduled', base_version: 1, comment: 'launch' });
    expect(await flags.targeting('later')).toMatchObject({ enabled: false });
    await until(async () => (await flags.targeting('later')).enabled);
    expect(await flags.targeting('later')).toMatchObject({ version: 2, fallthrough: { variant: 'false' } });
    expect(await change(answer.data.id)).toMatchObject({ status: 'applied', applied_at: expect.any(String) });
    expect((await flags.audited())[0]).toBe('flag_changes.apply');
    expect((await author.get(`${path}?status=applied`)).data).toHaveLength(1);

    expect((await author.post(path, { patch: { enabled: true }, apply_at: 'now-1h' })).status).toBe(400);
    expect((await author.post(path, { patch: { enabled: true }, apply_at: 'soon' })).status).toBe(400);
    expect((await author.post(path, { patch: { on: true }, apply_at: 'now+1h' })).status).toBe(422);
    expect((await author.post(path, { patch: {}, apply_at: 'now+1h' })).status).toBe(422);
    const unknown = await author.post(path, { patch: { fallthrough: { variant: 'x' } }, apply_at: 'now+1h' });
    expect(unknown.status).toBe(422);
  });

  it('do not apply when withdrawn before their time, and fail after an intervening change', async () => {
    await flags.create('withdrawn');
    const path = `${flags.path('withdrawn')}/changes`;
    const defer = async (at: string) => (await author.post(path, { patch: { enabled: true }, apply_at: at })).data;
    const cancelled = await defer('now+2s');
    expect((await author.post(changePath(cancelled.id, 'cancel'))).data.status).toBe('cancelled');
    const conflicting = await defer('now+2s');
    await flags.serve('withdrawn', { enabled: false, fallthrough: { variant: 'false' } });
    await until(async () => (await change(conflicting.id)).status === 'failed');
    expect((await change(cancelled.id)).status).toBe('cancelled');
    expect(await flags.targeting('withdrawn')).toMatchObject({ enabled: false, version: 1 });
  });

  it('allow a review that is not required', async () => {
    await flags.create('reviewed');
    const asked = await author.post(`${flags.path('reviewed')}/changes`, { patch: { enabled: true } });
    expect(asked.data.status).toBe('pending');
    expect((await author.post(changePath(asked.data.id, 'approve'))).status).toBe(403);
    expect((await reviewer.post(changePath(asked.data.id, 'approve'))).data.status).toBe('applied');
    expect((await flags.targeting('reviewed')).enabled).toBe(true);
  });

  it('do not exist for other workspaces', async () => {
    const stranger = await signUp(server.base, 'stranger');
    await flags.create('private');
    const { id } = await propose('private');
    const foreign = `${stranger.project}${changes}/${id}/approve`;
    expect((await stranger.post(foreign)).status).toBe(404);
    expect((await stranger.post(changePath(id, 'approve'))).status).toBe(404);
    expect((await author.post(changePath('no-id', 'approve'))).status).toBe(404);
    const pinned = testClient(server.base, {
      bearer: await author.token(['flags:read', 'flags:approve', 'flags:write']),
    });
    expect((await pinned.post(changePath(id, 'cancel'))).status).toBe(404);
    const seen = (await pinned.get(`${author.project}${changes}?limit=500`)).data;
    expect(new Set(seen.map(({ environment }: { environment: string }) => environment))).toEqual(
      new Set(['production']),
    );
  });
});
