import { compile } from '@fanion/oql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../../features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import type { ScopedTelemetry } from '../../scoped-telemetry.ts';
import { createSampledShare } from './sampled-share.ts';

const noon = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n;
const window = { fromNs: noon - 3_600_000_000_000n, toNs: noon + 3_600_000_000_000n };
const { signal } = new AbortController();

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

/** Shares of one workspace, and the statements that were asked for them. */
function sharesOf(workspace: number) {
  const statements: string[] = [];
  const lane = testGateway(store.store).lane('lookup');
  const telemetry: ScopedTelemetry = {
    rows(scope, statement, ...more) {
      statements.push(statement);
      return lane.rows(scope, statement, ...more);
    },
  };
  const shareOf = createSampledShare({ telemetry, clock: { now: () => 0 }, maxSeconds: 100 });
  return {
    statements,
    share(oql: string) {
      const scope = { workspace, project: undefined, environment: undefined };
      return shareOf(scope, compiled(oql, workspace), signal);
    },
  };
}

function compiled(oql: string, workspace: number) {
  const plan = compile(oql, { scope: { workspace }, window, limit: 10, nowNs: window.toNs });
  if (!plan.ok) throw new Error(plan.diagnostics.map(({ message }) => message).join());
  return plan;
}

it('costs one look for each question where nothing is sampled', async () => {
  await insert(1, 1, 3);
  const { statements, share } = sharesOf(1);
  for (const query of ['spans | count', 'spans | stats n=count() by name', 'spans | stats p50(duration)'])
    expect(await share(query)).toBe(1);
  expect(statements).toHaveLength(3);
  for (const statement of statements) expect(statement).toContain('weight > 1 LIMIT 1');
});

it('costs one look for all who ask at the same time', async () => {
  const { statements, share } = sharesOf(1);
  expect(await Promise.all(['spans | count', 'spans | stats p50(duration)'].map(share))).toEqual([1, 1]);
  expect(statements).toHaveLength(1);
});

it('counts the first sampled spans at once, and then without a look', async () => {
  const { statements, share } = sharesOf(1);
  expect(await share('spans | count')).toBe(1);
  await insert(1, 4, 2);
  expect(await share('spans | count')).toBe(5 / 11);
  expect(statements).toHaveLength(3);
  expect(await share('spans | where name == "" | count')).toBe(5 / 11);
  expect(statements).toHaveLength(4);
});

it('costs nothing where nothing is counted by weights', async () => {
  const { statements, share } = sharesOf(1);
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

it('is that of the sample that a query takes, without a look', async () => {
  await insert(2, 1, 3);
  const { statements, share } = sharesOf(2);
  expect(await share('spans | sample 1.0 | count')).toBe(1);
  expect(statements).toHaveLength(1);
});

it('is unknown where it cannot be counted', async () => {
  const telemetry = { rows: () => Promise.reject(new Error('the store is down')) };
  const shareOf = createSampledShare({ telemetry, clock: { now: () => 0 } });
  const scope = { workspace: 1, project: undefined, environment: undefined };
  expect(await shareOf(scope, compiled('spans | count', 1), signal)).toBeNull();
});
