import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import { type Built, type Partition, textIndexes } from './rules.ts';

export type Store = Pick<ClickHouse, 'queryRows' | 'command'>;

/** The partitions of all tables with text indexes. */
export async function listPartitions(store: Store): Promise<Partition[]> {
  return store.queryRows<{ table: string; id: string; parts: string[] }>(
    `SELECT table, partition_id AS id, groupArray(name) AS parts FROM system.parts
     WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND active
     GROUP BY table, id`,
    { params: { tables: Object.keys(textIndexes) } },
  );
}

export async function listParts(store: Store, { table, id }: Partition): Promise<string[]> {
  const rows = await store.queryRows<{ name: string }>(
    `SELECT name FROM system.parts
     WHERE database = currentDatabase() AND table = {table:String} AND partition_id = {id:String} AND active`,
    { params: { table, id } },
  );
  return rows.map(({ name }) => name);
}

export async function listBuilt(store: Store): Promise<Built[]> {
  const rows = await store.queryRows<{ table: string; id: string; parts: string[]; ms: string }>(
    `SELECT table, partition_id AS id, parts, toUnixTimestamp64Milli(at) AS ms FROM text_index_parts FINAL`,
  );
  return rows.map(({ ms, ...built }) => ({ ...built, at: Number(ms) }));
}

export async function recordBuilt(store: Store, { table, id, parts, at }: Built): Promise<void> {
  await store.command(
    `INSERT INTO text_index_parts (table, partition_id, parts, at)
     SELECT {table:String}, {id:String}, {parts:Array(String)}, fromUnixTimestamp64Milli({at:Int64})`,
    { params: { table, id, parts, at } },
  );
}

/** Orders the building; the store does it by itself. Only the indexes are written, not the columns. */
export async function orderIndexes(store: Store, { table, id }: Partition): Promise<void> {
  const commands = (textIndexes[table] ?? []).map((index) => `MATERIALIZE INDEX ${index} IN PARTITION ID '${id}'`);
  await store.command(`ALTER TABLE ${table} ${commands.join(', ')}`, { settings: { mutations_sync: 0 } });
}

export interface Building {
  readonly mutation: string;
  /** Why it does not end; empty: it runs. */
  readonly failure: string;
}

/** The buildings of a table that are not done yet, from any replica. */
export async function listBuildings(store: Store, table: string): Promise<Building[]> {
  return store.queryRows<Building & Record<string, string>>(
    `SELECT mutation_id AS mutation, any(latest_fail_reason) AS failure FROM system.mutations
     WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done AND command LIKE '%MATERIALIZE INDEX%'
     GROUP BY mutation_id`,
    { params: { table } },
  );
}

/** One that fails would be tried for ever, and hold up what was ordered after it. */
export async function giveUp(store: Store, table: string, { mutation }: Building): Promise<void> {
  await store.command(
    `KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND mutation_id = {mutation:String}`,
    { params: { table, mutation } },
  );
}
