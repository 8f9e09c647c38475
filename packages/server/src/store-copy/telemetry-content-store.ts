import { storeErrorCode, type TelemetryMigration } from '../platform/clickhouse/index.ts';
import { DATABASE, notIn, quoted, type TelemetrySide, type TelemetryTable } from './telemetry-store.ts';

/** While they are stopped, parts stay as they are, and rows are not removed at the end of their retention. */
export async function setMerges(side: TelemetrySide, tables: readonly TelemetryTable[], to: 'STOP' | 'START') {
  for (const { name } of tables) await side.clickhouse.command(`SYSTEM ${to} MERGES ${DATABASE}.${name}`);
}

/** The same only for the end of retention. */
export async function setExpiry(side: TelemetrySide, tables: readonly TelemetryTable[], to: 'STOP' | 'START') {
  for (const { name } of tables) await side.clickhouse.command(`SYSTEM ${to} TTL MERGES ${DATABASE}.${name}`);
}

export interface TelemetryContent {
  readonly rows: number;
  /** The newest migration; 0: none. */
  readonly migration: number;
}

/** Undefined: there is no database of this name. */
export async function readTelemetryContent({ clickhouse }: TelemetrySide): Promise<TelemetryContent | undefined> {
  try {
    const { rows } = await clickhouse.query(
      `SELECT toString(sum(total_rows)) FROM system.tables
       WHERE database = '${DATABASE}' AND name ${notIn} AND engine LIKE '%MergeTree'`,
    );
    const known = await clickhouse.query(`EXISTS TABLE telemetry_migrations`);
    const newest =
      Number(known.rows[0]?.[0]) === 1 ? await clickhouse.query('SELECT max(id) FROM telemetry_migrations') : undefined;
    return { rows: Number(rows[0]?.[0] ?? 0), migration: Number(newest?.rows[0]?.[0] ?? 0) };
  } catch (error) {
    if (storeErrorCode(error) === UNKNOWN_DATABASE) return undefined;
    throw error;
  }
}

const UNKNOWN_DATABASE = 81;

/** Identifies the tables of a store: if they are dropped and created again, the id is another. Empty if there are none. */
export async function tablesId(side: TelemetrySide): Promise<string> {
  if ((await readTelemetryContent(side)) === undefined) return '';
  const { rows } = await side.clickhouse.query(
    `SELECT toString(uuid) FROM system.tables WHERE database = '${DATABASE}' AND name = 'telemetry_migrations'`,
  );
  return String(rows[0]?.[0] ?? '');
}

const viewsOf = (migrations: readonly TelemetryMigration[]) =>
  migrations.flatMap(({ statements }) =>
    statements.filter((statement) => statement.startsWith('CREATE MATERIALIZED VIEW')),
  );

/** What a view derives is copied; rows that are copied must not be derived from once more. */
export async function dropViews(
  { clickhouse }: TelemetrySide,
  migrations: readonly TelemetryMigration[],
): Promise<void> {
  for (const view of viewsOf(migrations)) {
    const name = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+)/.exec(view)?.[1];
    if (name === undefined) throw new Error(`not the definition of a view: ${view.slice(0, 80)}`);
    await clickhouse.command(`DROP VIEW IF EXISTS ${name} SYNC`);
  }
}

export async function createViews(
  { clickhouse }: TelemetrySide,
  migrations: readonly TelemetryMigration[],
): Promise<void> {
  for (const view of viewsOf(migrations)) await clickhouse.command(view);
}

/** Whether a part of the tables is on other servers. */
export async function isCluster({ clickhouse }: TelemetrySide): Promise<boolean> {
  const { rows } = await clickhouse.query(
    `SELECT count() FROM system.tables WHERE database = '${DATABASE}' AND (engine = 'Distributed' OR engine LIKE 'Replicated%')`,
  );
  return Number(rows[0]?.[0]) > 0;
}

export async function emptyTables({ clickhouse }: TelemetrySide, tables: readonly TelemetryTable[]): Promise<void> {
  for (const { name } of tables) await clickhouse.command(`TRUNCATE TABLE ${quoted(name)}`);
}

/** The migrations that a store has. */
export async function appliedTelemetry({ clickhouse }: TelemetrySide): Promise<number[]> {
  const { rows } = await clickhouse.query('SELECT DISTINCT id FROM telemetry_migrations ORDER BY id');
  return rows.map(([id]) => Number(id));
}
