import type { MetricDefinition } from '@fanion/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, signUp, testClient } from '../../../testing/test-client.ts';
import { checkKind } from './definition-rules.ts';
import { planOf, warningsOf } from './explain.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const purchase = {
  key: 'purchase',
  name: 'Purchase',
  kind: 'conversion',
  source: 'logs | where body == "purchase"',
  unit: 'user.id',
};
const path = () => `${world.ada.project}/metrics`;

describe('metrics', () => {
  it('are kept as they were written, and replaced by version', async () => {
    const { status, data, text } = await world.ada.post(path(), purchase);
    expect(status, text).toBe(201);
    expect(data).toMatchObject({
      ...purchase,
      direction: 'up_is_good',
      window: null,
      value: null,
      built_in: false,
      version: 1,
      created_by: { id: world.ada.userId },
    });
    const one = `${path()}/${data.id}`;
    expect((await world.ada.get(`${path()}/purchase`)).data.id).toBe(data.id);
    const [read, posted] = [await world.ada.get(`${one}/explain`), await world.ada.post(`${one}/explain`, {})];
    expect([posted.status, posted.data.oql]).toEqual([200, read.data.oql]);
    const replaced = await world.ada.put(one, { ...purchase, window: '7d', version: 1 });
    expect(replaced.data).toMatchObject({ window: '7d', version: 2 });
    const stale = await world.ada.put(one, { ...purchase, version: 1 });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
    const again = await world.ada.post(path(), purchase);
    expect([again.status, again.json.error.code]).toEqual([409, 'SVC-6003']);
    const listed = (await world.ada.get(path())).data as { key: string; built_in: boolean }[];
    expect(listed.map(({ key }) => key)).toEqual([
      'error_rate',
      'latency_p95',
      'latency',
      'requests',
      'exceptions',
      'purchase',
    ]);
    expect((await world.ada.get(`${path()}?search=purch`)).data).toHaveLength(1);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await world.ada.get(`${path()}?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      paged.push(...page.data.map(({ key }: { key: string }) => key));
      cursor = page.json.meta.next_cursor;
    }
    expect(paged).toEqual(listed.map(({ key }) => key));
    expect((await world.ada.del(one)).status).toBe(204);
    expect((await world.ada.get(one)).status).toBe(404);
  });

  it('are built in for every project, and then cannot be changed', async () => {
    expect((await world.ada.get(`${path()}/error_rate`)).data).toMatchObject({ id: 'error_rate', built_in: true });
    // The name that it had before.
    expect((await world.ada.get(`${path()}/p95_latency`)).data).toMatchObject({ id: 'latency_p95', kind: 'quantile' });
    const change = await world.ada.put(`${path()}/error_rate`, { ...purchase, key: undefined, version: 1 });
    expect([change.status, change.json.error.code]).toEqual([409, 'SVC-7131']);
    expect((await world.ada.del(`${path()}/error_rate`)).status).toBe(409);
    expect((await world.ada.post(path(), { ...purchase, key: 'error_rate' })).status).toBe(409);
    const { status, data, text } = await world.ada.get(`${path()}/error_rate/explain`);
    expect(status, text).toBe(200);
    expect(data.sql).toMatch(/FROM spans/);
    for (const flag of ['nope', 'a%20b']) {
      const unknown = await world.ada.get(`${path()}/error_rate/explain?flag=${flag}`);
      expect([unknown.status, unknown.json.error.code]).toEqual([404, 'SVC-4001']);
    }
  });

  it.each([
    ['a source that does not compile', { source: 'logs | wher x' }, 'SVC-5001', /source: /],
    ['a source of groups', { source: 'logs | count by body' }, 'SVC-7130', /Each of its rows|each of its rows/],
    ['a source with its own window', { source: 'from -1h; logs' }, 'SVC-5001', /own window/],
    [
      'rows that belong to no trace',
      { source: 'metric http.server.duration', unit: 'trace_id' },
      'SVC-7130',
      /never|ever join/,
    ],
    ['a unit that adds a stage', { unit: 'user.id | limit 1' }, 'SVC-5001', /unit/],
    ['a unit that adds a column', { unit: 'user.id, fanion_time=time' }, 'SVC-5001', /./],
    ['a value that closes its parenthesis', { kind: 'sum', value: '1) | limit 1 | extend x=(1' }, 'SVC-5001', /value/],
    ['a value that is a time', { kind: 'sum', value: 'time' }, 'SVC-7130', /value: must be a number/],
    ['a mean without a value', { kind: 'mean' }, 'SVC-7130', /needs `value`/],
    ['a ratio without a denominator', { kind: 'ratio', value: '1' }, 'SVC-7130', /needs `denominator`/],
    ['a conversion with a value', { value: '1' }, 'SVC-7130', /has no `value`/],
    ['a quantile of 1', { kind: 'quantile', value: '1', quantile: 1 }, 'SVC-1002', /quantile/],
    ['steps that are numbers', { kind: 'funnel', steps: ['1', '2'] }, 'SVC-7130', /must be a condition/],
    ['a value that adds a column', { kind: 'sum', value: '1), x=(2' }, 'SVC-5001', /value must be one expression/],
    ['a source that leaves out rows', { source: 'logs | limit 5' }, 'SVC-7130', /`limit` would leave out rows/],
    [
      'a retention that ends before it begins',
      { kind: 'retention', retention: { from: '7d', to: '1d' } },
      'SVC-7130',
      /retention\.to: must be longer than `from`/,
    ],
    [
      'a window before its retention',
      { kind: 'retention', retention: { from: '7d', to: '14d' }, window: '1d' },
      'SVC-7130',
      /window: ends before/,
    ],
    ['a key in upper case', { key: 'Purchase' }, 'SVC-1002', /key/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await world.ada.post(path(), { ...purchase, key: 'rejected', ...changes });
    expect([answer.status, answer.json?.error?.code], answer.text).toEqual([422, code]);
    expect(answer.json.error.message).toMatch(message);
  });

  it('show sample rows and the share that joins to a unit, and say why none does', async () => {
    for (const key of ['f', 'other'])
      expect((await world.ada.post(`${world.ada.project}/flags`, { key, name: key, kind: 'boolean' })).status).toBe(
        201,
      );
    const at = Date.now() - 60_000;
    const place = { ...world.ada.numbers, environment: 'production', retention_days: 30 };
    const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '');
    const exposure = {
      ...place,
      time,
      flag: 'f',
      variant: 'on',
      reason: 'split',
      version: '1',
      tracked: true,
      evaluations: 1,
    };
    await world.insert('flag_events', [{ ...exposure, unit: 'joined', source: 'server' }]);
    const log = { ...place, time, body: 'explained' };
    await world.insert('logs', [
      { ...log, string_attributes: { 'user.id': 'joined' } },
      { ...log, string_attributes: { 'user.id': 'stranger' } },
      log,
      log,
    ]);
    const metric = { ...purchase, source: 'logs | where body == "explained"' };
    const asked = { environment: 'production', from: 'now-1h', to: 'now' };
    const { status, data, text } = await world.ada.post(`${path()}/explain`, { metric, ...asked });
    expect(status, text).toBe(200);
    expect(data).toMatchObject({ units: { rows: 4, with_unit: 2, joined: 1, share: 0.25 } });
    expect(data.sample.filter(({ joined }: { joined: boolean }) => joined)).toEqual([
      expect.objectContaining({ unit: 'joined', value: 1 }),
    ]);
    const never = await world.ada.post(`${path()}/explain`, { metric: { ...metric, unit: 'session.id' }, ...asked });
    expect(never.data.warnings[0]).toMatch(/never joins to a unit/);
    const elsewhere = await world.ada.post(`${path()}/explain`, { metric, flag: 'other', ...asked });
    expect(elsewhere.data.warnings.join()).toMatch(/saw the flag other/);
  });

  it('need the permission to read what they read, and do not exist elsewhere', async () => {
    const { data } = await world.ada.post(path(), { ...purchase, key: 'private' });
    const role = await world.ada.post(`${world.ada.workspace}/roles`, {
      name: 'metrics only',
      permissions: ['experiments:read', 'experiments:write'],
    });
    const bob = await signUp(world.base, 'bob');
    await addMember(world.ada, bob, role.data.id);
    const client = testClient(world.base, { cookie: bob.cookie });
    expect((await client.get(`${path()}/${data.id}`)).status).toBe(200);
    const refused = await client.get(`${path()}/${data.id}/explain`);
    expect([refused.status, refused.json.error.message]).toEqual([403, 'permission denied: telemetry:query required']);
    expect((await client.post(path(), { ...purchase, key: 'another' })).status).toBe(403);
    expect((await world.eve.get(`${world.eve.project}/metrics/${data.id}`)).status).toBe(404);
    expect((await world.eve.get(`${world.eve.project}/metrics/private`)).status).toBe(404);
  });
});

const definition: MetricDefinition = {
  description: '',
  kind: 'sum',
  source: 'logs',
  value: 'attr["total"]',
  unit: 'user.id',
  window: '7d',
  direction: 'up_is_good',
  cap: 0.99,
  guardrail: false,
};

describe('the definition of a metric', () => {
  it('accepts what its kind has, and rejects what would be ignored', () => {
    expect(checkKind(definition)).toEqual([]);
    expect(checkKind({ ...definition, kind: 'conversion' }).map(({ path }) => path)).toEqual(['value', 'cap']);
    expect(checkKind({ ...definition, kind: 'quantile' }).map(({ path }) => path)).toEqual(['quantile', 'cap']);
  });

  it('is described in words', () => {
    expect(planOf(definition).join(' ')).toMatch(/7d after the exposure.*99th percentile/);
    expect(
      warningsOf(definition, { row_count: 0, with_unit: 0, joined: 0, not_numbers: 0, negative: 0 }, undefined),
    ).toHaveLength(1);
    expect(warningsOf(definition, { row_count: 4, with_unit: 4, joined: 4, not_numbers: 1, negative: 2 }, 'f')).toEqual(
      [
        '25.0 % of the rows have a value that is missing or not a finite number, and do not count.',
        '50.0 % of the rows have a negative value.',
      ],
    );
  });
});
