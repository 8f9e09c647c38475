import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../../testing/test-gateway.ts';
import { createClickHouse } from '../clickhouse/index.ts';
import { inScope, inWindow, tenantTables, windowParameters } from '../scoped-telemetry.ts';

const { signal } = new AbortController();

describe('reads of a tenant', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
    for (const [workspace, project] of [
      [1, 1],
      [1, 2],
      [2, 3],
    ])
      await store.store.command(
        `INSERT INTO logs (workspace, project, environment, retention_days, time, body) VALUES (${workspace}, ${project}, 'production', 3650, toDateTime64('2026-11-20 12:00:00', 9, 'UTC'), 'of ${workspace}/${project}')`,
      );
  });
  afterAll(() => store?.close());

  const telemetry = () => testGateway(store.store).lane('interactive');
  const one = { workspace: 1, project: undefined, environment: undefined };

  it('bind the scope and the window', async () => {
    const noon = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n;
    const bodies = async (
      scope: typeof one | { workspace: number; project: number; environment: string },
      toNs: bigint,
    ) =>
      (
        await telemetry().rows<{ body: string }>(
          scope,
          `SELECT body FROM logs WHERE ${inScope(scope)} AND ${inWindow()} ORDER BY body`,
          windowParameters({ fromNs: noon, toNs }),
          signal,
        )
      ).map(({ body }) => body);
    expect(await bodies(one, noon + 1n)).toEqual(['of 1/1', 'of 1/2']);
    expect(await bodies({ workspace: 1, project: 2, environment: 'production' }, noon + 1n)).toEqual(['of 1/2']);
    expect(await bodies({ workspace: 1, project: 2, environment: 'other' }, noon + 1n)).toEqual([]);
  });

  it('see nothing else, even where a statement forgets its scope', async () => {
    const rows = await telemetry().rows<{ body: string }>(one, 'SELECT body FROM logs ORDER BY body', {}, signal);
    expect(rows.map(({ body }) => body)).toEqual(['of 1/1', 'of 1/2']);
    const nested = await telemetry().rows<{ n: number }>(
      { ...one, project: 2 },
      'WITH all AS (SELECT * FROM logs) SELECT toFloat64(count()) AS n FROM all JOIN (SELECT body FROM logs) AS other USING (body)',
      {},
      signal,
    );
    expect(nested).toEqual([{ n: 1 }]);
  });

  it('are fenced in every table that has tenants', async () => {
    const { rows } = await store.store.query(
      `SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'workspace'
         AND table NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView')`,
    );
    expect(rows.map(([table]) => String(table)).sort()).toEqual([...tenantTables].sort());
  });

  it('fail at their limits in words, and say when the store is away', async () => {
    const endless = telemetry().rows(one, 'SELECT number FROM numbers(300000)', {}, signal);
    await expect(endless).rejects.toMatchObject({
      error: 'QUERY_TOO_EXPENSIVE',
      message: expect.stringContaining('rows'),
    });
    const nowhere = createClickHouse({ url: 'http://127.0.0.1:9', database: 'fanion' });
    const away = testGateway(nowhere).lane('interactive').rows(one, 'SELECT 1', {}, signal);
    await expect(away).rejects.toMatchObject({ error: 'STORE_UNAVAILABLE', retryAfterSeconds: 2 });
    await nowhere.close();
  });
});
