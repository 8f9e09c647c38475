import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient, until } from '../../../testing/test-client.ts';

const minute = 60_000;
const now = Math.floor(Date.now() / minute) * minute;
/** Of two queues, a minute apart and up to now. One is full twice, the first time for one minute only. */
const lengths = {
  mail: [1, 1, 99, 1, 1, 1, 99, 99, 99, 99, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  print: Array.from({ length: 20 }, () => 2),
};

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  const dataPoints = Object.entries(lengths).flatMap(([queue, values]) =>
    values.map((value, at) => ({
      timeUnixNano: nanos(now - (values.length - 1 - at) * minute - 10_000),
      asDouble: value,
      attributes: [text('queue', queue)],
    })),
  );
  const gauge = { name: 'jobs_waiting', unit: '', gauge: { dataPoints } };
  await ada.ingest('metrics', metricsRequest([gauge], [text('service.name', 'worker')]));
  await ada.counted('metric jobs_waiting | stats n=count()', 40);
}, 120_000);
afterAll(() => world?.stop());

const timing = { every: '1m', offset: '0s', project: 'default', name: 'Queue is full' };
const waits = { for: '1m', keep_firing_for: '2m' };
const promql = 'max by (queue) (max_over_time(jobs_waiting[1m]))';
const path = () => `${ada.workspace}/alert-rules`;
const window = { from: new Date(now - 20 * minute).toISOString(), to: new Date(now).toISOString() };

async function timeline(rule: object): Promise<unknown[]> {
  const { data, text: body } = await ada.post(`${path()}/preview`, { ...timing, ...rule, ...window });
  expect([data?.failed, data?.error], body).toEqual([0, null]);
  return data.instances.map(
    ({ labels, transitions }: { labels: object; transitions: { state: string; at: string }[] }) => [
      labels,
      transitions.map(({ state, at }) => [state, at]),
    ],
  );
}

describe('a rule in PromQL', () => {
  it('moves its instances as the same rule in OQL does, wherever the comparison is written', async () => {
    const oql = await timeline({
      query: 'metric jobs_waiting | max by queue',
      condition: { op: '>', threshold: 10, ...waits },
    });
    expect(oql).toEqual([[{ queue: 'mail' }, expect.any(Array)]]);
    const states = (oql as [object, [string, string][]][])[0]?.[1].map(([state]) => state);
    expect(states).toEqual(['pending', 'inactive', 'pending', 'firing', 'recovering', 'resolved']);
    const inCondition = { query: promql, condition: { op: '>', threshold: 10, ...waits } };
    expect(await timeline({ ...inCondition, query_language: 'promql' })).toEqual(oql);
    const inExpression = { query: `${promql} > 10`, condition: waits };
    expect(await timeline({ ...inExpression, query_language: 'promql' })).toEqual(oql);
  });

  it.each([
    ['jobs_waiting', { condition: { op: '>', threshold: 10, ...waits } }],
    [
      'jobs_waiting',
      { kind: 'change', change: { ago: '2m', as: 'difference' }, condition: { op: '>', threshold: 10 } },
    ],
    // Two names of one alert, at different times.
    ['(jobs_waiting > 10 or -jobs_waiting < -1)', { condition: waits }],
  ])('has the same states by queries for one time and for several: %s', async (query, rule) => {
    const of = (text: string) => ({ ...rule, query: text, query_language: 'promql' });
    const together = await timeline(of(query));
    expect(together.length).toBeGreaterThan(0);
    // In a query for one time, `end()` is this time.
    expect(await timeline(of(query.replaceAll('jobs_waiting', 'jobs_waiting @ end()')))).toEqual(together);
    const { data } = await ada.post(`${path()}/preview`, { ...timing, ...of(query), ...window });
    expect(data.cost.queries).toBe('kind' in rule ? 2 : 1);
  });

  it('fires for what is absent, with the labels of the selector', async () => {
    const rule = { query: 'absent(jobs_waiting{queue="fax"})', condition: {}, query_language: 'promql' };
    const [[labels, [first]]] = (await timeline(rule)) as [[object, [string, string][]]];
    expect([labels, first?.[0]]).toEqual([{ queue: 'fax' }, 'firing']);
  });

  it('fires by what was sent, without the name of the metric among its labels', async () => {
    const rule = {
      query: 'last_over_time(jobs_waiting{queue="print"}[1h]) > 1',
      condition: {},
      query_language: 'promql',
    };
    const { status, data, text: body } = await ada.post(path(), { ...timing, ...rule, every: '10s' });
    expect(status, body).toBe(201);
    expect(data).toMatchObject({ query_language: 'promql', condition: { for: '0s' }, window: '1m' });
    expect(data.condition).not.toHaveProperty('op');
    const instances = await until(async () => {
      const list = await ada.get(`${ada.workspace}/alert-instances?rule=${data.id}&state=firing`);
      return list.data.length > 0 ? list.data : undefined;
    });
    expect(instances).toMatchObject([
      { value: 2, labels: { alertname: 'Queue is full', queue: 'print', job: 'worker' } },
    ]);
    expect(instances[0].labels).not.toHaveProperty('__name__');
    const explained = await ada.get(`${ada.workspace}/alert-instances/${instances[0].id}/explanation`);
    expect([explained.status, explained.data?.failing]).toEqual([200, null]);
    const slower = await ada.patch(`${path()}/${data.id}`, { every: '5m' });
    expect(slower.data).toMatchObject({ every: '5m', window: '5m', query_language: 'promql' });
  });

  it('fires by the alerts of its project, of which its author needs to read', async () => {
    const one = { condition: {}, query_language: 'promql', every: '10s' };
    await ada.post(path(), { ...timing, ...one, name: 'Printer', query: 'vector(3)', labels: { team: 'print' } });
    const query = 'count by (alertname, team) (ALERTS{alertname="Printer",alertstate="firing"})';
    const reads = { ...timing, ...one, name: 'Any printer', query };
    const { data, status, text: body } = await ada.post(path(), reads);
    expect(status, body).toBe(201);
    const instances = await until(async () => {
      const list = await ada.get(`${ada.workspace}/alert-instances?rule=${data.id}&state=firing`);
      return list.data.length > 0 ? list.data : undefined;
    });
    expect(instances).toMatchObject([{ value: 1, labels: { alertname: 'Any printer', team: 'print' } }]);
    const elsewhere = { ...timing, ...one, query: 'ALERTS{alertname="Printer"}' };
    const theirs = await world.eve.post(`${world.eve.workspace}/alert-rules/preview`, { ...elsewhere, ...window });
    expect([theirs.data.error, theirs.data.instances]).toEqual([null, []]);
    const token = await ada.token(['alerts:write', 'telemetry:query'], {});
    const author = testClient(world.base, { bearer: token });
    const refused = await author.post(path(), { ...reads, name: 'Not mine to read' });
    expect([refused.status, refused.json.error.message]).toEqual([403, 'permission denied: alerts:read required']);
    expect((await author.post(path(), { ...reads, query: 'vector(1)' })).status).toBe(201);
  });

  it.each([
    ['that does not parse', { query: 'sum(' }, 'SVC-5011', /invalid PromQL/],
    ['of a range vector', { query: 'jobs_waiting[5m]' }, 'SVC-7001', /range vector/],
    ['with half a comparison', { condition: { op: '>' } }, 'SVC-7001', /condition.threshold is missing/],
    ['with a window', { window: '10m' }, 'SVC-7001', /window does not apply/],
    ['that would fire while nothing does', { no_data: 'alert' }, 'SVC-7001', /no_data must be ok/],
    ['that would never resolve', { missing_series: 'keep' }, 'SVC-7001', /missing_series must be resolve/],
    ['of a change without a comparison', { kind: 'change', change: { ago: '1h' } }, 'SVC-7001', /condition.op/],
    ['in OQL without a comparison', { query_language: 'oql', query: 'spans | count' }, 'SVC-7001', /condition.op/],
  ])('is rejected %s', async (_name, changes, code, message) => {
    const rule = { ...timing, query: promql, query_language: 'promql', condition: {}, ...changes };
    const { json, status } = await ada.post(path(), rule);
    expect([status, json.error.code]).toEqual([422, code]);
    expect(json.error.message).toMatch(message);
  });

  it('says why an evaluation fails', async () => {
    const rule = { query: 'jobs_waiting + on () jobs_waiting', condition: {}, query_language: 'promql' };
    const { data } = await ada.post(`${path()}/preview`, { ...timing, ...rule, ...window });
    expect(data.error).toMatch(/many-to-many|matching/);
  });
});
