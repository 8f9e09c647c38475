import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../features/telemetry/ingest/testing/store.ts';
import { tenantTables } from '../../features.ts';
import { until } from '../../testing/test-client.ts';
import { testGateway } from '../../testing/test-gateway.ts';
import { createClickHouse } from '../clickhouse/index.ts';
import { inScope, inWindow, windowParameters } from '../scoped-telemetry.ts';
import { createCompiler } from './plan/compiler.ts';
import { RanTooLong } from './run/time-limit.ts';

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

  it('see nothing else, even if a statement forgets its scope', async () => {
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
    expect(rows.map(([table]) => String(table)).sort()).toEqual(tenantTables.map(({ name }) => name).sort());
  });

  it('fail at their limits with a clear error, and report when the store is down', async () => {
    const gateway = testGateway(store.store);
    const rows = (statement: string, limits?: object) =>
      gateway.lane('interactive').rows(one, statement, {}, signal, { limits: limits ?? {} });
    const failures: readonly (readonly [string, object | undefined, string, RegExp])[] = [
      ['SELECT number FROM numbers(300000)', undefined, 'QUERY_TOO_EXPENSIVE', /200000 rows/],
      ['SELECT body FROM logs', { maxRowsToRead: 1 }, 'QUERY_TOO_EXPENSIVE', /read more than 1 rows/],
      ['SELECT groupArray(number) FROM numbers(90000000)', { maxMemoryBytes: 2e7 }, 'QUERY_TOO_EXPENSIVE', /memory/],
      [
        'SELECT repeat(toString(number), 1000) FROM numbers(100000)',
        undefined,
        'RESULT_TOO_LARGE',
        /larger than 16 MiB/,
      ],
      // A constant is small in the store's memory and large as text.
      ["SELECT repeat('x', 1000000), number FROM numbers(20)", undefined, 'RESULT_TOO_LARGE', /larger than 16 MiB/],
      ['SELECT repeat(toString(number), 1000000) FROM numbers(10, 1)', { maxRowBytes: 1e6 }, 'RESULT_TOO_LARGE', /row/],
      ["SELECT throwIf(1, 'a trace has more spans')", undefined, 'QUERY_TOO_EXPENSIVE', /a trace has more spans$/],
      [
        "SELECT match(toString(number), '((a{1,30}){1,30}){1,30}') FROM numbers(1)",
        undefined,
        'OQL_INVALID',
        /regular/,
      ],
      ['SELECT intDiv(number, 0) FROM numbers(1)', undefined, 'OQL_INVALID', /calculated/],
      ['SELECT * FROM no_such_table', undefined, 'STORE_UNAVAILABLE', /telemetry store/],
    ];
    for (const [statement, limits, error, message] of failures)
      await expect(rows(statement, limits), statement).rejects.toMatchObject({
        error,
        message: expect.stringMatching(message),
      });
    // A defect of the server is not the caller's error.
    await expect(rows('SELECT nonsense')).rejects.toMatchObject({ code: '47' });
    const nowhere = createClickHouse({ url: 'http://127.0.0.1:9', database: 'fanion' });
    const away = testGateway(nowhere).lane('interactive').rows(one, 'SELECT 1', {}, signal);
    await expect(away).rejects.toMatchObject({ error: 'STORE_UNAVAILABLE', retryAfterSeconds: 2 });
    await nowhere.close();
    expect(gateway.state().lanes.interactive).toEqual({ running: 0, waiting: 0, refused: 0 });
  });

  const window = {
    fromNs: BigInt(Date.UTC(2026, 10, 20)) * 1_000_000n,
    toNs: BigInt(Date.UTC(2026, 10, 21)) * 1_000_000n,
  };
  const budget = { lane: 'alert', signal } as const;

  it('answer OQL within the scope, in the lane of the budget', async () => {
    const gateway = testGateway(store.store);
    const question = { oql: 'logs | sort body | fields body', window, limit: 1 };
    const answer = await gateway.ask({ ...one, workspace: 2 }, question, budget);
    expect(answer).toMatchObject({
      columns: [{ name: 'body', type: 'any' }],
      rows: [['of 2/3']],
      truncated: false,
      ageMs: 0,
    });
    expect(await gateway.ask(one, question, budget)).toMatchObject({ rows: [['of 1/1']], truncated: true });
    const wrong = gateway.ask(one, { ...question, oql: 'logs | wher' }, budget);
    await expect(wrong).rejects.toMatchObject({
      error: 'OQL_INVALID',
      details: [expect.objectContaining({ path: 'query' })],
    });
  });

  describe('with queries as tables of a statement', () => {
    const hour = 3_600_000_000_000n;
    const both = (scope: typeof one, all = 'logs | count', gateway = testGateway(store.store)) =>
      gateway.relate<{ at: string; n: number; other: number }, 'all' | 'noon'>(
        scope,
        {
          all: { oql: all, window, bucketNs: hour },
          noon: { oql: "logs | stats n=count(body startswith 'of')".replaceAll("'", '"'), window, bucketNs: hour },
        },
        ({ all, noon }) => ({
          sql: `SELECT toString(a.t) AS at, toFloat64(a.v1) AS n, toFloat64(b.v1) + {more:UInt8} AS other FROM (${all.sql}) a JOIN (${noon.sql}) b ON a.t = b.t`,
          params: { more: 1 },
        }),
        budget,
      );

    it('answer within the scope, by time', async () => {
      expect((await both(one)).rows).toEqual([{ at: '2026-11-20 12:00:00.000000000', n: 2, other: 3 }]);
      expect((await both({ ...one, workspace: 2 })).rows).toMatchObject([{ n: 1, other: 2 }]);
      const { relations, cost } = await both(one);
      expect(relations.all.values).toMatchObject([{ name: 'v1', type: 'int' }]);
      expect(cost.rowsRead).toBeGreaterThan(0);
    });

    it('are fenced in the tables that the statement adds', async () => {
      const { rows } = await testGateway(store.store).relate<{ n: number; beside: number }, 'all'>(
        one,
        { all: { oql: 'logs | count by name=service.name', window } },
        ({ all }) => ({
          sql: `SELECT toFloat64(v1) AS n, (SELECT toFloat64(count()) FROM logs) AS beside FROM (${all.sql})`,
        }),
        budget,
      );
      expect(rows).toEqual([{ n: 2, beside: 2 }]);
    });

    it('fail as other reads do', async () => {
      await expect(both(one, 'logs | stats n=cont()')).rejects.toMatchObject({
        error: 'OQL_INVALID',
        details: [expect.objectContaining({ path: 'query' })],
      });
      await expect(both(one, 'logs | limit 5')).rejects.toMatchObject({ error: 'OQL_INVALID' });
      const narrow = testGateway(store.store).relate(
        one,
        { all: { oql: 'logs | count by body', window } },
        ({ all }) => ({ sql: all.sql }),
        { ...budget, limits: { maxRowsToRead: 1 } },
      );
      await expect(narrow).rejects.toMatchObject({ error: 'QUERY_TOO_EXPENSIVE' });
    });

    it('compile long texts in the thread', async () => {
      const gateway = testGateway(store.store);
      const conditions = Array.from({ length: 60 }, (_, i) => `a${i} != ${i}`).join(' or ');
      const before = gateway.compiler.stats().inThread;
      expect(
        (await both(one, `logs | where body startswith "of" or ${conditions} | count`, gateway)).rows,
      ).toHaveLength(1);
      expect(gateway.compiler.stats().inThread).toBe(before + 1);
      await gateway.compiler.stop();
    });
  });

  it('return a cached answer to a caller that accepts its age, and never one of another scope or window', async () => {
    let asked = 0;
    const counting = {
      ...store.store,
      open(...given: Parameters<TestStore['store']['open']>) {
        asked++;
        return store.store.open(...given);
      },
    };
    const gateway = testGateway(counting);
    const ask = async (scope: object = {}, more: object = {}, maxAgeMs = 60_000) =>
      (
        await gateway.ask(
          { ...one, ...scope },
          { oql: 'logs | count', window, limit: 10, ...more },
          { ...budget, maxAgeMs },
        )
      ).rows[0]?.[0];
    expect([await ask(), await ask(), await ask({}, { oql: 'logs|count' })]).toEqual([2, 2, 2]);
    expect(asked).toBe(1);
    expect(await ask({ project: 2 })).toBe(1);
    expect(await ask({ workspace: 2 })).toBe(1);
    expect(await ask({ environment: 'other' })).toBe(0);
    expect(await ask({}, { window: { ...window, toNs: window.fromNs + 1n } })).toBe(0);
    expect(asked).toBe(5);
    expect(await ask({}, {}, 0)).toBe(2);
    expect(asked).toBe(6);
  });

  it('end with their client, and free their slot', async () => {
    const gateway = testGateway(store.store);
    const client = new AbortController();
    const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 0';
    const asked = gateway.lane('background').rows(one, endless, {}, client.signal, { limits: { maxRowsToRead: 1e15 } });
    const waiting = gateway.lane('background').rows(one, 'SELECT 1', {}, client.signal);
    const ended = [asked, waiting].map((each) => expect(each).rejects.toBe('left'));
    const running = async () => {
      const { rows } = await store.store.query(
        "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'",
      );
      return Number(rows[0]?.[0]);
    };
    await until(async () => (await running()) === 1);
    client.abort('left');
    await Promise.all(ended);
    await until(async () => (await running()) === 0);
    expect(gateway.state().lanes.background).toEqual({ running: 0, waiting: 0, refused: 0 });
  });

  it('end at their limit of time where the engine does not look at its clock, and leave their lane when they have ended', async () => {
    const gateway = testGateway(store.store);
    // One block, within which the engine cannot be interrupted.
    const long = gateway
      .lane('background')
      .rows(one, 'SELECT sleepEachRow(2.5) FROM numbers(1)', {}, signal, { limits: { maxSeconds: 0.1 } });
    const failure = await long.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ error: 'QUERY_TOO_EXPENSIVE', cause: expect.any(RanTooLong) });
    expect(String((failure as Error).message)).toMatch(/longer than 0.1 s and had read \d+ rows by then; narrow/);
    expect(gateway.state().lanes.background.running).toBe(1);
    await until(async () => gateway.state().lanes.background.running === 0);
    const { rows } = await store.store.query(
      "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow(2.5)%' AND query NOT LIKE '%processes%'",
    );
    expect(Number(rows[0]?.[0])).toBe(0);
  });

  it('are refused if all processors together could not compute their quantiles in time', async () => {
    const gateway = testGateway(store.store);
    const quantiles = Array.from({ length: 40 }, (_, i) => `q${i}=quantile(length(body), ${i / 40})`).join(', ');
    const ask = (maxSeconds: number) =>
      gateway.ask(one, { oql: `logs | stats ${quantiles}`, window, limit: 10 }, { ...budget, limits: { maxSeconds } });
    expect((await ask(30)).rows).toHaveLength(1);
    await expect(ask(1e-9)).rejects.toMatchObject({
      error: 'QUERY_TOO_EXPENSIVE',
      message: expect.stringMatching(/40 quantiles of about 2 rows .* bucket\(duration, 10ms\)/),
    });
  });

  describe('about metrics', () => {
    const noon = '2026-11-20 12:00:00';
    const add = async (workspace: number, kind: string, series: number, temporality = 'cumulative') => {
      const shared = `workspace, project, environment, retention_days, metric, series`;
      const values = `${workspace}, 1, 'production', 3650, 'requests', ${series}`;
      await store.store.command(
        `INSERT INTO metric_series (${shared}, day, kind, temporality) VALUES (${values}, '2026-11-20', '${kind}', '${temporality}')`,
      );
      await store.store.command(
        `INSERT INTO metric_points (${shared}, time, value) VALUES (${values}, toDateTime64('${noon}', 9, 'UTC'), 1)`,
      );
    };
    const count = async (
      workspace: number,
      between: () => Promise<unknown> = async () => {},
      oql = 'metric "requests" | stats n=count()',
    ) => {
      const statements: string[] = [];
      const listings: string[] = [];
      const watched = {
        ...store.store,
        open(...given: Parameters<TestStore['store']['open']>) {
          statements.push(given[0]);
          return store.store.open(...given);
        },
        queryRows<Row extends object>(...given: Parameters<TestStore['store']['queryRows']>) {
          listings.push(given[0]);
          return store.store.queryRows<Row>(...given);
        },
      };
      const question = { oql, window, limit: 10 };
      const gateway = testGateway(watched);
      const answers = [];
      answers.push(await gateway.ask({ ...one, workspace }, question, budget));
      await between();
      answers.push(await gateway.ask({ ...one, workspace }, question, budget));
      return {
        counts: answers.map(({ rows }) => rows[0]?.[0]),
        rows: answers.map(({ rows }) => rows),
        statements,
        listings,
      };
    };

    it('read only the table of their kind, in one statement, and ask once for the kinds', async () => {
      await add(11, 'sum', 1);
      const { counts, statements, listings } = await count(11);
      expect(counts).toEqual([1, 1]);
      expect(statements).toHaveLength(2);
      expect(listings).toHaveLength(2);
      for (const sql of statements) expect(sql).not.toContain('metric_histograms');
    });

    it('warn at the first question where integers of delta temporality are rounded', async () => {
      const shared = `workspace, project, environment, retention_days, metric, series`;
      const values = `16, 1, 'production', 3650, 'moved', 1`;
      await store.store.command(
        `INSERT INTO metric_series (${shared}, day, kind, temporality) VALUES (${values}, '2026-11-20', 'sum', 'delta')`,
      );
      const large = 2n ** 60n + 1n;
      await store.store.command(
        `INSERT INTO metric_points (${shared}, time, value, integer) VALUES (${values}, toDateTime64('2026-11-20 12:00:00', 3, 'UTC'), ${Number(large)}, ${large})`,
      );
      const gateway = testGateway(store.store);
      const ask = async (oql: string) => {
        const { rows, plan } = await gateway.ask({ ...one, workspace: 16 }, { oql, window, limit: 10 }, budget);
        return [rows, plan.warnings.map(({ code }) => code)];
      };
      for (let n = 0; n < 2; n++)
        expect(await ask('metric moved | increase | sum')).toEqual([[[2 ** 60]], ['OQL-4101']]);
      expect(await ask('metric moved | sum')).toEqual([[[String(large)]], []]);
    });

    it('assume that no point is an integer beyond 2^53, and compute in integers where one is', async () => {
      const shared = `workspace, project, environment, retention_days, metric, series`;
      const values = (id: number) => `15, 1, 'production', 3650, 'bytes', ${id}`;
      const insert = (id: number, integer: bigint) =>
        store.store.command(
          `INSERT INTO metric_points (${shared}, time, value, integer) VALUES (${values(id)}, toDateTime64('2026-11-20 12:00:00', 3, 'UTC'), ${Number(integer)}, ${Number.isSafeInteger(Number(integer)) ? 0n : integer})`,
        );
      for (const id of [1, 2])
        await store.store.command(
          `INSERT INTO metric_series (${shared}, day, kind, temporality) VALUES (${values(id)}, '2026-11-20', 'gauge', 'unspecified')`,
        );
      let statements = 0;
      const gateway = testGateway({
        ...store.store,
        open(...given: Parameters<TestStore['store']['open']>) {
          statements++;
          return store.store.open(...given);
        },
      });
      const ask = async (oql: string) => {
        statements = 0;
        const { rows } = await gateway.ask({ ...one, workspace: 15 }, { oql, window, limit: 10 }, budget);
        return [rows, statements];
      };
      await insert(1, 2n ** 52n);
      expect(await ask('metric bytes | sum')).toEqual([[[2 ** 52]], 1]);
      await insert(2, 2n ** 60n + 1n);
      // The points of both, of which one is asked for in vain.
      expect(await ask('metric bytes | stats s=sum(value), m=max(value)')).toEqual([
        [[String(2n ** 60n + 1n + 2n ** 52n), String(2n ** 60n + 1n)]],
        2,
      ]);
      expect(await ask('metric bytes | stats m=min(value)')).toEqual([[[2 ** 52]], 1]);
    });

    it('assume that histograms are alike, and ask again where they are not', async () => {
      const addHistogram = async (workspace: number, series: number, bounds: string) => {
        const shared = `workspace, project, environment, retention_days, metric, series`;
        const values = `${workspace}, 1, 'production', 3650, 'latency', ${series}`;
        await store.store.command(
          `INSERT INTO metric_series (${shared}, day, kind, temporality) VALUES (${values}, '2026-11-20', 'histogram', 'cumulative')`,
        );
        for (const [minute, n] of [
          [0, 0],
          [1, 10],
        ])
          await store.store.command(
            `INSERT INTO metric_histograms (${shared}, time, count, bounds, bucket_counts) VALUES (${values}, toDateTime64('2026-11-20 12:0${minute}:00', 3, 'UTC'), ${n}, ${bounds}, [0, ${n}, 0])`,
          );
      };
      await addHistogram(13, 1, '[1, 2]');
      await addHistogram(13, 2, '[1, 2]');
      await addHistogram(14, 1, '[1, 2]');
      await addHistogram(14, 2, '[10, 20]');
      const ask = async (workspace: number) => {
        let statements = 0;
        const watched = {
          ...store.store,
          open(...given: Parameters<TestStore['store']['open']>) {
            statements++;
            return store.store.open(...given);
          },
        };
        const gateway = testGateway(watched);
        const question = { oql: 'metric "latency" | increase | stats p=p75(value)', window, limit: 10 };
        const answers: unknown[] = [];
        for (let i = 0; i < 2; i++)
          answers.push((await gateway.ask({ ...one, workspace }, question, budget)).rows[0]?.[0], statements);
        return answers;
      };
      expect(await ask(13)).toEqual([1.75, 1, 1.75, 2]);
      // Half of them lie between 1 and 2, the others between 10 and 20.
      expect(await ask(14)).toEqual([15, 2, 15, 3]);
    });

    const addDelta = async (workspace: number) => {
      const shared = `workspace, project, environment, retention_days, metric, series`;
      const values = `${workspace}, 1, 'production', 3650, 'requests', 2`;
      await store.store.command(
        `INSERT INTO metric_series (${shared}, day, kind, temporality) VALUES (${values}, '2026-11-20', 'histogram', 'delta')`,
      );
      await store.store.command(
        `INSERT INTO metric_histograms (${shared}, time, count) VALUES (${values}, toDateTime64('${noon}', 9, 'UTC'), 5)`,
      );
    };

    it('do not ask for the kinds again where the statement reads the series and checks them', async () => {
      await add(15, 'sum', 1);
      const byKind = 'metric "requests" | stats n=count() by kind';
      const same = await count(15, undefined, byKind);
      expect(same.rows).toEqual([[['sum', 1]], [['sum', 1]]]);
      expect([same.statements.length, same.listings.length]).toEqual([2, 1]);
      const changed = await count(15, () => addDelta(15), byKind);
      expect(changed.rows[1]).toEqual([
        ['sum', 1],
        ['histogram', 1],
      ]);
      // The second statement has failed at the new kind, so the kinds were asked for again.
      expect([changed.statements.length, changed.listings.length]).toEqual([3, 2]);
    });

    it('are compiled once, for what the metric is by then', async () => {
      await add(16, 'sum', 1);
      const compiler = createCompiler({ budgetMs: 10_000 });
      const compiledFor: (readonly string[] | undefined)[] = [];
      const counted: typeof compiler = {
        ...compiler,
        compile(text, options, asked) {
          compiledFor.push(options.types?.metrics.map(({ kind }) => kind));
          return compiler.compile(text, options, asked);
        },
      };
      const gateway = testGateway(store.store, { compiler: counted });
      const ask = async (oql: string, params: Readonly<Record<string, unknown>> = {}) => {
        compiledFor.length = 0;
        const { rows, columns } = await gateway.ask(
          { ...one, workspace: 16 },
          { oql, window, limit: 10, params },
          budget,
        );
        return { rows, columns, compiledFor: [...compiledFor] };
      };
      const byKind = 'metric "requests" | stats n=count() by kind | sort kind';
      const first = await ask(byKind);
      expect(first).toMatchObject({ rows: [['sum', 1]], compiledFor: [['sum']] });
      expect(await ask(byKind)).toEqual(first);
      // The same text with another parameter is another query.
      const least = 'metric "requests" | where value >= $least | stats n=count()';
      expect(await ask(least, { least: 0 })).toMatchObject({ rows: [[1]], compiledFor: [['sum']] });
      expect(await ask(least, { least: 5 })).toMatchObject({ rows: [[0]], compiledFor: [['sum']] });

      await addDelta(16);
      const both = [
        ['sum', 1],
        ['histogram', 1],
      ];
      const now = ['histogram', 'sum'];
      // The statement for sums fails at the histogram.
      expect(await ask(byKind)).toEqual({ ...first, rows: both, compiledFor: [['sum'], now] });
      expect(gateway.state().refuted.kind).toBe(1);
      expect(await ask(byKind)).toEqual({ ...first, rows: both, compiledFor: [now] });
    });

    it('are asked again for all kinds when a new one has arrived since the last question', async () => {
      await add(12, 'sum', 1);
      const { counts, statements } = await count(12, () => addDelta(12));
      expect(statements).toHaveLength(3);
      expect(statements[1]).not.toContain('metric_histograms');
      expect(statements[2]).toContain('metric_histograms');
      expect(counts[0]).toBe(1);
      expect(Number(counts[1])).toBeGreaterThan(1);
    });
  });
});
