import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { type Compiled, type CompileOptions, compile, type FieldCatalogue } from '@fanion/oql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse, migrateTelemetry } from '../../../platform/clickhouse/index.ts';
import { createScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { createFieldCatalogues } from '../fields/index.ts';
import { boundParameters } from './bound-parameters.ts';
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
        await beside(() => catalogues.typesOf(place(workspace), query, query.reach, signal));
      return (await store.query(sql, { params: boundParameters(params), settings: { ...settings } })).rows;
    };
    const question = { catalogues, place: place(workspace), query, compileWith: compiled, signal };
    return { rows: await runNarrowed(question, run), statements };
  }

  it('reads the maps of the types that there are', async () => {
    await insert(1, 'string_attributes');
    const { rows, statements } = await ask(1, async () => {});
    expect(rows).toEqual([['sbig', '1']]);
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toContain('int_attributes');
  });

  it('is read again where a type has come before it ran', async () => {
    await insert(2, 'string_attributes');
    const { rows, statements } = await ask(2, () => insert(2, 'int_attributes'));
    expect(rows).toEqual([
      ['n7', '1'],
      ['sbig', '1'],
    ]);
    expect(statements).toHaveLength(2);
  });

  // Whether rows are seen before their types is up to the engine: here it is said.
  it('waits for the types of rows that it has seen', async () => {
    const toNs = BigInt(Date.now()) * 1_000_000n;
    const options = { scope: { workspace: 3 }, window: { fromNs: 0n, toNs }, limit: 10, nowNs: toNs };
    const compileWith = (types?: FieldCatalogue) => {
      const result = compile('spans | stats n=count() by size', { ...options, ...(types && { types }) });
      if (!result.ok) throw new Error('it does not compile');
      return result;
    };
    const told = (...types: ('string' | 'int')[]): FieldCatalogue => ({
      fields: [{ signal: 'spans', scope: 'attribute', name: 'size', types }],
    });
    // None when it begins; one beside it, of which rows are seen; its types are there when it has ended.
    const inserts = [[], ['beside'], ['beside', 'later'], ['later']].map((ids) => new Set(ids));
    let asked = 0;
    const catalogues = {
      insertsUnderWay: async () => inserts[asked++] ?? new Set<string>(),
      typesOf: async () => (asked < inserts.length ? told('string') : told('string', 'int')),
    };
    const query = compileWith();
    const runs: boolean[] = [];
    await runNarrowed({ catalogues, place: place(3), query, compileWith, signal }, async (compiled) => {
      runs.push(compiled === query);
    });
    expect(runs).toEqual([false, true]);
    expect(asked).toBe(inserts.length);
  });
});
