import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { startTelemetryStore } from '@fanion/embedded';
import { type CompileOptions, compile, decodeRow, type ResultColumn, type ResultValue } from '../index.ts';
import { FIXTURE_TABLES, NOW, SCOPE, WINDOW } from './fixture.ts';
import type { FixtureTable } from './world.ts';

export interface Answer {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly ResultValue[])[];
  readonly kind: string;
  readonly sql: string;
}

export interface Engine {
  /** Compiles a query for the fixture's tenant and hour, runs it read-only, and decodes its rows. */
  ask(query: string, options?: Partial<CompileOptions>): Promise<Answer>;
  /** Runs a statement as it is. */
  select(sql: string, params?: Record<string, unknown>): Promise<readonly (readonly unknown[])[]>;
  stop(): Promise<void>;
}

const BATCH = 200;

/** The embedded telemetry store with the product's own schema and rows in it: those of the fixture, or others. */
export async function startEngine(tables: readonly FixtureTable[] = FIXTURE_TABLES): Promise<Engine> {
  const dir = mkdtempSync(join(tmpdir(), 'oql-'));
  const quiet = () => {};
  const store = await startTelemetryStore({ dir, log: { info: quiet, warn: quiet, error: quiet } });
  const client = createClient({ url: store.url, database: 'default' });
  // The schema is the server's; a copy of it here could drift.
  const { migrations } = await import('../../../server/src/platform/clickhouse/migrations/index.ts');
  for (const query of migrations.flatMap((migration) => migration.statements)) await client.command({ query });
  for (const { insert, rows } of tables) {
    // A statement has at most 256 KiB.
    for (let i = 0; i < rows.length; i += BATCH) {
      const data = rows.slice(i, i + BATCH).map((row) => JSON.stringify(row));
      await client.command({ query: insert.replace('{data}', () => `$fixture$${data.join('\n')}$fixture$`) });
    }
  }

  const select: Engine['select'] = async (query, params = {}) => {
    const result = await client.query({
      query,
      query_params: params,
      format: 'JSONCompactEachRow',
      clickhouse_settings: {
        readonly: '1',
        output_format_json_quote_64bit_integers: 1,
        output_format_json_quote_denormals: 1,
      },
    });
    return result.json<readonly unknown[]>();
  };

  return {
    select,
    async ask(query, options = {}) {
      const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 10_000, nowNs: NOW, ...options });
      if (!compiled.ok) throw new Error(`${query}\n${compiled.diagnostics.map(({ message }) => message).join('\n')}`);
      const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
      const rows = await select(compiled.sql, params).catch((error: unknown) => {
        throw new Error(`${query}\n${compiled.sql}\n${String(error)}`);
      });
      const { columns, kind, sql } = compiled;
      return { columns, kind, sql, rows: rows.map((row) => decodeRow(columns, row)) };
    },
    async stop() {
      await client.close();
      await store.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
