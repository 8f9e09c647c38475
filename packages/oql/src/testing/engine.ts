import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import {
  type CatalogueMetric,
  type Compiled,
  type CompileOptions,
  compile,
  decodeRow,
  FAILED_ASSUMPTION,
  type ResultColumn,
  type ResultValue,
} from '../index.ts';
import { FIXTURE_TABLES, NOW, SCOPE, WINDOW } from './fixture.ts';
import type { FixtureTable } from './world.ts';

export interface Answer {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly ResultValue[])[];
  readonly kind: string;
  readonly sql: string;
}

export interface Engine {
  /**
   * Compiles a query for the fixture's tenant and hour, runs it read-only, and decodes its rows. Runs a query about metrics
   * again with their kinds known, and once more as if their histograms were alike. Runs a query by attributes also with the
   * statement that takes them as texts. Throws if any of these changes the answer.
   */
  ask(query: string, options?: Partial<CompileOptions>): Promise<Answer>;
  /** Runs a statement unchanged. */
  select(
    sql: string,
    params?: Record<string, unknown>,
    settings?: Compiled['settings'],
  ): Promise<readonly (readonly unknown[])[]>;
  stop(): Promise<void>;
}

const BATCH = 200;

function isAssumption(message: string): boolean {
  return [FAILED_ASSUMPTION.alike, FAILED_ASSUMPTION.integers].some((one) => message.startsWith(one));
}

/** Parameters as the server gives them to the client, which would quote the texts of a list of integers. */
export function boundForEngine(params: Compiled['params']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, { type, value }]) => [
      name,
      type === 'Array(Int64)' && Array.isArray(value) ? value.map(BigInt) : value,
    ]),
  );
}

/** Sums of floats depend on the order in which they are added up. */
function rounded(rows: Answer['rows']): unknown {
  return JSON.parse(
    JSON.stringify(rows, (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(10)) : value)),
  );
}

function isAlike(a: Answer['rows'], b: Answer['rows']): boolean {
  return JSON.stringify(rounded(a)) === JSON.stringify(rounded(b));
}

/**
 * The telemetry store that the test files of a worker share; it ends with the worker, and its directory with the run. Scripts
 * that are no tests end it by themselves.
 */
export const sharedStore = once((): Promise<EmbeddedStore> => {
  const quiet = () => {};
  const log = { info: quiet, warn: quiet, error: quiet };
  return startTelemetryStore({ dir: mkdtempSync(join(tmpdir(), 'oql-')), log });
});

/** The fixture in a database that stays, since everybody only reads it. */
const sharedFixture = once(() => engineWith(FIXTURE_TABLES));

/** The embedded telemetry store with the product's own schema and with rows: those of the fixture, or others. */
export async function startEngine(tables: readonly FixtureTable[] = FIXTURE_TABLES): Promise<Engine> {
  if (tables !== FIXTURE_TABLES) return engineWith(tables);
  return { ...(await sharedFixture()), stop: async () => {} };
}

function once<Result>(start: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

let databases = 0;

/** Where statements read: a database, and settings that they need there. */
export interface Place {
  readonly database: string;
  readonly settings: Compiled['settings'];
  /** Drops what was made for it. */
  drop(): Promise<void>;
}

/** The fixture, read from another place that is made over its database. */
export function startEngineOver(place: (url: string, database: string) => Promise<Place>): Promise<Engine> {
  return engineWith(FIXTURE_TABLES, place);
}

/** A new database with these rows, which is dropped in the end. */
async function engineWith(
  tables: readonly FixtureTable[],
  over?: (url: string, database: string) => Promise<Place>,
): Promise<Engine> {
  const { url } = await sharedStore();
  const database = `oql_${++databases}`;
  const log = { level: ClickHouseLogLevel.OFF };
  const admin = createClient({ url, log });
  const writer = createClient({ url, database, log });
  // Uses the server's schema; a copy here could drift.
  const { createMigratedDatabase } = await import(
    '../../../server/src/platform/clickhouse/testing/migrated-database.ts'
  );
  await createMigratedDatabase({ url, database });
  for (const { insert, rows } of tables) {
    // The maximum statement size is 256 KiB.
    for (let i = 0; i < rows.length; i += BATCH) {
      const data = rows.slice(i, i + BATCH).map((row) => JSON.stringify(row));
      await writer.command({ query: insert.replace('{data}', () => `$fixture$${data.join('\n')}$fixture$`) });
    }
  }

  const place = await over?.(url, database);
  const client = place === undefined ? writer : createClient({ url, database: place.database, log });

  const select = async (query: string, params: Record<string, unknown> = {}, settings: Compiled['settings'] = {}) => {
    const result = await client.query({
      query,
      query_params: params,
      format: 'JSONCompactEachRow',
      clickhouse_settings: {
        ...settings,
        ...place?.settings,
        readonly: '1',
        output_format_json_quote_64bit_integers: 1,
        output_format_json_quote_denormals: 1,
      },
    });
    return result.json<readonly unknown[]>();
  };

  async function run(query: string, options: Partial<CompileOptions>) {
    const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 10_000, nowNs: NOW, ...options });
    if (!compiled.ok) throw new Error(`${query}\n${compiled.diagnostics.map(({ message }) => message).join('\n')}`);
    const params = boundForEngine(compiled.params);
    const rows = await select(compiled.sql, params, compiled.settings).catch((error: unknown) => {
      throw new Error(`${query}\n${compiled.sql}\n${String(error)}`, { cause: error });
    });
    const { columns, kind, sql, metrics, ofTexts, warnings, keys } = compiled;
    const described = { columns, kind, metrics, warnings, keys };
    const answer = { columns, kind, sql, rows: rows.map((row) => decodeRow(columns, row)), metrics, described };
    if (ofTexts) {
      const texts = await ofOnlyTexts(ofTexts, compiled);
      if (texts && !isAlike(texts, answer.rows))
        throw new Error(`${query}\nanother answer of texts: ${ofTexts.sql}\n${JSON.stringify(texts)}`);
    }
    return answer;
  }

  /** The rows of the statement that takes attributes as texts; undefined if the attributes are not texts. */
  async function ofOnlyTexts(
    { sql, params }: NonNullable<Compiled['ofTexts']>,
    { columns, settings }: Compiled,
  ): Promise<Answer['rows'] | undefined> {
    try {
      return (await select(sql, boundForEngine(params), settings)).map((row) => decodeRow(columns, row));
    } catch (error) {
      if (error instanceof ClickHouseError && error.code === '395') return undefined;
      throw new Error(`${sql}\n${String(error)}`);
    }
  }

  /** Runs the query again with the kinds of the metrics known. */
  async function narrowly(query: string, options: Partial<CompileOptions>, names: readonly string[]) {
    const kinds = await select(
      'SELECT DISTINCT metric, toString(kind), toString(temporality) FROM metric_series WHERE workspace = {workspace:UInt32} AND metric IN {names:Array(String)}',
      { workspace: (options.scope ?? SCOPE).workspace, names },
    );
    const metrics = kinds.map(([name, kind, temporality]) => ({ name, kind, temporality })) as CatalogueMetric[];
    const { integers } = options.types ?? {};
    const known = await run(query, { ...options, types: { metrics, ...(integers && { integers }) } });
    const alike = await run(query, {
      ...options,
      types: { metrics, alike: true, checked: true, integers: false },
    }).catch((error: unknown) => {
      if (error instanceof Error && error.cause instanceof Error && isAssumption(error.cause.message)) return undefined;
      throw error;
    });
    return [known, ...(alike ? [alike] : [])];
  }

  return {
    select,
    async ask(query, options = {}) {
      const { metrics, described, ...answer } = await run(query, options);
      if (metrics.length > 0) {
        for (const narrow of await narrowly(query, options, metrics)) {
          // The server compiles for known kinds alone, and shows its reader what that compilation says.
          if (!isDeepStrictEqual(narrow.described, described))
            throw new Error(
              `${query}\nis described otherwise where kinds are known: ${inspect(narrow.described)}\ninstead of\n${inspect(described)}`,
            );
          if (!isAlike(narrow.rows, answer.rows))
            throw new Error(
              `${query}\nanother answer where kinds are known: ${narrow.sql}\n${JSON.stringify(narrow.rows)}\ninstead of\n${JSON.stringify(answer.rows)}`,
            );
        }
      }
      return answer;
    },
    async stop() {
      await client.close();
      if (place !== undefined) await writer.close();
      await place?.drop();
      await admin.command({ query: `DROP DATABASE ${database} SYNC` });
      await admin.close();
    },
  };
}
