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
  ada = await newWorkspace(owner, 'routing');
});
afterAll(() => server?.stop());

const path = () => `${ada.workspace}/routing-policies`;
const named = (name: string, more: object = {}) => ({ name, matchers: [`team=${name}`], ...more });
const create = async (body: object) => (await ada.post(path(), body)).data;

async function newChannel(of: SignedUp = ada): Promise<string> {
  const channel = { name: `hook ${Math.random()}`, kind: 'webhook', config: { url: 'https://hooks.example.com/a' } };
  return (await of.post(`${of.workspace}/channels`, channel)).data.id;
}

describe('routing policies', () => {
  it('begin with a root that takes every alert, and that nobody can delete', async () => {
    const { data } = await ada.get(path());
    expect(data).toMatchObject([
      {
        parent: null,
        matchers: [],
        channels: [],
        version: 1,
        effective: { group_by: ['alertname'], group_wait: '30s', group_interval: '5m', repeat_interval: '4h' },
      },
    ]);
    const answers = [
      await ada.del(`${path()}/${data[0].id}`),
      await ada.patch(`${path()}/${data[0].id}`, { matchers: ['a=b'] }),
      await ada.patch(`${path()}/${data[0].id}`, { parent: data[0].id }),
    ];
    expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual(Array(3).fill([409, 'SVC-7031']));
  });

  it('inherit what they leave out, and are listed as a tree', async () => {
    const channel = await newChannel();
    const [root] = (await ada.get(path())).data;
    await ada.patch(`${path()}/${root.id}`, { channels: [channel], group_wait: '1s' });
    const b = await create(named('b', { group_by: ['...'] }));
    const a = await create(named('a', { position: 0, parent: b.id }));
    const first = await create(named('first', { position: 0 }));
    const { data } = await ada.get(path());
    expect(data.map(({ name, parent }: { name: string; parent: string | null }) => [name, parent])).toEqual([
      ['Root', null],
      ['b', root.id],
      ['a', b.id],
      ['first', root.id],
    ]);
    expect(a).toMatchObject({
      channels: null,
      matchers: [{ name: 'team', op: '=', value: 'a' }],
      effective: { channels: [channel], group_by: ['...'], group_wait: '1s', group_interval: '5m' },
    });
    expect((await ada.get(`${path()}/${first.id}`)).data).toEqual(first);
    expect((await ada.del(`${path()}/${b.id}`)).json.error.code).toBe('SVC-7033');
    expect((await ada.del(`${path()}/${a.id}`)).status).toBe(204);
  });

  it('show where an alert would go', async () => {
    const one = await create(named('shop', { continue: true, group_by: ['service.name'] }));
    const office = [{ years: ['2020'], time_zone: 'Europe/Berlin' }];
    await create({
      name: 'cart',
      matchers: [{ name: 'service.name', op: '=~', value: 'cart|basket' }],
      active: office,
    });
    const labels = { team: 'shop', 'service.name': 'cart', region: 'eu' };
    const { data } = await ada.post(`${path()}/match`, { labels });
    expect(data.policies).toMatchObject([
      { id: one.id, path: [{ name: 'Root' }, { name: 'shop' }], group: { 'service.name': 'cart' }, muted: false },
      { path: [{ name: 'Root' }, { name: 'cart' }], group: {}, muted: true },
    ]);
    const elsewhere = (await ada.post(`${path()}/match`, { labels: { alertname: 'x' } })).data.policies;
    expect(elsewhere).toMatchObject([{ path: [{ name: 'Root' }], group: { alertname: 'x' }, channels: [] }]);
  });

  it('change by version', async () => {
    const { id } = await create(named('a'));
    const changed = await ada.patch(`${path()}/${id}`, {
      version: 1,
      repeat_interval: '1d',
      matchers: ['team!~"b|c"'],
    });
    expect(changed.data).toMatchObject({
      version: 2,
      repeat_interval: '1d',
      name: 'a',
      matchers: [{ name: 'team', op: '!~', value: 'b|c' }],
    });
    const stale = await ada.patch(`${path()}/${id}`, { version: 1, name: 'x' });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
  });

  it('keep the channels that they use from being deleted', async () => {
    const channel = await newChannel();
    const { id } = await create(named('a', { channels: [channel] }));
    const channelPath = `${ada.workspace}/channels/${channel}`;
    expect((await ada.del(channelPath)).status).toBe(409);
    await ada.patch(`${path()}/${id}`, { channels: null });
    expect((await ada.del(channelPath)).status).toBe(204);
  });

  it('cannot form a circle', async () => {
    const a = await create(named('a'));
    const b = await create(named('b', { parent: a.id }));
    const answers = [
      await ada.patch(`${path()}/${a.id}`, { parent: a.id }),
      await ada.patch(`${path()}/${a.id}`, { parent: b.id }),
    ];
    expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual(Array(2).fill([409, 'SVC-7032']));
  });

  it('are nested at most ten levels deep', async () => {
    let parent = (await ada.get(path())).data[0].id;
    for (let depth = 1; depth < 10; depth++) parent = (await create(named(`${depth}`, { parent }))).id;
    const answer = await ada.post(path(), named('deeper', { parent }));
    expect([answer.status, answer.json.error.message]).toEqual([
      422,
      expect.stringMatching(/nested at most 10 levels/),
    ]);
  });

  it.each([
    ['no matchers', { matchers: [] }, 'SVC-1002', /matchers/],
    ['a matcher without a name', { matchers: [{ name: '', op: '=', value: 'x' }] }, 'SVC-1002', /name/],
    ['a matcher without a name, as text', { matchers: ['=x'] }, 'SVC-7030', /matchers\[0\].*label name/],
    ['a broken text', { matchers: ['a=b', '{a="b'] }, 'SVC-7030', /matchers\[1\].*closing quote/],
    ['an unknown operator', { matchers: [{ name: 'a', op: '==', value: 'x' }] }, 'SVC-1002', /op/],
    ['a pattern that explodes', { matchers: ['a=~"((a{1,30}){1,30}){1,30}"'] }, 'SVC-7030', /too large|not an RE2/],
    ['patterns that are too large together', { matchers: Array(3).fill('a=~"(a?){200}"') }, 'SVC-7030', /too large/],
    ['a back-reference', { matchers: ['a=~"(a)\\\\1"'] }, 'SVC-7030', /not an RE2 pattern/],
    ['21 matchers', { matchers: Array(21).fill('a=b') }, 'SVC-1002', /matchers/],
    ['21 matchers in one text', { matchers: [Array(21).fill('a=b').join(',')] }, 'SVC-7030', /more than 20/],
    ['an unknown parent', { parent: '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f' }, 'SVC-7030', /parent/],
    ['an unknown channel', { channels: ['019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f'] }, 'SVC-7030', /channels\[0\]/],
    ['... among labels', { group_by: ['...', 'a'] }, 'SVC-7030', /group_by/],
    ['a wait of two days', { group_wait: '2d' }, 'SVC-7030', /group_wait must be at most 1d/],
    ['an interval of nothing', { group_interval: '0s' }, 'SVC-7030', /group_interval must be from 1s/],
    ['a repeat of two months', { repeat_interval: '60d' }, 'SVC-7030', /repeat_interval/],
    ['an unknown time zone', { mute: [{ time_zone: 'Mars/Phobos' }] }, 'SVC-7030', /mute\[0\].*time zone/],
    ['an unknown weekday', { active: [{ weekdays: ['someday'] }] }, 'SVC-7030', /active\[0\].*weekday/],
    ['an unknown field', { recievers: [] }, 'SVC-1002', /recievers/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await ada.post(path(), { ...named('a'), ...changes });
    expect([answer.status, answer.json.error.code]).toEqual([422, code]);
    expect(answer.json.error.message).toMatch(message);
  });

  it('of another workspace do not exist, nor do its channels', async () => {
    const eve = await newWorkspace(owner, 'other');
    const { id } = await create(named('a'));
    const foreign = `${eve.workspace}/routing-policies/${id}`;
    const answers = [await eve.get(foreign), await eve.patch(foreign, { name: 'x' }), await eve.del(foreign)];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const channel = await newChannel(eve);
    expect((await ada.patch(`${path()}/${id}`, { channels: [channel] })).status).toBe(422);
    const parent = (await eve.get(`${eve.workspace}/routing-policies`)).data[0].id;
    expect((await ada.patch(`${path()}/${id}`, { parent })).status).toBe(422);
  });
});
