import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import type { Attempt, Notification } from '../notification.ts';
import { type AlertingWorld, alertingWorld } from './testing/alerting-world.ts';
import { type Recorder, startRecorder } from './testing/recorder.ts';

const second = 1_000;
const minute = 60 * second;

describe.each(testStores)('notifications on %s', (_name, startStore) => {
  let store: TestStore;
  let database: TestDatabase;
  let world: AlertingWorld;
  let recorder: Recorder;
  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    database = await store.fresh();
    world = await alertingWorld(database.db);
    recorder = await startRecorder(world.clock);
  });
  afterEach(async () => {
    await world.stop();
    await recorder.stop();
    await database.close();
  });

  const messages = (path: string) =>
    recorder.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as Notification);
  const said = (path: string) =>
    messages(path).map(({ alerts }) => alerts.map(({ status, labels }) => `${status} ${labels.alertname}`).sort());

  async function oneChannel(name = 'hook', changes: Parameters<AlertingWorld['addChannel']>[2] = {}): Promise<string> {
    const id = await world.addChannel(name, `${recorder.base}/${name}`, changes);
    await world.route({ channels: [id], group_by: [], group_wait: '0s', group_interval: '10s' });
    return id;
  }

  /** Lets time pass in steps, and does what is due at each. */
  async function pass(ms: number, stepMs = second, engine = world.own.engine): Promise<void> {
    for (const end = world.clock.ms + ms; world.clock.ms < end; ) {
      world.clock.ms = Math.min(end, world.clock.ms + stepMs);
      await engine.runDue();
    }
  }

  it('say what fires and what resolved, with the address of the alert', async () => {
    await oneChannel();
    const texts = {
      annotations: { summary: '{{ labels.service }} fails: {{ value }}' },
      runbook_url: 'https://wiki.example.com',
    };
    world.rules.set('Checkout fails', await world.addRule('Checkout fails', texts));
    const id = await world.fire({ alertname: 'Checkout fails', service: 'cart' });
    await world.own.engine.runDue();
    await world.resolve({ alertname: 'Checkout fails', service: 'cart' });
    await pass(10 * second);
    const [first, last] = messages('/hook');
    expect(first).toMatchObject({
      status: 'firing',
      commonLabels: { alertname: 'Checkout fails', service: 'cart' },
      commonAnnotations: { summary: 'cart fails: 1', runbook_url: 'https://wiki.example.com' },
      truncated: { firing: 0, resolved: 0 },
      alerts: [{ status: 'firing', endsAt: null, instanceId: id, value: 1 }],
    });
    expect(first?.alerts[0]?.generatorUrl).toContain(`/w/${world.tenant.workspace.slug}/default/alerts/${id}`);
    expect(last).toMatchObject({ status: 'resolved', groupKey: first?.groupKey, alerts: [{ status: 'resolved' }] });
  });

  it('explain alerts to those who hear of them for the first time, and are sent where that fails', async () => {
    const id = await world.addChannel('hook', `${recorder.base}/hook`);
    await world.route({ channels: [id], group_by: [], group_wait: '0s', group_interval: '10s', repeat_interval: '1m' });
    const explained: string[] = [];
    const { engine } = world.notifications({
      explain: async (workspaceId, instanceId) => {
        explained.push(instanceId);
        expect(workspaceId).toBe(world.tenant.workspace.id);
        if (explained.length > 1) throw new Error('the store is away');
        return { failing: 'status == error' };
      },
    });
    const first = await world.fire({ alertname: 'a' });
    await pass(second, second, engine);
    const cart = await world.fire({ alertname: 'a', service: 'cart' });
    await pass(2 * minute, 10 * second, engine);
    const all = messages('/hook').map(({ alerts }) =>
      alerts.map(({ instanceId, explanation }) => [instanceId, explanation]),
    );
    expect(all[0]).toEqual([[first, { failing: 'status == error' }]]);
    expect(all[1]?.map(([instanceId]) => instanceId)).toContain(cart);
    expect(
      all
        .slice(1)
        .flat()
        .every(([, explanation]) => explanation === undefined),
    ).toBe(true);
    // Repeated messages ask for nothing.
    expect(explained.length).toBeLessThanOrEqual(3);
    expect(all.length).toBeGreaterThan(2);
  });

  it('are tried again with the same key and the same bytes, further and further apart, and when the receiver asks', async () => {
    const channel = await oneChannel();
    const began = world.clock.ms;
    recorder.answers(() => {
      if (recorder.received.length >= 5) return { status: 200 };
      return recorder.received.length === 3 ? { status: 429, retryAfter: '20' } : { status: 503 };
    });
    const id = await world.fire({ alertname: 'a' });
    await pass(2 * minute);
    // The group is flushed at the first step; then 1, 2 and 4 s, what the receiver asked for, and 16 s.
    expect(recorder.received.map(({ at }) => (at - began) / second)).toEqual([1, 2, 4, 8, 28, 44]);
    expect(new Set(recorder.received.map(({ body, headers }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1);
    const [delivery] = await world.own.deliveriesOf(world.tenant.workspace.id, id);
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 6,
      answer_status: 200,
      answer: 'answer 200',
      error: null,
    });
    expect(await world.channel(channel)).toMatchObject({ health: 'healthy' });
  });

  it('are given up after an hour: the channel is unhealthy, and another one gets them', async () => {
    const spare = await world.addChannel('spare', `${recorder.base}/spare`);
    const channel = await oneChannel('hook', { fallback: spare });
    recorder.answers((path) => ({ status: path === '/hook' ? 500 : 200 }));
    const id = await world.fire({ alertname: 'a' });
    await pass(59 * minute, minute);
    expect(said('/spare')).toEqual([]);
    await pass(3 * minute, minute);
    expect(said('/spare')).toEqual([['firing a']]);
    expect(await world.channel(channel)).toMatchObject({ health: 'unhealthy', health_error: 'status 500' });
    const deliveries = await world.own.deliveriesOf(world.tenant.workspace.id, id);
    expect(deliveries.map(({ channel: { name }, status, fallback }) => [name, status, fallback])).toEqual([
      ['spare', 'delivered', true],
      ['hook', 'failed', false],
    ]);
    expect(deliveries[1]).toMatchObject({ answer_status: 500, answer: 'answer 500', error: 'status 500' });
  });

  it('are still tried after an hour in which nothing ran', async () => {
    await oneChannel();
    recorder.answers(() => ({ status: recorder.received.length < 3 ? 503 : 200 }));
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    world.clock.ms += 90 * minute;
    await pass(minute);
    expect(recorder.received.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
  });

  it('are not tried again after a final answer, and go through at most three other channels', async () => {
    let fallback = await world.addChannel('f5', `${recorder.base}/f5`);
    for (const name of ['f4', 'f3', 'f2', 'f1'])
      fallback = await world.addChannel(name, `${recorder.base}/${name}`, { fallback });
    await oneChannel('hook', { fallback });
    recorder.answers(() => ({ status: 404 }));
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    expect(recorder.received.map(({ path }) => path)).toEqual(['/hook', '/f1', '/f2', '/f3']);
  });

  it('reach a channel in order: a resolution waits for what is tried again before it', async () => {
    await oneChannel();
    recorder.answers(() => ({ status: world.clock.ms < until ? 500 : 200 }));
    const until = world.clock.ms + 40 * second;
    await world.fire({ alertname: 'a' });
    await pass(5 * second);
    await world.resolve({ alertname: 'a' });
    await pass(2 * minute);
    const accepted = recorder.received
      .filter(({ status }) => status === 200)
      .map(({ body }) => JSON.parse(body).status);
    expect(accepted).toEqual(['firing', 'resolved']);
    expect(
      new Set(recorder.received.filter(({ status }) => status === 500).map(({ body }) => JSON.parse(body).status)),
    ).toEqual(new Set(['firing']));
  });

  it('are not repeated while one is on its way, and then the repeat interval after it was accepted', async () => {
    await oneChannel();
    await world.route({ repeat_interval: '10m' });
    const began = world.clock.ms;
    recorder.answers(() => ({ status: world.clock.ms < began + 35 * minute ? 503 : 200 }));
    await world.fire({ alertname: 'a' });
    await pass(50 * minute, 10 * second);
    const accepted = recorder.received.filter(({ status }) => status === 200);
    expect(new Set(recorder.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(accepted.length);
    const [first = 0, again = 0, ...others] = accepted.map(({ at }) => at);
    expect(first - began).toBeGreaterThanOrEqual(35 * minute);
    expect(again - first).toBeGreaterThan(10 * minute);
    expect(again - first).toBeLessThanOrEqual(10 * minute + 20 * second);
    expect(others).toEqual([]);
  });

  it('are not delayed by a clock that goes back an hour', async () => {
    await oneChannel();
    recorder.answers(() => ({ status: recorder.received.length === 1 ? 503 : 200 }));
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    await world.fire({ alertname: 'b' });
    // The second message is refused, and is tried again a second later by the old time.
    await pass(10 * second);
    world.clock.ms -= 60 * minute;
    await world.resolve({ alertname: 'a' });
    await pass(12 * second);
    expect(said('/hook')).toEqual([
      ['firing a'],
      ['firing a', 'firing b'],
      ['firing a', 'firing b'],
      ['firing b', 'resolved a'],
    ]);
  });

  it('to one slow channel leave room for others', async () => {
    const slow = await world.addChannel('slow', 'slow');
    const quick = await world.addChannel('quick', 'quick');
    await world.route({ channels: [slow, quick], group_by: ['...'], group_wait: '0s' });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sent: string[] = [];
    const sentTo = (name: string) => sent.filter((one) => one === name).length;
    const delivered: Attempt = { kind: 'delivered', status: 200, answer: '' };
    const engine = world.notifications({
      concurrency: 4,
      channelConcurrency: 2,
      sender: {
        render: () => '',
        async send({ name }) {
          sent.push(name);
          if (name === 'slow') await held;
          return delivered;
        },
      },
    }).engine;
    for (let n = 0; n < 8; n++) await world.fire({ alertname: 'a', n: `${n}` });
    const done = engine.runDue();
    await expect.poll(() => [sentTo('quick'), sentTo('slow')]).toEqual([8, 2]);
    release();
    await done;
    expect(sent).toHaveLength(16);
  });

  it('are sent again by another replica when one dies while it sends, with the same key', async () => {
    await oneChannel();
    let die: () => void = () => {};
    const dead = new Promise<Attempt>((resolve) => {
      die = () => resolve({ kind: 'final', status: 400, error: 'late' });
    });
    const keys: string[] = [];
    const one = world.notifications({
      holder: 'one',
      sender: {
        render: () => 'the message',
        send: (_channel, body, key) => {
          keys.push(`${key} ${body}`);
          return dead;
        },
      },
    }).engine;
    const two = world.notifications({ holder: 'two' }).engine;
    await world.fire({ alertname: 'a' });
    const hanging = one.runDue();
    await expect.poll(() => keys.length).toBe(1);
    await two.runDue();
    expect(recorder.received).toEqual([]);
    await pass(2 * minute, 10 * second, two);
    expect(recorder.received.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).toEqual(keys);
    // What the first one says afterwards does not count.
    die();
    await hanging;
    const rows = await database.db.selectFrom('notification_deliveries').select(['status', 'error']).execute();
    expect(rows).toEqual([{ status: 'delivered', error: null }]);
  });

  it('are decided once by two replicas', async () => {
    await oneChannel();
    await world.route({ group_by: ['...'] });
    const engines = [world.notifications({ holder: 'one' }).engine, world.notifications({ holder: 'two' }).engine];
    for (let n = 0; n < 20; n++) await world.fire({ alertname: 'a', n: `${n}` });
    for (let i = 0; i < 5; i++) {
      world.clock.ms += 10 * second;
      await Promise.all(engines.map((engine) => engine.runDue()));
    }
    expect(recorder.received).toHaveLength(20);
  });

  it('report the end of an alert whose rule is deleted', async () => {
    await oneChannel();
    await world.fire({ alertname: 'a', service: 'cart' });
    await world.own.engine.runDue();
    const ruleId = world.rules.get('a') ?? '';
    await database.db.transaction().execute(async (trx) => {
      await world.own.removed(trx, ruleId, new Date(world.clock.ms));
      await trx.deleteFrom('alert_rules').where('id', '=', ruleId).execute();
    });
    await pass(minute, 10 * second);
    expect(said('/hook')).toEqual([['firing a'], ['resolved a']]);
    expect(messages('/hook')[1]?.alerts[0]).toMatchObject({ labels: { service: 'cart' }, ruleId });
  });

  it('report the end of an alert whose project is removed', async () => {
    await oneChannel();
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    const removed = database.db.updateTable('projects').set({ deleted_at: new Date(world.clock.ms) });
    await removed.where('id', '=', world.tenant.project.id).execute();
    await pass(minute, 10 * second);
    expect(said('/hook')).toEqual([['firing a'], ['resolved a']]);
  });

  it('go to the new channel when the routing changes, and the former one hears of the end', async () => {
    await oneChannel('old');
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    const fresh = await world.addChannel('new', `${recorder.base}/new`);
    const policy = { name: 'a', matchers: ['alertname=a'], channels: [fresh], continue: false, mute: [], active: [] };
    const inherited = { group_by: null, group_wait: null, group_interval: null, repeat_interval: '1m' };
    await world.addPolicy({ ...policy, ...inherited });
    await world.route({ repeat_interval: '1m' });
    await pass(90 * second);
    expect([said('/old'), said('/new')]).toEqual([[['firing a']], [['firing a'], ['firing a']]]);
    await world.resolve({ alertname: 'a' });
    await pass(30 * second);
    expect([said('/old').at(-1), said('/new').at(-1)]).toEqual([['resolved a'], ['resolved a']]);
  });

  it('tell a channel that a policy does not use any more of the end', async () => {
    await oneChannel('old');
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    await world.route({ channels: [await world.addChannel('new', `${recorder.base}/new`)] });
    await pass(15 * second);
    await world.resolve({ alertname: 'a' });
    await pass(15 * second);
    expect([said('/old'), said('/new')]).toEqual([
      [['firing a'], ['resolved a']],
      [['firing a'], ['resolved a']],
    ]);
  });

  it('report a resolution after the silence in which it came', async () => {
    await oneChannel();
    await world.fire({ alertname: 'a' });
    await world.own.engine.runDue();
    await world.silence([{ name: 'alertname', op: '=', value: 'a' }], 0, 30 * second);
    await world.resolve({ alertname: 'a' });
    await pass(25 * second);
    expect(said('/hook')).toEqual([['firing a']]);
    await pass(15 * second);
    expect(said('/hook')).toEqual([['firing a'], ['resolved a']]);
  });

  it('wait while a time interval mutes the policy', async () => {
    await oneChannel();
    const hour = new Date(world.clock.ms).getUTCHours();
    const mute = [{ times: [{ start: `${hour}:00`.padStart(5, '0'), end: `${hour}:30`.padStart(5, '0') }] }];
    await world.route({ mute });
    await world.fire({ alertname: 'a' });
    await pass(29 * minute, minute);
    expect(said('/hook')).toEqual([]);
    await pass(2 * minute, minute);
    expect(said('/hook')).toEqual([['firing a']]);
  });

  it('are forgotten with the transaction that wrote the state', async () => {
    await oneChannel();
    const id = await world.fire({ alertname: 'other' });
    await world.own.engine.runDue();
    const rolledBack = database.db.transaction().execute(async (trx) => {
      const alert = { instanceId: id, labels: { alertname: 'a' }, startedAt: world.clock.ms };
      await world.own.fired(trx, world.tenant.workspace.id, [alert], new Date(world.clock.ms));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await pass(minute, 10 * second);
    expect(said('/hook')).toEqual([['firing other']]);
  });

  it('name at most so many alerts, and count the others', async () => {
    await oneChannel();
    const engine = world.notifications({ maxAlerts: 3 }).engine;
    for (let n = 0; n < 5; n++) await world.fire({ alertname: 'a', n: `${n}` });
    await engine.runDue();
    expect(messages('/hook')[0]).toMatchObject({
      truncated: { firing: 2, resolved: 0 },
      commonLabels: { alertname: 'a' },
    });
    expect(messages('/hook')[0]?.alerts).toHaveLength(3);
  });

  it('of a removed workspace are not sent', async () => {
    await oneChannel();
    await world.fire({ alertname: 'a' });
    const removed = database.db.updateTable('workspaces').set({ deleted_at: new Date(world.clock.ms) });
    await removed.where('id', '=', world.tenant.workspace.id).execute();
    await pass(minute, 10 * second);
    expect(recorder.received).toEqual([]);
  });
});
