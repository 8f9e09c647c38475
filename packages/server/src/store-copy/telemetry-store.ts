import { createHash } from 'node:crypto';
import { type ClickHouse, createClickHouse } from '../platform/clickhouse/index.ts';
import { createReader, type Reader } from '../platform/clickhouse/read-request.ts';
import { urlsOf } from '../platform/url-hosts.ts';
import { hashedState, hashedValue, isState } from './hashed-store.ts';
import type { Block, StoredPart } from './rules.ts';

export const DATABASE = 'fanion';

/** A read or an insert of a block, and the check of a partition. */
const LONGEST_MS = 3_600_000;
export const limits = {
  maxSeconds: LONGEST_MS / 1_000,
  maxRowsToRead: Number.MAX_SAFE_INTEGER,
  maxResultRows: 10_000_000,
  maxResultBytes: 256 * 1024 ** 2,
};

export interface TelemetryTable {
  readonly name: string;
  /** Stored columns, quoted. */
  readonly columns: readonly string[];
  /** The values of a row but for its aggregate states, as arguments of a hash. */
  readonly values: readonly string[];
  /** The values of its aggregate states, in the same way; undefined: one of them cannot be compared. */
  readonly states: readonly string[] | undefined;
  /** Whether merges combine rows with the same key. */
  readonly combines: boolean;
}

/** A telemetry store whose rows are copied. */
export interface TelemetrySide {
  readonly clickhouse: ClickHouse;
  readonly reader: Reader;
  close(): Promise<void>;
}

/** @throws Error for the hosts of a cluster, of which each has a part of the rows, and parts with names of its own */
export function openTelemetrySide(url: string): TelemetrySide {
  if (urlsOf(url).length > 1)
    throw new Error(
      'CLICKHOUSE_URL has several hosts, and rows of a cluster are not copied: name one server that has all rows',
    );
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
export const notIn = `NOT IN (${notCopied.map((name) => `'${name}'`).join(', ')})`;
const copied = `database = '${DATABASE}' AND table ${notIn}`;

export async function listTelemetryTables({ clickhouse }: TelemetrySide): Promise<TelemetryTable[]> {
  const { rows } = await clickhouse.query(
    `SELECT t.name, t.engine, c.name, c.type FROM system.columns AS c
     INNER JOIN system.tables AS t ON t.name = c.table AND t.database = c.database
     WHERE c.${copied} AND t.engine LIKE '%MergeTree' AND c.default_kind IN ('', 'DEFAULT')
     ORDER BY t.name, c.position`,
  );
  const tables = new Map<
    string,
    { columns: string[]; values: string[]; states: string[] | undefined; combines: boolean }
  >();
  for (const [table, engine, column, type] of rows.map((row) => row.map(String))) {
    if (table === undefined || engine === undefined || column === undefined || type === undefined) continue;
    const known = tables.get(table) ?? { columns: [], values: [], states: [], combines: engine !== 'MergeTree' };
    tables.set(table, known);
    known.columns.push(quoted(column));
    if (!isState(type)) known.values.push(hashedValue(quoted(column), type));
    else {
      const state = hashedState(quoted(column), type);
      if (state === undefined) known.states = undefined;
      else known.states?.push(state);
    }
  }
  return [...tables].map(([name, table]) => ({ name, ...table }));
}

/**
 * All parts that have rows, in the order in which they were written.
 * @param of only those of one partition
 */
export async function listParts(
  { clickhouse }: TelemetrySide,
  of?: { readonly table: string; readonly partition: string },
): Promise<StoredPart[]> {
  const only = of === undefined ? '' : ' AND table = {table:String} AND partition_id = {partition:String}';
  const { rows } = await clickhouse.query(
    `SELECT table, partition_id, name, toString(rows), toString(data_uncompressed_bytes),
       toString(min_block_number), toString(max_block_number) FROM system.parts
     WHERE ${copied} AND active AND rows > 0${only} ORDER BY table, partition_id, min_block_number`,
    { limits, ...(of !== undefined && { params: of }) },
  );
  return rows.map(([table, partition, name, count, bytes, firstBlock, lastBlock]) => ({
    table: String(table),
    partition: String(partition),
    name: String(name),
    rows: Number(count),
    bytes: Number(bytes),
    firstBlock: Number(firstBlock),
    lastBlock: Number(lastBlock),
  }));
}

/** How many of these parts a query would still read. */
export async function countActive(
  { clickhouse }: TelemetrySide,
  { table, parts }: { readonly table: string; readonly parts: readonly string[] },
): Promise<number> {
  const { rows } = await clickhouse.query(
    `SELECT count() FROM system.parts WHERE database = '${DATABASE}' AND table = {table:String} AND active AND name IN {parts:Array(String)}`,
    { params: { table, parts } },
  );
  return Number(rows[0]?.[0]);
}

/** Changes of existing rows that are not complete, such as deletions. An index that is being built changes none. */
export async function countChanges({ clickhouse }: TelemetrySide): Promise<number> {
  const { rows } = await clickhouse.query(
    `SELECT count() FROM system.mutations WHERE ${copied} AND NOT is_done AND command NOT LIKE '%MATERIALIZE INDEX%'`,
  );
  return Number(rows[0]?.[0]);
}

interface BlockOf {
  readonly table: TelemetryTable;
  readonly block: Block;
  readonly signal: AbortSignal;
}

/**
 * Reads a block as a whole, in the format `Native`: a source that vanishes never leaves half of it. Parts that are gone have no rows.
 * @param mostBytes a larger one is given up
 */
export async function readBlock(
  { reader }: TelemetrySide,
  { table, block, signal }: BlockOf,
  mostBytes: number,
): Promise<Buffer | 'too large'> {
  const response = await reader.send({
    sql: `SELECT ${table.columns.join(', ')} FROM ${table.name} WHERE ${inBlock(block)} FORMAT Native`,
    params: {},
    // An error is then reported before the first byte.
    settings: { readonly: 1, wait_end_of_query: 1 },
    signal,
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      response.destroy();
      return 'too large';
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Without these, the store combines rows of one insert as a merge does, and slows down and refuses inserts while merges are stopped: see
 * `fingerprint`.
 */
const asRead = { optimize_on_insert: 0, parts_to_delay_insert: 1_000_000, parts_to_throw_insert: 1_000_000 } as const;

/** Inserts a block that `readBlock` has read, every row of it. */
export async function insertAsRead(
  { clickhouse }: TelemetrySide,
  { name, columns }: TelemetryTable,
  rows: Uint8Array,
  options: { readonly token: string; readonly signal: AbortSignal },
): Promise<void> {
  await clickhouse.insert(name, columns, 'Native', rows, { ...options, settings: asRead });
}

/** Reads a block of the source and inserts it into the target. A repetition with the same token changes nothing. */
export async function copyBlock(
  from: TelemetrySide,
  to: TelemetrySide,
  { token, ...of }: BlockOf & { readonly token: string },
): Promise<void> {
  const rows = await readBlock(from, of, Number.MAX_SAFE_INTEGER);
  if (rows === 'too large' || rows.length === 0) return;
  await insertAsRead(to, of.table, rows, { token, signal: of.signal });
}

export async function dropPartition({ clickhouse }: TelemetrySide, table: string, partition: string): Promise<void> {
  await clickhouse.command(`ALTER TABLE ${quoted(table)} DROP PARTITION ID '${partition}'`);
}

export function inBlock({ parts, from, to }: Block): string {
  const range = from === undefined ? '' : ` AND _part_offset >= ${from} AND _part_offset < ${to}`;
  return `${inParts(parts)}${range}`;
}

/** A list of parts, by their names, which have neither quotes nor backslashes. */
export function inParts(parts: readonly string[]): string {
  return `_part IN (${parts.map((name) => `'${name}'`).join(', ')})`;
}

export function quoted(name: string): string {
  return `\`${name}\``;
}

/** Of a block of a move. */
export function tokenOf(move: string, block: number): string {
  return createHash('sha256').update(`move ${move} ${block}`).digest('hex');
}
