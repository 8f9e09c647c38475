import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { addMember, signUp, testClient, until } from '../../../testing/test-client.ts';

let world: TelemetryWorld;
beforeAll(async () => {
  world = await startTelemetryWorld();
});
afterAll(() => world?.stop());

const events = { kind: 'events', source: 'spans | where service.name == "checkout"', good: 'status != error' };
const nobody = { ...events, source: 'spans | where service.name == "nobody"' };
const slo = {
  name: 'Checkout answers',
  project: 'default',
  indicator: events,
  objective: 0.99,
  window: { kind: 'rolling', period: '30d' },
};
const path = () => `${world.ada.workspace}/slos`;

/** Spans of a service, each in a trace of its own. */
function spansOf(service: string, count: number, failed: number, at: number) {
  const nanos = (ms: number) => String(BigInt(ms) * 1_000_000n);
  const hex = (length: number) => [...Array(length)].map(() => Math.floor(Math.random() * 16).toString(16)).join('');
  const spans = Array.from({ length: count }, (_, i) => ({
    traceId: hex(32),
    spanId: hex(16),
    name: i < failed ? 'POST /pay' : 'GET /cart',
    startTimeUnixNano: nanos(at - 10),
    endTimeUnixNano: nanos(at),
    status: { code: i < failed ? 2 : 0 },
  }));
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

describe('SLOs', () => {
  it('are kept as they were written, and replaced by version', async () => {
    const { status, data } = await world.ada.post(path(), slo);
    expect(status).toBe(201);
    expect(data).toMatchObject({
      ...slo,
      description: '',
      environment: null,
      burn_alerts: false,
      min_events: 10,
      version: 1,
      created_by: { id: world.ada.userId },
    });
    const one = `${path()}/${data.id}`;
    expect((await world.ada.get(one)).data).toMatchObject({ id: data.id, version: 1 });
    const replaced = await world.ada.put(one, { ...slo, objective: 0.95, version: 1 });
    expect(replaced.data).toMatchObject({ objective: 0.95, version: 2 });
    const stale = await world.ada.put(one, { ...slo, version: 1 });
    expect([stale.status, stale.json.error.code]).toEqual([409, 'SVC-4003']);
    const moved = await world.ada.put(one, { ...slo, environment: 'production', version: 2 });
    expect([moved.status, moved.json.error.code]).toEqual([422, 'SVC-7050']);
    expect((await world.ada.get(`${path()}?search=checkout`)).data.map(({ id }: { id: string }) => id)).toContain(
      data.id,
    );
    expect((await world.ada.del(one)).status).toBe(204);
    expect((await world.ada.get(one)).status).toBe(404);
  });

  const slices = { kind: 'slices', query: 'spans | stats value=p95(duration)', op: '<', threshold: 5e8 };
  it.each([
    ['an objective of 1', { objective: 1 }, 'SVC-1002', /less than 1/],
    ['an objective of 0', { objective: 0 }, 'SVC-1002', /more than 0/],
    ['a source that does not compile', { indicator: { ...events, source: 'spans | wher x' } }, 'SVC-5001', /where/],
    ['a source of groups', { indicator: { ...events, source: 'spans | count by name' } }, 'SVC-7050', /groups/],
    ['a source with its own window', { indicator: { ...events, source: 'from -1h; spans' } }, 'SVC-5001', /own window/],
    [
      'a condition that ends its stage',
      { indicator: { ...events, good: 'true) | limit 1 | where (true' } },
      'SVC-5001',
      /condition/,
    ],
    ['a condition that is a number', { indicator: { ...events, good: '1' } }, 'SVC-5001', /./],
    [
      'slices of two numbers',
      { indicator: { ...slices, query: 'spans | stats a=count(), b=count()' } },
      'SVC-7050',
      /several numbers/,
    ],
    ['slices by a key', { indicator: { ...slices, query: 'spans | count by name' } }, 'SVC-7050', /groups by `name`/],
    [
      'slices by time',
      { indicator: { ...slices, query: 'spans | stats n=count() by bucket(1m)' } },
      'SVC-5001',
      /by time/,
    ],
    [
      'an unknown time zone',
      { window: { kind: 'calendar', unit: 'month', time_zone: 'Mars/Olympus' } },
      'SVC-1002',
      /time zone/,
    ],
    ['an unknown field', { objectiv: 1 }, 'SVC-1002', /objectiv/],
  ])('reject %s', async (_name, changes, code, message) => {
    const answer = await world.ada.post(path(), { ...slo, ...changes });
    expect(answer.status).toBe(422);
    expect(answer.json.error.code).toBe(code);
    expect(answer.json.error.message).toMatch(message);
  });

  it('are exported as OpenSLO and imported from it', async () => {
    const { data } = await world.ada.post(path(), slo);
    const { data: document } = await world.ada.get(`${path()}/${data.id}/openslo`);
    expect(document).toMatchObject({ apiVersion: 'openslo/v1', spec: { objectives: [{ target: 0.99 }] } });
    const { status, data: copy } = await world.ada.post(`${path()}/openslo`, { project: 'default', document });
    expect([status, copy.indicator, copy.window]).toEqual([201, slo.indicator, slo.window]);
    const sliced = { ...document, spec: { ...document.spec, budgetingMethod: 'RatioTimeslices' } };
    const refused = await world.ada.post(`${path()}/openslo`, { project: 'default', document: sliced });
    expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-7050']);
    expect(refused.json.error.message).toMatch(/RatioTimeslices/);
    const whole = { ...document, spec: { ...document.spec, objectives: [{ target: 1 }] } };
    expect((await world.ada.post(`${path()}/openslo`, { project: 'default', document: whole })).status).toBe(422);
  });

  it('need the permission to read what they read, and do not exist elsewhere', async () => {
    const role = await world.ada.post(`${world.ada.workspace}/roles`, {
      name: 'dashboards only',
      permissions: ['dashboards:read', 'dashboards:write'],
    });
    const bob = await signUp(world.base, 'bob');
    await addMember(world.ada, bob, role.data.id);
    const client = testClient(world.base, { cookie: bob.cookie });
    const refused = await client.post(path(), slo);
    expect([refused.status, refused.json.error.message]).toEqual([403, 'permission denied: telemetry:query required']);
    const { data } = await world.ada.post(path(), slo);
    expect((await client.get(`${path()}/${data.id}`)).status).toBe(200);
    expect((await client.get(`${path()}/${data.id}/status`)).status).toBe(403);
    const { data: list } = await client.get(`${path()}?status=true`);
    expect(list.find(({ id }: { id: string }) => id === data.id).status).toBeNull();
    expect((await client.put(`${path()}/${data.id}`, { ...slo, version: 1 })).status).toBe(403);
    // Burn alerts are alert rules.
    const querying = await world.ada.token(['dashboards:read', 'dashboards:write', 'telemetry:query'], {});
    const author = testClient(world.base, { bearer: querying });
    const burning = { ...slo, name: 'Burning', burn_alerts: true };
    const alerting = await author.post(path(), burning);
    expect([alerting.status, alerting.json.error.message]).toEqual([403, 'permission denied: alerts:write required']);
    const { data: mine } = await author.post(path(), { ...slo, name: 'Mine' });
    expect((await author.put(`${path()}/${mine.id}`, { ...burning, version: 1 })).status).toBe(403);
    const { data: theirs } = await world.ada.post(path(), burning);
    expect((await author.put(`${path()}/${theirs.id}`, { ...slo, name: 'Quiet', version: 1 })).status).toBe(403);
    expect((await author.del(`${path()}/${theirs.id}`)).status).toBe(403);
    expect((await author.del(`${path()}/${mine.id}`)).status).toBe(204);
    for (const what of ['', '/status', '/timeseries'])
      expect((await world.eve.get(`${world.eve.workspace}/slos/${data.id}${what}`)).status).toBe(404);
  });
});

describe('the status of an SLO', () => {
  it('counts what was sent before it was made, and shows who spent the budget', async () => {
    const at = Date.now() - 60_000;
    await world.ada.ingest('traces', spansOf('checkout', 1_000, 4, at));
    await world.ada.ingest('traces', spansOf('other', 50, 50, at));
    await world.ada.counted('spans | where service.name == "checkout" | stats n=count()', 1_000);
    const week = { ...slo, window: { kind: 'rolling', period: '7d' } };
    const { data } = await world.ada.post(path(), week);
    const status = await until(async () => {
      const now = (await world.ada.get(`${path()}/${data.id}/status?spent_by=true`)).data;
      return now.total === 1_000 && now.backfill.state === 'done' ? now : undefined;
    }, 180_000);
    expect(status).toMatchObject({
      attainment: 0.996,
      good: 996,
      total: 1_000,
      objective: 0.99,
      budget: { allowed: 10, spent: 4, period_seconds: 6_048 },
      exhausted_at: null,
      spent_by: { error: null, flags: [] },
    });
    expect(status.budget.left).toBeCloseTo(0.6, 9);
    expect(status.burn.map(({ window }: { window: string }) => window)).toEqual([
      '5m',
      '30m',
      '1h',
      '2h',
      '6h',
      '1d',
      '3d',
    ]);
    expect(status.burn.at(-1)).toMatchObject({ good: 996, total: 1_000 });
    expect(status.burn.at(-1).rate).toBeCloseTo(0.4, 9);
    // Only 4 of them are bad, which is too few.
    expect(status.spent_by.why).toMatchObject({ verdict: 'unknown', compared: { selected: 4 } });
    expect(status.unmeasured.seconds).toBeGreaterThan(3_600);
    expect(status.trend).toHaveLength(30);
    expect(status.trend.at(-1)).toBeCloseTo(0.4, 9);
    expect(status.trend[0]).toBeNull();

    // A list has the same, each SLO with its own window and objective.
    const { data: other } = await world.ada.post(path(), { ...slo, name: 'Nobody', indicator: nobody });
    const { data: list } = await world.ada.get(`${path()}?status=true`);
    const standing = (id: string) => list.find((one: { id: string }) => one.id === id).status;
    expect(standing(data.id)).toMatchObject({ attainment: 0.996, total: 1_000, budget: status.budget });
    expect(standing(other.id)).toMatchObject({ attainment: null, total: 0 });
    expect((await world.ada.get(path())).data[0]).not.toHaveProperty('status');

    const series = await world.ada.get(`${path()}/${data.id}/timeseries?from=now-1h&to=now`);
    const points: { total: number; good: number; budget_left: number | null }[] = series.data;
    expect(points.reduce((sum, { total }) => sum + total, 0)).toBe(1_000);
    expect(points.at(-1)?.budget_left).toBeCloseTo(0.6, 9);
    expect(points[0]?.budget_left).toBeNull();
  }, 240_000);

  it('shows the deploys of its service on its time series', async () => {
    const indicator = { ...events, source: 'spans | where service.name == "released"' };
    const { data } = await world.ada.post(path(), { ...slo, name: 'Released', indicator });
    const now = Date.now();
    const span = (service: string, version: string, minutesAgo: number) => ({
      ...{ workspace: world.ada.numbers.workspace, project: world.ada.numbers.project, environment: 'production' },
      time: new Date(now - minutesAgo * 60_000).toISOString().replace('T', ' ').replace('Z', ''),
      ...{ retention_days: 30, service, name: 'GET /', resource: { 'service.version': version } },
    });
    const seen = [100, 40].flatMap((minutesAgo, i) =>
      ['released', 'another'].map((service) => span(service, `1.${i}`, minutesAgo)),
    );
    await world.insert('spans', seen);
    const series = await world.ada.get(`${path()}/${data.id}/timeseries?from=now-1h&to=now`);
    expect(series.data.flatMap(({ changes }: { changes: object[] }) => changes)).toEqual([
      { at: expect.any(String), kind: 'deploy', name: 'released', environment: 'production', action: '1.1' },
    ]);
    expect(series.json.meta.warnings).toEqual([]);
    const week = await world.ada.get(`${path()}/${data.id}/timeseries?from=now-7d&to=now`);
    expect(week.json.meta.warnings).toEqual([]);
    const month = await world.ada.get(`${path()}/${data.id}/timeseries?from=now-30d&to=now`);
    expect(month.json.meta.warnings).toEqual(['deploys before the last 7 days are left out']);
  });

  it('without traffic has null, never NaN', async () => {
    const { data } = await world.ada.post(path(), {
      ...slo,
      indicator: nobody,
      window: { kind: 'calendar', unit: 'month', time_zone: 'Europe/Berlin' },
    });
    const status = await world.ada.get(`${path()}/${data.id}/status?spent_by=true`);
    expect(status.data).toMatchObject({
      attainment: null,
      total: 0,
      budget: { allowed: 0, spent: 0, left: null },
      exhausted_at: null,
      spent_by: { error: null, why: { verdict: 'unknown', suspects: [] }, flags: [] },
    });
    expect(status.data.burn.every(({ rate }: { rate: number | null }) => rate === null)).toBe(true);
  });
});

describe('burn-rate alerts', () => {
  it('are rules that come, change and go with their SLO', async () => {
    const { data } = await world.eve.post(`${world.eve.workspace}/slos`, { ...slo, burn_alerts: true });
    const rules = async () =>
      (await world.eve.get(`${world.eve.workspace}/alert-rules`)).data.filter(
        ({ burn }: { burn?: { slo: string } }) => burn?.slo === data.id,
      );
    const made = await rules();
    expect(made.map(({ kind, labels }: { kind: string; labels: object }) => ({ kind, labels }))).toEqual(
      expect.arrayContaining([
        { kind: 'slo_burn', labels: { severity: 'page', slo: slo.name } },
        { kind: 'slo_burn', labels: { severity: 'ticket', slo: slo.name } },
      ]),
    );
    const page = made.find(({ burn }: { burn: { severity: string } }) => burn.severity === 'page');
    expect(page.query).toBe(`${events.source}\n| stats value=ratio(not (${events.good}\n))`);
    expect((await world.eve.post(`${world.eve.workspace}/query`, { query: page.query })).status).toBe(200);
    expect(page.burn.windows).toEqual([
      { long: '1h', short: '5m', factor: 14.4 },
      { long: '6h', short: '30m', factor: 6 },
    ]);
    const one = `${world.eve.workspace}/alert-rules/${page.id}`;
    const patched = await world.eve.patch(one, { enabled: false });
    expect([patched.status, patched.json.error.code]).toEqual([409, 'SVC-7052']);
    expect((await world.eve.del(one)).status).toBe(409);
    const put = (changes: object) => world.eve.put(`${world.eve.workspace}/slos/${data.id}`, { ...slo, ...changes });
    await put({ burn_alerts: true, window: { kind: 'rolling', period: '7d' }, version: 1 });
    expect((await world.eve.get(one)).data.burn.windows[0].factor).toBe(13.44);
    await put({ version: 2 });
    expect(await rules()).toEqual([]);
    await put({ burn_alerts: true, version: 3 });
    expect(await rules()).toHaveLength(2);
    await world.eve.del(`${world.eve.workspace}/slos/${data.id}`);
    expect(await rules()).toEqual([]);
  });
});
