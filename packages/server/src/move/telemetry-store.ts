import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type ClickHouse, createClickHouse, migrations, storeErrorCode } from '../platform/clickhouse/index.ts';
import { createReader, type Reader } from '../platform/clickhouse/read-request.ts';
import type { Block, Part } from './rules.ts';

export const DATABASE = 'fanion';

/** A read or an insert of a block, and the check of a partition. */
const LONGEST_MS = 3_600_000;
const limits = {
  maxSeconds: LONGEST_MS / 1_000,
  maxRowsToRead: Number.MAX_SAFE_INTEGER,
  maxResultRows: 10_000_000,
  maxResultBytes: 256 * 1024 ** 2,
};

export interface TelemetryTable {
  readonly name: string;
  /** Stored columns, quoted. */
  readonly columns: readonly string[];
  /** Columns whose values merges do not change, as far as rows with the same key are merged. */
  readonly compared: readonly string[];
  /** Whether merges combine rows with the same key. */
  readonly combines: boolean;
}

/** A telemetry store as the source or the target of a move. */
export interface TelemetrySide {
  readonly clickhouse: ClickHouse;
  readonly reader: Reader;
  close(): Promise<void>;
}

export function openTelemetrySide(url: string): TelemetrySide {
  const clickhouse = createClickHouse({ url, database: DATABASE, maxConnections: 4, requestTimeoutMs: LONGEST_MS });
  const reader = createReader({ url, database: DATABASE, maxConnections: 4, timeoutMs: LONGEST_MS });
  return {
    clickhouse,
    reader,
    async close() {
      reader.close();
      await clickhouse.close();
    },
  };
}

/** Not copied: the target has migrations of its own, and its parts have names of their own. */
const notCopied = ['telemetry_migrations', 'text_index_parts', 'fanion_move'];
const notIn = `NOT IN (${notCopied.map((name) => `'${name}'`).join(', ')})`;
const copied = `database = '${DATABASE}' AND table ${notIn}`;

export async function listTelemetryTables({ clickhouse }: TelemetrySide): Promise<TelemetryTable[]> {
  const { rows } = await clickhouse.query(
    `SELECT t.name, t.engine, c.name, c.type, c.is_in_sorting_key FROM system.columns AS c
     INNER JOIN system.tables AS t ON t.name = c.table AND t.database = c.database
     WHERE c.${copied} AND t.engine LIKE '%MergeTree' AND c.default_kind IN ('', 'DEFAULT')
     ORDER BY t.name, c.position`,
  );
  const tables = new Map<string, { columns: string[]; compared: string[]; combines: boolean }>();
  for (const [table, engine, column, type, inKey] of rows.map((row) => row.map(String))) {
    if (table === undefined || engine === undefined || column === undefined || type === undefined) continue;
    const known = tables.get(table) ?? { columns: [], compared: [], combines: engine !== 'MergeTree' };
    tables.set(table, known);
    known.columns.push(quoted(column));
    if (isCompared(engine, type, inKey === '1')) known.compared.push(quoted(column));
  }
  return [...tables].map(([name, table]) => ({ name, ...table }));
}

/** Of rows with the same key, merges may keep any value of the other columns. */
function isCompared(engine: string, type: string, isInKey: boolean): boolean {
  if (type.startsWith('AggregateFunction')) return false;
  if (engine === 'MergeTree' || engine === 'SummingMergeTree') return true;
  return isInKey || type.startsWith('SimpleAggregateFunction');
}

/** All parts that have rows, in the order in which they were written. */
export async function listParts({ clickhouse }: TelemetrySide): Promise<Part[]> {
  const { rows } = await clickhouse.query(
    `SELECT table, partition_id, name, toString(rows), toString(data_uncompressed_bytes) FROM system.parts
     WHERE ${copied} AND active AND rows > 0 ORDER BY table, partition_id, min_block_number`,
    { limits },
  );
  return rows.map(([table, partition, name, count, bytes]) => ({
    table: String(table),
    partition: String(partition),
    name: String(name),
    rows: Number(count),
    bytes: Number(bytes),
  }));
}

/** Changes of existing rows and indexes that are not complete. */
export async function countMutations({ clickhouse }: TelemetrySide): Promise<number> {
  const { rows } = await clickhouse.query(`SELECT count() FROM system.mutations WHERE ${copied} AND NOT is_done`);
  return Number(rows[0]?.[0]);
}

/** Reads a block of the source and inserts it into the target. A repetition with the same token changes nothing. */
export async function copyBlock(
  from: TelemetrySide,
  to: TelemetrySide,
  { table, block, token, signal }: { table: TelemetryTable; block: Block; token: string; signal: AbortSignal },
): Promise<void> {
  const range = block.from === undefined ? '' : ` AND _part_offset >= ${block.from} AND _part_offset < ${block.to}`;
  const response = await from.reader.send({
    sql: `SELECT ${table.columns.join(', ')} FROM ${table.name} WHERE ${inParts(block.parts)}${range} FORMAT Native`,
    params: {},
    // An error is then reported before the first byte.
    settings: { readonly: 1, wait_end_of_query: 1 },
    signal,
  });
  // As a whole, so that a source that vanishes never leaves half a block.
  const rows = await buffer(response);
  if (rows.length === 0) return;
  await to.clickhouse.insert(table.name, table.columns, 'Native', rows, { token, signal });
}

export async function dropPartition({ clickhouse }: TelemetrySide, table: string, partition: string): Promise<void> {
  await clickhouse.command(`ALTER TABLE ${quoted(table)} DROP PARTITION ID '${partition}'`);
}

export interface Fingerprint {
  readonly rows: string;
  readonly hash: string;
}

/**
 * The number of rows of a partition and a sum over them that does not depend on their order. Where merges combine rows, both are those
 * after all merges.
 * @param parts only these; undefined: all
 */
export async function fingerprint(
  { clickhouse }: TelemetrySide,
  { name, compared, combines }: TelemetryTable,
  partition: string,
  parts?: ReadonlySet<string>,
): Promise<Fingerprint> {
  const only = parts === undefined ? '' : ` AND ${inParts([...parts])}`;
  const { rows } = await clickhouse.query(
    `SELECT toString(count()), toString(sum(cityHash64(${compared.join(', ')}))) FROM ${name}${combines ? ' FINAL' : ''}
     WHERE _partition_id = '${partition}'${only}`,
    { limits },
  );
  return { rows: String(rows[0]?.[0]), hash: String(rows[0]?.[1]) };
}

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

const views = migrations.flatMap(({ statements }) =>
  statements.filter((statement) => statement.startsWith('CREATE MATERIALIZED VIEW')),
);

/** What a view derives is copied; rows that are copied must not be derived from once more. */
export async function dropViews({ clickhouse }: TelemetrySide): Promise<void> {
  for (const view of views) {
    const name = /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+)/.exec(view)?.[1];
    if (name === undefined) throw new Error(`not the definition of a view: ${view.slice(0, 80)}`);
    await clickhouse.command(`DROP VIEW IF EXISTS ${name} SYNC`);
  }
}

export async function createViews({ clickhouse }: TelemetrySide): Promise<void> {
  for (const view of views) await clickhouse.command(view);
}

/** A list of parts, by their names, which have neither quotes nor backslashes. */
function inParts(parts: readonly string[]): string {
  return `_part IN (${parts.map((name) => `'${name}'`).join(', ')})`;
}

function quoted(name: string): string {
  return `\`${name}\``;
}

/** Of a block of a move. */
export function tokenOf(move: string, block: number): string {
  return createHash('sha256').update(`move ${move} ${block}`).digest('hex');
}
