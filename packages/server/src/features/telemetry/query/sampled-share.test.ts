import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { until } from '../../../testing/test-client.ts';

/** Spans of which sampling kept a half (`th:8`) and a quarter (`th:c`), and spans without sampling. */
const SERVICES = { half: 'ot=th:8', quarter: 'vendor=x,ot=rv:ffffffffffffff;th:c', all: 'vendor=x', none: '' };
const each = 4;

let world: TelemetryWorld;
let ada: TelemetryTenant;
beforeAll(async () => {
  world = await startTelemetryWorld();
  ada = world.ada;
  const begin = BigInt(Date.now() - 300_000) * 1_000_000n;
  const resourceSpans = Object.entries(SERVICES).map(([service, traceState]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: Array.from({ length: each }, (_, i) => ({
          traceId: randomBytes(16).toString('hex'),
          spanId: randomBytes(8).toString('hex'),
          traceState,
          name: 'work',
          startTimeUnixNano: String(begin + BigInt(i)),
          endTimeUnixNano: String(begin + BigInt(i)),
        })),
      },
    ],
  }));
  await ada.ingest('traces', { resourceSpans });
  await ada.counted('spans | count', each * (2 + 4 + 1 + 1));
});
afterAll(() => world?.stop());

const of = (...services: (keyof typeof SERVICES)[]) =>
  `spans | where service.name in (${services.map((name) => `"${name}"`).join(', ')})`;

/** Asks until the share is known: on a busy machine, counting may take too long. */
async function known(ask: () => Promise<{ sampled_share: number | null }>) {
  let completeness = await ask();
  await until(async () => {
    if (completeness.sampled_share === null) completeness = await ask();
    return completeness.sampled_share !== null;
  });
  return completeness;
}
const completenessOf = (tenant: TelemetryTenant, query: string) =>
  known(async () => {
    const { json } = await tenant.post(`${tenant.workspace}/query`, { query, from: 'now-1h', to: 'now' });
    return json.meta.completeness;
  });

it.each([
  [`${of('half')} | count`, 1 / 2],
  [`${of('quarter')} | stats n=count(), p=p99(duration) by name | top 1 by n`, 1 / 4],
  [`${of('all', 'none')} | count`, 1],
  [`${of('half', 'all')} | stats n=count() by service.name`, 8 / 12],
  ['spans | stats n=count() by service.name', 16 / 32],
  [`${of('half')} | stats worst=max(duration)`, 1],
  [of('half'), 1],
  ['logs | count', 1],
  [`${of('quarter')} | where service.name == "nobody" | count`, 1],
])('of %s is %d', async (query, share) => {
  expect(await completenessOf(ada, query)).toMatchObject({ complete: share === 1, sampled_share: share });
});

it('is 1 in a project without sampled spans', async () => {
  expect((await completenessOf(world.eve, 'spans | count')).sampled_share).toBe(1);
});

it('stands in the meta of a panel', async () => {
  const place = { x: 0, y: 0, w: 6, h: 4 };
  const query = `${of('quarter')} | stats n=count()`;
  const panels = [{ id: 'a', type: 'table', title: 'A', query, ...place }];
  const { data } = await ada.post(`${ada.workspace}/dashboards`, { name: 'Sampled', panels });
  const { sampled_share } = await known(async () => {
    const { text } = await ada.post(`${ada.workspace}/dashboards/${data.id}/data`, { from: 'now-1h', to: 'now' });
    return JSON.parse(text.split('\n')[0] ?? '').meta.completeness;
  });
  expect(sampled_share).toBe(1 / 4);
});

it('is the smallest of the evaluations of a preview', async () => {
  const preview = {
    name: 'Work',
    project: 'default',
    query: `${of('half')} | stats value=count()`,
    condition: { op: '>', threshold: 1 },
    every: '1m',
    offset: '0s',
    window: '1h',
    from: 'now-2m',
    to: 'now',
  };
  const completeness = await known(
    async () => (await ada.post(`${ada.workspace}/alert-rules/preview`, preview)).data.completeness,
  );
  expect(completeness).toMatchObject({ complete: false, sampled_share: 1 / 2 });
});
