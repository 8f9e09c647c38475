import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedStore } from '../../../../../oql/src/testing/engine.ts';
import { type ClickHouse, clusterSettings, createClickHouse } from '../../../platform/clickhouse/index.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';

const database = 'removal_on_cluster';
const cluster = { name: 'telemetry', database };
const signal = AbortSignal.timeout(100_000);
const params = { workspace: 1 };

let store: ClickHouse;
beforeAll(async () => {
  const { url } = await sharedStore();
  const admin = createClickHouse({ url, database: 'default', maxConnections: 1 });
  await admin.command(`CREATE DATABASE ${database} ENGINE = Atomic`);
  await admin.close();
  store = createClickHouse({ url, database, settings: { ...clusterSettings } });
  await store.command(`CREATE TABLE logs_local (workspace UInt32, project UInt32, environment String, time DateTime64(9, 'UTC'), body String)
    ENGINE = MergeTree PARTITION BY toDate(time) ORDER BY time SETTINGS old_parts_lifetime = 1`);
  // Both shards read the same table, so a mutation that one of them runs is done on both.
  for (const [name, of] of [
    ['logs', `${database}, logs_local`],
    ['mutations', 'system.mutations'],
    ['parts', 'system.parts'],
  ])
    await store.command(`CREATE TABLE ${name} AS remote('127.0.0.1,127.0.0.1', ${of})`);
  await store.command(`INSERT INTO logs_local SELECT number % 2 + 1, 1, 'live', toDateTime64('2026-11-20 00:00:00', 9, 'UTC') + number * 3600, 'mine'
    FROM numbers(96)`);
});
afterAll(async () => {
  await store?.command(`DROP DATABASE ${database} SYNC`);
  await store?.close();
});

/** Without Keeper there is no `ON CLUSTER`, and without its configuration no cluster by name. */
const inOneProcess = (sql: string) =>
  sql.replaceAll(` ON CLUSTER 'telemetry'`, '').replace(/clusterAllReplicas\('telemetry', system\.(\w+)\)/, '$1');

it('deletes the rows of a project from the local tables of a cluster, also from disk', async () => {
  const asked: string[] = [];
  const remove = deleteTelemetryFrom(
    {
      command: (sql, options) => {
        asked.push(sql);
        return store.command(inOneProcess(sql), options);
      },
      queryRows: (sql, options) => store.queryRows(inOneProcess(sql), options),
    },
    cluster,
  );
  const table = { name: 'logs', isBefore: () => '1' };
  const place = { removal: 'a', workspace: 1, project: 1, environment: undefined, before: undefined };
  expect(await remove(table, place, signal)).toMatchObject({ state: 'deleting' });
  await expect.poll(() => remove(table, place, signal)).toEqual({ state: 'nothing' });
  expect(asked[0]).toContain(`ALTER TABLE ${database}.logs_local ON CLUSTER 'telemetry' DELETE IN PARTITION ID`);
  const left = async (sql: string) => (await store.query(sql, { params })).rows.flat().map(Number);
  expect(await left('SELECT countIf(workspace = {workspace:UInt32}), count() FROM logs_local')).toEqual([0, 48]);
  expect(await left('SELECT countIf(workspace = {workspace:UInt32}), count() FROM logs')).toEqual([0, 96]);
  // The parts that had the rows are files until they are removed in the background.
  const onDisk = `SELECT sum(rows) FROM system.parts WHERE database = '${database}' AND table = 'logs_local'`;
  await expect.poll(() => left(onDisk)).toEqual([48]);
});
