import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { type Compiled, type CompileOptions, compile, type FieldCatalogue } from '@fanion/oql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse, migrateTelemetry } from '../../platform/clickhouse/index.ts';
import { createScopedTelemetry } from '../../platform/scoped-telemetry.ts';
import { until } from '../../testing/test-client.ts';
import { boundParameters } from '../bound-parameters.ts';
import { createFieldCatalogues } from '../fields/index.ts';
import { runNarrowed } from './narrow.ts';

describe('a query that is read narrowly', () => {
  let dir: string;
  let engine: EmbeddedStore;
  let store: ClickHouse;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fanion-narrow-'));
    engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: { info() {}, warn() {}, error() {} } });
    await migrateTelemetry({ url: engine.url, database: 'fanion' });
    store = createClickHouse({ url: engine.url, database: 'fanion' });
  });
  afterAll(async () => {
    await store?.close();
    await engine?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const signal = AbortSignal.timeout(60_000);
  /** Each test is about a workspace of its own. */
  const place = (workspace: number) => ({ workspace, project: undefined, environment: undefined });
  const insert = (workspace: number, map: string) =>
    store.command(
      `INSERT INTO spans (workspace, time, retention_days, ${map}) SELECT ${workspace}, now64(9), 30, map('size', ${map === 'int_attributes' ? '7' : "'big'"})`,
    );

  /** Asks how many spans there are of each size; `beside` is what happens right before the first statement runs. */
  async function ask(workspace: number, beside: (typesNow: () => Promise<FieldCatalogue>) => Promise<unknown>) {
    const toNs = BigInt(Date.now() + 60_000) * 1_000_000n;
    const window = { fromNs: toNs - 3_600_000_000_000n, toNs };
    const options: CompileOptions = { scope: { workspace }, window, limit: 10, nowNs: toNs };
    const compiled = (types?: FieldCatalogue) => {
      const result = compile('spans | stats n=count() by size', { ...options, ...(types && { types }) });
      if (!result.ok) throw new Error('it does not compile');
      return result;
    };
    const telemetry = createScopedTelemetry({ clickhouse: store, pass: (_workspace, _signal, work) => work() });
    const catalogues = createFieldCatalogues({ telemetry, clock: { now: Date.now } });
    const query = compiled();
    const statements: string[] = [];
    const run = async ({ sql, params, settings }: Compiled) => {
      if (statements.push(sql) === 1)
        await beside(() => catalogues.typesOf(place(workspace), query.attributes, query.reach, signal));
      return (await store.query(sql, { params: boundParameters(params), settings: { ...settings } })).rows;
    };
    const question = { catalogues, place: place(workspace), query, compileWith: compiled, signal };
    return { rows: await runNarrowed(question, run), statements };
  }

  it('reads the maps of the types that there are', async () => {
    await insert(1, 'string_attributes');
    const { rows, statements } = await ask(1, async () => {});
    expect(rows).toEqual([['big', '1']]);
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toContain('int_attributes');
  });

  it('is read again where a type has come before it ran', async () => {
    await insert(2, 'string_attributes');
    const { rows, statements } = await ask(2, () => insert(2, 'int_attributes'));
    expect(rows).toEqual([
      ['7', '1'],
      ['big', '1'],
    ]);
    expect(statements).toHaveLength(2);
  });

  it('waits for the types of rows that it has seen', async () => {
    await insert(3, 'string_attributes');
    // Whoever inserts now has the rows in before what is told of their fields.
    await store.command(
      `CREATE MATERIALIZED VIEW slow ENGINE = Null AS SELECT sleepEachRow(0.3) FROM field_usage WHERE workspace = 3`,
    );
    let inserted: Promise<void> | undefined;
    const { rows, statements } = await ask(3, async (typesNow) => {
      inserted = insert(3, 'int_attributes');
      await until(async () => {
        const { rows } = await store.query('SELECT count() FROM spans WHERE workspace = 3');
        return Number(rows[0]?.[0]) === 2;
      });
      expect((await typesNow()).fields).toMatchObject([{ name: 'size', types: ['string'] }]);
    });
    await inserted;
    expect(rows).toEqual([
      ['7', '1'],
      ['big', '1'],
    ]);
    expect(statements).toHaveLength(2);
  });
});
