import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let owner: SignedUp;
let ada: SignedUp;
beforeAll(async () => {
  server = await startTestServer();
  owner = await signUp(server.base, 'ada');
});
beforeEach(async () => {
  ada = await newWorkspace(owner, 'silences');
});
afterAll(() => server?.stop());

const path = () => `${ada.workspace}/silences`;
const silence = {
  matchers: [{ name: 'service.name', op: '=', value: 'checkout' }],
  ends_at: 'now+1h',
  comment: 'Known',
};

describe('silences', () => {
  it('are active at once, or pending, and expired ones stay listed', async () => {
    const active = await ada.post(path(), { ...silence, matchers: ['team=~"a|b"'] });
    expect(active.status).toBe(201);
    expect(active.data).toMatchObject({
      status: 'active',
      matched: 0,
      comment: 'Known',
      matchers: [{ name: 'team', op: '=~', value: 'a|b' }],
    });
    expect(Date.parse(active.data.ends_at) - Date.parse(active.data.starts_at)).toBe(3_600_000);
    const pending = (await ada.post(path(), { ...silence, starts_at: 'now+30m' })).data;
    expect(pending.status).toBe('pending');
    for (const { id } of [active.data, pending]) expect((await ada.del(`${path()}/${id}`)).status).toBe(204);
    const { data } = await ada.get(path());
    expect(data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [pending.id, 'expired'],
      [active.data.id, 'expired'],
    ]);
    // Ending it again changes nothing.
    expect((await ada.del(`${path()}/${pending.id}`)).status).toBe(204);
    expect((await ada.get(path())).data).toEqual(data);
    expect((await ada.get(`${path()}?status=active`)).data).toEqual([]);
    expect((await ada.get(`${path()}?status=expired`)).data).toHaveLength(2);
  });

  it.each([
    ['no matchers', { matchers: [] }, 'SVC-1002', /matchers/],
    ['matchers of every alert', { matchers: ['a=~".*"', 'b!=x'] }, 'SVC-7034', /match every alert/],
    ['a matcher without a name', { matchers: ['=~x'] }, 'SVC-7034', /matchers\[0\]/],
    ['a pattern that does not compile', { matchers: ['a=~"["'] }, 'SVC-7034', /not an RE2 pattern/],
    ['an end in the past', { ends_at: 'now-1m' }, 'SVC-7034', /ends_at is in the past/],
    ['a start in the past', { starts_at: 'now-1h' }, 'SVC-7034', /starts_at is in the past/],
    ['an end before the start', { starts_at: 'now+2h' }, 'SVC-7034', /ends_at must be after/],
    ['an end in two years', { ends_at: 'now+800d' }, 'SVC-7034', /366 days/],
    ['no comment', { comment: ' ' }, 'SVC-1002', /comment/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await ada.post(path(), { ...silence, ...changes });
    expect([answer.status, answer.json.error.code]).toEqual([422, code]);
    expect(answer.json.error.message).toMatch(message);
  });

  it('reject an invalid time', async () => {
    const answer = await ada.post(path(), { ...silence, ends_at: 'tomorrow' });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'SVC-5006']);
  });

  it('of another workspace do not exist', async () => {
    const { data } = await ada.post(path(), silence);
    const eve = await newWorkspace(owner, 'other');
    expect((await eve.del(`${eve.workspace}/silences/${data.id}`)).status).toBe(404);
    expect((await eve.get(`${eve.workspace}/silences`)).data).toEqual([]);
  });

  it('show what they would match before they are saved', async () => {
    const { data } = await ada.post(`${path()}/preview`, { matchers: silence.matchers });
    expect(data).toEqual({ matched: 0, instances: [] });
    const problem = await ada.post(`${path()}/preview`, { matchers: ['a=~"["'] });
    expect([problem.status, problem.json.error.code]).toEqual([422, 'SVC-7034']);
  });
});
