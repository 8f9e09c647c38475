import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { twoShards } from '../../packages/oql/src/testing/two-shards.ts';
import {
  type ClickHouse,
  type ClickHouseOptions,
  createClickHouse as createPlain,
  type QueryOptions,
} from '../../packages/server/src/platform/clickhouse/client.ts';
import { clusterSettings } from '../../packages/server/src/platform/clickhouse/cluster.ts';
import { migrations } from '../../packages/server/src/platform/clickhouse/migrations/index.ts';
import { comparable, isAboutServers, selectOf } from './comparison.ts';

/**
 * Stands in for the server's `client.ts` in the two-shards tier: each read of telemetry runs on the tables of one server and over two
 * shards, and a difference fails the test. The caller gets the answer of one server.
 */
export * from '../../packages/server/src/platform/clickhouse/client.ts';

/** Statements ask for the present time, and rows may be inserted. A difference counts while one server has the same answer before and after. */
const ATTEMPTS = 5;
/** A shard of the twin reads all rows to find its own, so it gets other limits. */
const WITHOUT_LIMITS = { maxRowsToRead: 0, maxSeconds: 60, maxMemoryBytes: 2 * 1024 ** 3 };

/** What a worker found since the last test. */
export const differences: string[] = [];

const twins = new Map<string, Promise<ClickHouse>>();
/** How often a worker compares the same statement; tests wait for what is stored by repeating one. */
const COMPARISONS = 3;
const compared = new Map<string, number>();

export function createClickHouse(options: ClickHouseOptions): ClickHouse {
  const plain = createPlain(options);
  const compare = async (sql: string, read: QueryOptions = {}) => {
    const twin = await twinOf(plain, options);
    if (twin !== undefined && (await isSame(plain, twin, sql, read))) note(sql);
  };
  return {
    ...plain,
    async query(sql, read) {
      await compare(sql, read);
      return plain.query(sql, read);
    },
    async queryRows<Row extends object>(sql: string, read?: QueryOptions) {
      await compare(sql, read);
      return plain.queryRows<Row>(sql, read);
    },
    async open(sql, read, format) {
      await compare(sql, read);
      return plain.open(sql, read, format);
    },
    async *stream(sql, read) {
      await compare(sql, read);
      yield* plain.stream(sql, read);
    },
    async command(sql, more) {
      const select = selectOf(sql);
      const twin = select && (await twinOf(plain, options));
      if (select && twin && (await isSame(plain, twin, select, more ?? {}))) note(sql);
      return plain.command(sql, more);
    },
  };
}

/** Undefined until the schema is complete. */
async function twinOf(plain: ClickHouse, { url, database }: ClickHouseOptions): Promise<ClickHouse | undefined> {
  const name = `${url}/${database}`;
  const known = twins.get(name);
  if (known !== undefined) return known;
  const [row] = await plain.queryRows<{ found: number }>(
    `SELECT toUInt32(count()) AS found FROM system.tables WHERE database = {database:String} AND name = 'telemetry_migrations'`,
    { params: { database } },
  );
  if (row?.found !== 1) return undefined;
  const [applied] = await plain.queryRows<{ last: number }>('SELECT max(id) AS last FROM telemetry_migrations');
  if (applied?.last !== migrations.at(-1)?.id) return undefined;
  const made = twins.get(name) ?? makeTwin(url, database);
  twins.set(name, made);
  return made;
}

async function makeTwin(url: string, database: string): Promise<ClickHouse> {
  const place = await twoShards(url, database);
  return createPlain({ url, database: place.database, settings: { ...clusterSettings }, maxConnections: 16 });
}

/** Whether a read has the same answer both ways; undefined: it was not compared. A difference is kept for the end of the test. */
async function isSame(
  plain: ClickHouse,
  twin: ClickHouse,
  sql: string,
  read: QueryOptions,
): Promise<boolean | undefined> {
  // A test looks at all columns; a table of the twin has one more.
  if (/^SELECT \* FROM \w+\b/.test(sql)) return undefined;
  // A test looks at what still runs, and the engine does not end these at once.
  if (/\bsleepEachRow\(/.test(sql)) return undefined;
  if (isAboutServers(sql) || (compared.get(sql) ?? 0) >= COMPARISONS) return undefined;
  const { queryId: _, limits, ...rest } = read;
  const options = { ...rest, limits: { ...limits, ...WITHOUT_LIMITS } };
  let different: string | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await plain.query(sql, options).catch(() => undefined);
    // The caller sees the error by itself.
    if (before === undefined) return undefined;
    const two = await twin.query(sql, options).catch((error: unknown) => String(error));
    const after = await plain.query(sql, options).catch(() => undefined);
    if (after === undefined || read.signal?.aborted) return undefined;
    // A table that the test itself has made.
    if (typeof two === 'string' && /Unknown table expression identifier/.test(two)) return undefined;
    const [one, other] = [comparable(sql, after), typeof two === 'string' ? two : comparable(sql, two)];
    if (isDeepStrictEqual(one, other)) return true;
    // Rows arrive meanwhile.
    if (!isDeepStrictEqual(one, comparable(sql, before))) continue;
    different = `${JSON.stringify(other)}\ninstead of\n${JSON.stringify(one)}`;
  }
  if (different === undefined) return undefined;
  const text = `another answer over two shards\n${sql.slice(0, 4000)}\n${different.slice(0, 4000)}`;
  differences.push(text);
  return false;
}

function note(sql: string): void {
  const times = (compared.get(sql) ?? 0) + 1;
  compared.set(sql, times);
  const folder = process.env.FANION_STATEMENTS;
  if (folder !== undefined && times === 1)
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(sql)}\n`);
}
