import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../../testing/test-gateway.ts';

const noon = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n;
const window = { fromNs: noon - 3_600_000_000_000n, toNs: noon + 3_600_000_000_000n };
const { signal } = new AbortController();
const budget = { lane: 'interactive', signal } as const;

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

const insert = (workspace: number, weight: number, count: number) =>
  store.store.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, service, weight)
     SELECT ${workspace}, 1, 'production', 3650, toDateTime64('2026-11-20 12:00:00', 9, 'UTC'), 'shop', ${weight} FROM numbers(${count})`,
  );

/** A gateway whose time stands still until it is moved, and the statements beside those of its answers. */
function counting(workspace: number) {
  let now = Date.UTC(2026, 10, 20, 13);
  const statements: string[] = [];
  const gateway = testGateway(
    {
      ...store.store,
      queryRows<Row extends object>(...given: Parameters<TestStore['store']['queryRows']>) {
        if (given[0].includes('weight')) statements.push(given[0]);
        return store.store.queryRows<Row>(...given);
      },
    },
    { clock: { now: () => now } },
  );
  const scope = { workspace, project: undefined, environment: undefined };
  return {
    statements,
    wait: (ms: number) => {
      now += ms;
    },
    share: async (oql: string) =>
      (await gateway.ask(scope, { oql, window, limit: 10 }, budget)).completeness.sampled_share,
  };
}

it('costs one look every five seconds where nothing is sampled', async () => {
  await insert(1, 1, 3);
  const { statements, share, wait } = counting(1);
  for (const query of ['spans | count', 'spans | stats n=count() by name', 'spans | stats p50(duration)'])
    expect(await share(query)).toBe(1);
  expect(statements).toHaveLength(1);
  expect(statements[0]).toContain('weight > 1 LIMIT 1');
  await insert(1, 4, 2);
  wait(5_000);
  expect(await share('spans | count')).toBe(5 / 11);
  expect(await share('spans | where name == "" | count')).toBe(5 / 11);
  expect(statements).toHaveLength(4);
});

it('costs nothing where nothing is counted', async () => {
  const { statements, share } = counting(1);
  for (const query of ['spans', 'logs | count', 'spans | stats max(duration)']) expect(await share(query)).toBe(1);
  expect(statements).toEqual([]);
});

it('finds sampled spans by an index', async () => {
  await insert(3, 1, 3);
  const { rows } = await store.store.query(
    `EXPLAIN indexes = 1 SELECT 1 FROM spans WHERE workspace = 3 AND weight > 1 LIMIT 1`,
  );
  const plan = rows.map(([line]) => String(line)).join('\n');
  expect(plan).toMatch(/by_weight[\s\S]*Granules: 0\//);
});

it('is the share of the sample that a query takes', async () => {
  await insert(2, 1, 3);
  expect(await counting(2).share('spans | sample 1.0 | count')).toBe(1);
});

it('is unknown where it cannot be counted', async () => {
  const gateway = testGateway({
    ...store.store,
    queryRows: async () => {
      throw new Error('the store is down');
    },
  });
  const { completeness } = await gateway.ask(
    { workspace: 1, project: undefined, environment: undefined },
    { oql: 'spans | count', window, limit: 10 },
    budget,
  );
  expect(completeness).toMatchObject({ complete: false, sampled_share: null });
});
