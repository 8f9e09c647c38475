import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { createFieldCatalogues } from '../fields/index.ts';
import { startTestStore, type TestStore } from '../ingest/testing/store.ts';
import { createQueryService } from './index.ts';

describe('a query whose attributes are not known yet', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
    await store.store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, name, string_attributes)
       VALUES (1, 1, 'production', 3650, now64(9), 'a', map('http.method', 'GET')), (1, 1, 'production', 3650, now64(9), 'b', map('x', 'y'))`,
    );
  });
  afterAll(() => store?.close());

  /** Counts statements by what they read; a new server for each test, which knows nothing yet. */
  function serve() {
    const asked = { answers: 0, attributes: 0 };
    const watched = {
      ...store.store,
      open(...given: Parameters<TestStore['store']['open']>) {
        asked.answers++;
        return store.store.open(...given);
      },
      queryRows<Row extends object>(...given: Parameters<TestStore['store']['queryRows']>) {
        // Queries share the look for sampled spans: see the gateway's sampled-share.ts.
        if (!given[0].includes('weight > 1')) asked.attributes++;
        return store.store.queryRows<Row>(...given);
      },
    };
    const gateway = testGateway(watched);
    const catalogues = createFieldCatalogues({ telemetry: gateway.lane('lookup'), clock: systemClock });
    const queries = createQueryService({
      gateway,
      clock: systemClock,
      catalogues,
      changes: () => async () => ({ rows: [], warnings: [] }),
    });
    const scope = {
      workspace: { id: 'w', number: 1, slug: 'w', name: 'w' },
      project: undefined,
      environment: undefined,
    };
    const run = async (query: string) => {
      const input = { query, from: 'now-1h', to: 'now+1h' };
      const { data, meta } = await queries.run(scope, input, new AbortController().signal, { maxAgeMs: 0 });
      return { rows: data.rows, warnings: (meta.warnings as { code: string }[]).map(({ code }) => code) };
    };
    return { run, asked };
  }

  it('is answered by one statement, which does not wait for them; later by that statement alone', async () => {
    const { run, asked } = serve();
    expect(await run('spans | count')).toEqual({ rows: [[2]], warnings: [] });
    expect(asked).toEqual({ answers: 1, attributes: 1 });
    expect(await run('spans | where name == "a" | limit 20')).toMatchObject({ rows: [{ length: 11 }] });
    expect(asked).toEqual({ answers: 2, attributes: 1 });
  });

  it('is asked again when they change its statement: a former name is in use', async () => {
    const { run, asked } = serve();
    const byMethod = 'spans | where http.request.method == "GET" | stats n=count()';
    expect((await run(byMethod)).rows).toEqual([[1]]);
    expect(asked.answers).toBe(2);
    expect((await run(byMethod)).rows).toEqual([[1]]);
    expect(asked.answers).toBe(3);
  });

  it('has the warnings of the attributes that were seen', async () => {
    const { run } = serve();
    expect((await run('spans | where http.methd == "GET" | count')).warnings).toEqual(['OQL-3102']);
  });

  it('fails as if they were known', async () => {
    const { run } = serve();
    await expect(run('spans | where')).rejects.toThrow('invalid query');
  });
});
