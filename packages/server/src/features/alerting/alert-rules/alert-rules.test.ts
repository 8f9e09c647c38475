import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, signUp, testClient, until } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const query = 'spans | stats value=ratio(status == error) by service.name';
const rule = { name: 'Checkout fails', project: 'default', query, condition: { op: '>', threshold: 0.5 } };
const path = () => `${world.ada.workspace}/alert-rules`;

function spansOf(service: string, count: number, failed: number, at = Date.now()) {
  const nanos = (ms: number) => String(BigInt(ms) * 1_000_000n);
  const hex = (length: number) => [...Array(length)].map(() => Math.floor(Math.random() * 16).toString(16)).join('');
  const spans = Array.from({ length: count }, (_, i) => ({
    traceId: hex(32),
    spanId: hex(16),
    name: 'GET /cart',
    startTimeUnixNano: nanos(at - 10),
    endTimeUnixNano: nanos(at),
    status: { code: i < failed ? 2 : 0 },
  }));
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

describe('alert rules', () => {
  it('are kept as they were written, with their defaults', async () => {
    const { status, data } = await world.ada.post(path(), { ...rule, every: '30s', labels: { team: 'shop' } });
    expect(status).toBe(201);
    expect(data).toMatchObject({
      name: 'Checkout fails',
      project: 'default',
      environment: null,
      kind: 'threshold',
      condition: { op: '>', threshold: 0.5, for: '0s', keep_firing_for: '0s' },
      every: '30s',
      window: '1m',
      offset: null,
      effective_offset: '1s',
      no_data: 'ok',
      missing_series: 'resolve',
      version: 1,
      health: { state: 'waiting', error: null, missed: 0 },
      firing: 0,
      created_by: { id: world.ada.userId },
    });
    expect((await world.ada.get(`${path()}/${data.id}`)).data).toEqual(data);
  });

  it('change by version, and are deleted', async () => {
    const { data } = await world.ada.post(path(), rule);
    const one = `${path()}/${data.id}`;
    const changed = await world.ada.patch(one, { version: 1, enabled: false, condition: { op: '<', threshold: 1 } });
    expect(changed.data).toMatchObject({ version: 2, enabled: false, condition: { op: '<' }, name: rule.name });
    const stale = await world.ada.patch(one, { version: 1, name: 'other' });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
    expect((await world.ada.del(one)).status).toBe(204);
    expect((await world.ada.get(one)).status).toBe(404);
    expect((await world.ada.del(one)).status).toBe(404);
  });

  it.each([
    ['a query that does not compile', { query: 'spans | wher x == 1' }, 'SVC-5001', /where/],
    ['a query of single rows', { query: 'logs | limit 5' }, 'SVC-7001', /single rows/],
    ['a query without a number', { query: 'spans | stats value=any(name)' }, 'SVC-7001', /no number/],
    ['a query of several numbers', { query: 'spans | stats a=count(), b=count()' }, 'SVC-7001', /several numbers/],
    ['a query with its own window', { query: 'from -1h; spans | stats value=count()' }, 'SVC-7001', /its own window/],
    [
      'a query that waits by itself',
      { query: 'spans | stats value=count() by bucket(1m) | where value > 1 for 5m' },
      'SVC-7001',
      /the rule's own `for`/,
    ],
    [
      'records around matches',
      { query: 'logs | context 5 | stats value=count()' },
      'SVC-7001',
      /Leave it out in a rule/,
    ],
    ['spans at each moment', { query: 'spans | concurrency 1m' }, 'SVC-7001', /groups by time/],
    ['a query by time', { query: 'spans | stats value=count() by bucket(1m)' }, 'SVC-7001', /groups by time/],
    ['an interval that is too short', { every: '0s' }, 'SVC-7001', /every must be from 1s to 1d/],
    ['a `for` beyond retention', { condition: { ...rule.condition, for: '9999d' } }, 'SVC-7001', /condition.for/],
    ['a threshold that is no number', { condition: { op: '>', threshold: 'NaN' } }, 'SVC-1002', /threshold/],
    ['a change without a window to compare with', { kind: 'change' }, 'SVC-7001', /change is missing/],
    ['a change that does not apply', { change: { ago: '1h' } }, 'SVC-7001', /does not apply/],
    [
      'a template that is not closed',
      { annotations: { summary: '{{ value' } },
      'SVC-7001',
      /annotations.summary .*not closed/,
    ],
    ['a template of unknown names', { annotations: { summary: '{{ lables.x }}' } }, 'SVC-7001', /unknown name lables/],
    ['an unknown field', { tresholds: 1 }, 'SVC-1002', /tresholds/],
    ['a label with a quote', { labels: { 'a"b': 'c' } }, 'SVC-1002', /label/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await world.ada.post(path(), { ...rule, ...changes });
    expect(answer.status).toBe(422);
    expect(answer.json.error.code).toBe(code);
    expect(answer.json.error.message).toMatch(message);
  });

  it('need the permission to read what they read', async () => {
    const role = await world.ada.post(`${world.ada.workspace}/roles`, {
      name: 'alerts only',
      permissions: ['alerts:read', 'alerts:write'],
    });
    const bob = await signUp(world.base, 'bob');
    await addMember(world.ada, bob, role.data.id);
    const client = testClient(world.base, { cookie: bob.cookie });
    const answer = await client.post(path(), rule);
    expect([answer.status, answer.json.error.message]).toEqual([403, 'permission denied: telemetry:query required']);
    const { data } = await world.ada.post(path(), rule);
    expect((await client.patch(`${path()}/${data.id}`, { query })).status).toBe(403);
    expect((await client.get(`${path()}/${data.id}`)).status).toBe(200);
  });

  it('of another workspace do not exist', async () => {
    const { data } = await world.ada.post(path(), rule);
    expect((await world.eve.get(`${world.eve.workspace}/alert-rules/${data.id}`)).status).toBe(404);
    expect((await world.eve.get(`${world.eve.workspace}/alert-instances?rule=${data.id}`)).data).toEqual([]);
  });
});

describe('instances', () => {
  it('fire by what was sent, one per group, and are found by label', async () => {
    await world.ada.ingest('traces', spansOf('billing', 10, 8));
    await world.ada.ingest('traces', spansOf('cart', 10, 1));
    const body = { ...rule, every: '10s', offset: '0s', window: '1h', labels: { team: 'shop' } };
    const { data } = await world.ada.post(path(), body);
    const list = () => world.ada.get(`${world.ada.workspace}/alert-instances?rule=${data.id}&state=firing`);
    const [instance] = await until(async () => ((await list()).data.length > 0 ? (await list()).data : undefined));
    expect(instance).toMatchObject({
      rule_id: data.id,
      rule_name: rule.name,
      project: 'default',
      environment: null,
      state: 'firing',
      labels: { alertname: rule.name, 'service.name': 'billing', team: 'shop' },
      value: 0.8,
      resolved_at: null,
      flapping: false,
    });
    const by = async (label: string) =>
      (await world.ada.get(`${world.ada.workspace}/alert-instances?rule=${data.id}&label=${label}`)).data.length;
    expect([await by('service.name=billing'), await by('service.name=cart')]).toEqual([1, 0]);
    expect((await world.ada.get(`${path()}/${data.id}`)).data).toMatchObject({ firing: 1, health: { state: 'ok' } });
    const detail = await world.ada.get(`${world.ada.workspace}/alert-instances/${instance.id}`);
    expect(detail.data.timeline).toMatchObject([{ from: 'inactive', to: 'firing', value: 0.8, reason: null }]);
    await world.ada.patch(`${path()}/${data.id}`, { enabled: false });
    const ended = await world.ada.get(`${world.ada.workspace}/alert-instances/${instance.id}`);
    expect(ended.data).toMatchObject({
      state: 'resolved',
      timeline: [{ to: 'resolved', reason: 'disabled' }, { to: 'firing' }],
    });
  });
});

describe('a preview', () => {
  it('shows when a rule would have fired and resolved', async () => {
    const now = Date.now();
    await world.eve.ingest('traces', spansOf('billing', 4, 0, now - 30 * 60_000));
    await world.eve.ingest('traces', spansOf('billing', 4, 4, now - 20 * 60_000));
    await world.eve.counted('spans | stats n=count()', 8);
    const answer = await world.eve.post(`${world.eve.workspace}/alert-rules/preview`, {
      ...rule,
      every: '1m',
      offset: '0s',
      window: '5m',
      from: 'now-40m',
      to: 'now',
    });
    expect(answer.status).toBe(200);
    const [instance, ...others] = answer.data.instances;
    expect(others).toEqual([]);
    expect(instance.labels).toEqual({ 'service.name': 'billing' });
    expect(instance.transitions.map(({ state }: { state: string }) => state)).toEqual(['firing', 'resolved']);
    const [fired, resolved] = instance.transitions.map(({ at }: { at: string }) => now - Date.parse(at));
    expect(fired).toBeLessThanOrEqual(20 * 60_000);
    expect(fired).toBeGreaterThan(18 * 60_000);
    expect(resolved).toBeLessThan(fired);
    expect(answer.data).toMatchObject({ failed: 0, error: null, step: '1m' });
    expect(answer.data.evaluations).toBe(answer.data.cost.queries);
  });

  const many = 'spans | where service.name in ("many-a", "many-b")';
  it.each([
    ['more rows than a rule may have', `${many} | stats value=count() by name`, {}, /more than 1000 rows/],
    [
      'two rows of one instance',
      `${many} | stats value=count() by service.name`,
      { labels: { 'service.name': 'all' } },
      /Two rows have the same labels: {"service.name":"all"}/,
    ],
  ])('says that the query returns %s', async (_name, asked, changes, message) => {
    const { workspace, project } = world.ada.numbers;
    const spans = Array.from({ length: 1_001 }, (_, i) => ({
      ...{ workspace, project, environment: 'production', retention_days: 30 },
      time: new Date(Date.now() - 600_000).toISOString().replace('T', ' ').replace('Z', ''),
      ...{ service: i % 2 === 0 ? 'many-a' : 'many-b', name: `GET /${i}` },
    }));
    await world.insert('spans', spans);
    const body = { ...rule, query: asked, ...changes, every: '1m', window: '1h', from: 'now-3m', to: 'now' };
    const { data } = await world.ada.post(`${path()}/preview`, body);
    expect([data.instances, data.failed]).toEqual([[], data.evaluations]);
    expect(data.error).toMatch(message);
  });

  it('names the changes of flags before a firing to those who may read flags', async () => {
    const { eve } = world;
    const flag = await eve.post(`${eve.project}/flags`, { key: 'new-billing', name: 'Billing', kind: 'boolean' });
    expect(flag.status, flag.text).toBe(201);
    await eve.ingest('traces', spansOf('invoices', 2, 2, Date.now() + 1_000));
    const asked = 'spans | where service.name == "invoices" | stats value=ratio(status == error)';
    const times = { every: '30s', offset: '0s', window: '1m', from: 'now-10m', to: 'now+1m' };
    const body = { ...rule, query: asked, ...times };
    const { instances, caught } = await until(async () => {
      const { data } = await eve.post(`${eve.workspace}/alert-rules/preview`, body);
      return data.instances.length > 0 ? data : undefined;
    });
    const change = { name: 'new-billing', detail: 'created', environment: null, actor: 'eve' };
    const fired_at = instances[0].transitions[0].at;
    expect(caught).toEqual([{ ...change, time: expect.any(String), fired_at }]);

    const role = await eve.post(`${eve.workspace}/roles`, {
      name: 'Rules without flags',
      permissions: ['workspace:read', 'alerts:read', 'telemetry:query'],
    });
    expect(role.status, role.text).toBe(201);
    const bob = await signUp(world.base, 'flagless');
    await addMember(eve, bob, role.data.id);
    const without = await bob.post(`${eve.workspace}/alert-rules/preview`, body);
    expect([without.status, without.data.caught, without.data.instances.length]).toEqual([200, null, 1]);
  });

  it('of more slots than it evaluates says how far apart it looks', async () => {
    // 729 or 730 slots, whenever the first one comes: every second one is evaluated.
    const body = { ...rule, every: '10s', from: 'now-7295s', to: 'now' };
    const answer = await world.eve.post(`${world.eve.workspace}/alert-rules/preview`, body);
    expect(answer.data).toMatchObject({ evaluations: 365, step: '20s' });
  });
});
