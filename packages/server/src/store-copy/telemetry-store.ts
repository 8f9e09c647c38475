import { createHash } from 'node:crypto';
import { type ClickHouse, createClickHouse } from '../platform/clickhouse/index.ts';
import { createReader, type Reader } from '../platform/clickhouse/read-request.ts';
import { urlsOf } from '../platform/url-hosts.ts';
import type { Block, StoredPart } from './rules.ts';

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
  /** Columns whose values merges do not change, as far as rows with the same key are merged, as arguments of a hash. */
  readonly compared: readonly string[];
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
    if (isCompared(engine, type, inKey === '1')) known.compared.push(hashed(quoted(column), type));
  }
  return [...tables].map(([name, table]) => ({ name, ...table }));
}

/** The hash of a row with a NULL would be NULL, and missing in the sum. */
function hashed(column: string, type: string): string {
  return type.includes('Nullable(') ? `isNull(${column}), ifNull(toString(${column}), '')` : column;
}

/** Of rows with the same key, merges may keep any value of the other columns. */
function isCompared(engine: string, type: string, isInKey: boolean): boolean {
  if (type.startsWith('AggregateFunction')) return false;
  if (engine === 'MergeTree' || engine === 'SummingMergeTree') return true;
  return isInKey || type.startsWith('SimpleAggregateFunction');
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

/** Changes of existing rows and indexes that are not complete. */
export async function countMutations({ clickhouse }: TelemetrySide): Promise<number> {
  const { rows } = await clickhouse.query(`SELECT count() FROM system.mutations WHERE ${copied} AND NOT is_done`);
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

/** Reads a block of the source and inserts it into the target. A repetition with the same token changes nothing. */
export async function copyBlock(
  from: TelemetrySide,
  to: TelemetrySide,
  { token, ...of }: BlockOf & { readonly token: string },
): Promise<void> {
  const rows = await readBlock(from, of, Number.MAX_SAFE_INTEGER);
  if (rows === 'too large' || rows.length === 0) return;
  await to.clickhouse.insert(of.table.name, of.table.columns, 'Native', rows, { token, signal: of.signal });
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

/** The same of a block, or of a whole table, where merges do not combine rows. */
export async function rowsFingerprint(
  { clickhouse }: TelemetrySide,
  { name, compared }: TelemetryTable,
  block?: Block,
): Promise<Fingerprint> {
  const where = block === undefined ? '' : ` WHERE ${inBlock(block)}`;
  const { rows } = await clickhouse.query(
    `SELECT toString(count()), toString(sum(cityHash64(${compared.join(', ')}))) FROM ${name}${where}`,
    { limits },
  );
  return { rows: String(rows[0]?.[0]), hash: String(rows[0]?.[1]) };
}

function inBlock({ parts, from, to }: Block): string {
  const range = from === undefined ? '' : ` AND _part_offset >= ${from} AND _part_offset < ${to}`;
  return `${inParts(parts)}${range}`;
}

/** A list of parts, by their names, which have neither quotes nor backslashes. */
function inParts(parts: readonly string[]): string {
  return `_part IN (${parts.map((name) => `'${name}'`).join(', ')})`;
}

export function quoted(name: string): string {
  return `\`${name}\``;
}

/** Of a block of a move. */
export function tokenOf(move: string, block: number): string {
  return createHash('sha256').update(`move ${move} ${block}`).digest('hex');
}
