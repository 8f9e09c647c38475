import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../../features/telemetry/ingest/testing/store.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { listAttributes } from './store.ts';

const { signal } = new AbortController();
const scope = { workspace: 1, project: undefined, environment: undefined };

describe('a query', () => {
  let store: TestStore;
  let minutes = 0;
  beforeAll(async () => {
    store = await startTestStore();
    await insert('a', 'http.method', 'GET');
    await insert('b', 'x', 'y');
  });
  afterAll(() => store?.close());

  const insert = (name: string, attribute: string, value: string) =>
    store.store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, name, string_attributes)
       VALUES (1, 1, 'production', 3650, now64(9), '${name}', map('${attribute}', '${value}'))`,
    );

  /** Counts statements by what they read; a new server for each test, which knows nothing yet. */
  function serve() {
    const asked = { answers: 0, attributes: 0 };
    let isHeld: Promise<unknown> | undefined;
    const gateway = testGateway(
      {
        ...store.store,
        open(...given: Parameters<TestStore['store']['open']>) {
          asked.answers++;
          return store.store.open(...given);
        },
        async queryRows<Row extends object>(...given: Parameters<TestStore['store']['queryRows']>) {
          // Queries share the look for sampled spans.
          if (!given[0].includes('field_usage')) return store.store.queryRows<Row>(...given);
          asked.attributes++;
          await isHeld;
          return store.store.queryRows<Row>(...given);
        },
      },
      { clock: { now: () => Date.now() + minutes * 60_000 } },
    );
    const run = async (oql: string) => {
      const now = BigInt(Date.now()) * 1_000_000n;
      const window = { fromNs: now - 3_600_000_000_000n, toNs: now + 3_600_000_000_000n };
      const question = { oql, window, limit: 100, hints: true };
      const { rows, plan } = await gateway.ask(scope, question, { lane: 'interactive', signal });
      return { rows, warnings: plan.warnings.map(({ code }) => code) };
    };
    return {
      run,
      asked,
      gateway,
      /** What is known is not answered until the function is called that this returns. */
      hold() {
        let release = () => {};
        isHeld = new Promise<void>((resolve) => {
          release = resolve;
        });
        return () => release();
      },
    };
  }

  it('asks once for the attributes, and later for its answer alone', async () => {
    const { run, asked } = serve();
    expect(await run('spans | count')).toEqual({ rows: [[2]], warnings: [] });
    expect(asked).toEqual({ answers: 1, attributes: 1 });
    expect(await run('spans | where name == "a" | limit 20')).toMatchObject({ rows: [{ length: 11 }] });
    expect(asked).toEqual({ answers: 2, attributes: 1 });
  });

  it('does not wait for the attributes where some are known, and asks for them again beside its statement', async () => {
    const { run, asked, hold } = serve();
    await run('spans | count');
    minutes += 1;
    const release = hold();
    const answer = run('spans | where http.request.method == "GET" | count');
    await expect.poll(() => asked).toEqual({ answers: 2, attributes: 2 });
    release();
    expect(await answer).toEqual({ rows: [[1]], warnings: [] });
    expect(asked).toEqual({ answers: 2, attributes: 2 });
  });

  it('is asked again when an attribute has come that changes its statement', async () => {
    const { run, asked, gateway } = serve();
    const byPath = 'spans | where url.path == "/cart" | stats n=count()';
    expect((await run(byPath)).rows).toEqual([[0]]);
    expect(asked.answers).toBe(1);
    // Its former name.
    await insert('c', 'http.target', '/cart');
    minutes += 1;
    expect((await run(byPath)).rows).toEqual([[1]]);
    expect([asked.answers, gateway.state().refuted.changed]).toEqual([3, 1]);
    expect((await run(byPath)).rows).toEqual([[1]]);
    expect(asked.answers).toBe(4);
  });

  it('has warnings of attributes that were never sent, and none of one that came since', async () => {
    const { run } = serve();
    expect((await run('spans | where http.methd == "GET" | count')).warnings).toEqual(['OQL-3102']);
    await insert('e', 'http.methd', 'GET');
    expect((await run('spans | where http.methd == "GET" | count')).warnings).toEqual([]);
  });

  it('is refused before its statement if it is invalid', async () => {
    const { run, asked } = serve();
    await expect(run('spans | where')).rejects.toThrow('invalid query');
    expect(asked.answers).toBe(0);
  });

  it('knows attributes with all of their types', async () => {
    const place = { ...scope, workspace: 7 };
    await store.store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, name, string_attributes, int_attributes, resource)
       VALUES (7, 1, 'production', 3650, now64(9), 'a', map('id', 'x'), map('id', 1), map('host', 'h'))`,
    );
    const { fields, isWhole } = await listAttributes(testGateway(store.store).lane('lookup'), place, 0n, signal);
    expect(isWhole).toBe(true);
    expect(fields).toEqual([
      { signal: 'spans', scope: 'attribute', name: 'id', types: ['string', 'int'] },
      { signal: 'spans', scope: 'resource', name: 'host', types: ['string'] },
    ]);
  });
});
