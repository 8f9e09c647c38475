import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Place } from './engine.ts';

/** A view writes into the table of its own server, so rows that belong together are on several shards until they are read. */
const filledByViews = 'cityHash64(_part, _part_offset)';

/**
 * The tables of a database as two shards of a cluster, in one process. The engine takes `127.0.0.1` twice as two shards, and runs the
 * query of each by itself; a view lets each see only the rows that the product's sharding key puts there. Tables over the shards
 * are what `Distributed` tables are on a cluster.
 */
export async function twoShards(url: string, database: string): Promise<Place> {
  const { clusterSettings, shardingKeys } = await import('../../../server/src/platform/clickhouse/cluster.ts');
  const admin = createClient({ url, log: { level: ClickHouseLogLevel.OFF } });
  const [parts, whole] = [`${database}_parts`, `${database}_whole`];
  const command = (query: string) => admin.command({ query });
  for (const name of [whole, parts]) await command(`DROP DATABASE IF EXISTS ${name} SYNC`);
  for (const name of [parts, whole]) await command(`CREATE DATABASE ${name} ENGINE = Atomic`);
  const found = await admin.query({
    query: `SELECT table, groupArray(name) AS columns, table IN (SELECT extract(create_table_query, ' TO \\\\w+\\\\.(\\\\w+)') FROM system.tables WHERE database = '${database}' AND engine = 'MaterializedView') AS isFilled
      FROM system.columns WHERE database = '${database}' AND default_kind != 'ALIAS' AND table NOT IN (SELECT name FROM system.tables WHERE database = '${database}' AND engine = 'MaterializedView') GROUP BY table`,
    format: 'JSONEachRow',
  });
  for (const { table, columns, isFilled } of await found.json<{
    table: string;
    columns: string[];
    isFilled: number;
  }>()) {
    const key = shardingKeys[table] && (isFilled ? filledByViews : shardingKeys[table]);
    const names = [...columns.map((column) => `\`${column}\``), '_partition_id'].join(', ');
    // Every server has a copy of a table without a key.
    const where = key === undefined ? '' : ` WHERE ${key} % 2 = shardNum() - 1`;
    const from = key === undefined ? `${database}.${table}` : `remote('127.0.0.1,127.0.0.1', ${parts}, ${table})`;
    if (key === undefined) {
      await command(`CREATE VIEW ${whole}.${table} AS SELECT ${names} FROM ${from}`);
      continue;
    }
    await command(`CREATE VIEW ${parts}.${table} AS SELECT ${names} FROM ${database}.${table}${where}`);
    await command(`CREATE TABLE ${whole}.${table} AS ${from}`);
  }
  return {
    database: whole,
    settings: { distributed_product_mode: clusterSettings.distributed_product_mode },
    async drop() {
      for (const name of [whole, parts]) await command(`DROP DATABASE ${name} SYNC`);
      await admin.close();
    },
  };
}
