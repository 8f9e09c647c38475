import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from './client.ts';
import { type Cluster, clusterSettings, onCluster, schemasOf } from './cluster.ts';
import { storeErrorCode } from './errors.ts';
import { withGranules } from './granules.ts';
import { migrateTelemetry } from './migrate.ts';
import { migrations } from './migrations/index.ts';

const cluster: Cluster = { name: 'telemetry', database: 'fanion' };
const formOf = (statements: readonly string[]) =>
  statements.flatMap((statement) => onCluster(withGranules(statement), cluster));

describe('the schema on a cluster', () => {
  it.each(migrations.map((migration) => [migration.name, migration] as const))(
    '%s',
    async (name, { id, statements }) => {
      const file = `./testing/cluster/${String(id).padStart(4, '0')}-${name}.sql`;
      await expect(`${formOf(statements).join(';\n\n')};\n`).toMatchFileSnapshot(file);
    },
  );

  it('keeps the parameters of an engine, and remembers tokens for a month', () => {
    const [local, distributed, ...more] = formOf([
      `CREATE TABLE IF NOT EXISTS ingest_refusals (a UInt8, items UInt64) ENGINE = SummingMergeTree(items) ORDER BY a SETTINGS non_replicated_deduplication_window = 5`,
    ]);
    expect(local).toBe(
      `CREATE TABLE IF NOT EXISTS fanion.ingest_refusals_local ON CLUSTER 'telemetry' (a UInt8, items UInt64) ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/fanion/ingest_refusals_local', '{replica}', items) ORDER BY a SETTINGS replicated_deduplication_window = 5, replicated_deduplication_window_seconds = 2592000`,
    );
    expect(distributed).toBe(
      `CREATE TABLE IF NOT EXISTS fanion.ingest_refusals ON CLUSTER 'telemetry' AS fanion.ingest_refusals_local\nENGINE = Distributed('telemetry', 'fanion', 'ingest_refusals_local', cityHash64(workspace, project))`,
    );
    expect(more).toEqual([]);
  });

  it('replicates small tables to every server', () => {
    expect(
      formOf([`CREATE TABLE IF NOT EXISTS telemetry_migrations (id UInt32) ENGINE = ReplacingMergeTree ORDER BY id`]),
    ).toEqual([
      `CREATE TABLE IF NOT EXISTS fanion.telemetry_migrations ON CLUSTER 'telemetry' (id UInt32) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/fanion/telemetry_migrations', '{shard}-{replica}') ORDER BY id`,
    ]);
  });

  it('lets views read and write the parts of their own server', () => {
    expect(
      formOf([
        'CREATE MATERIALIZED VIEW IF NOT EXISTS v TO trace_index AS SELECT spans.a FROM (SELECT * FROM spans) JOIN logs AS l ON 1',
      ]),
    ).toEqual([
      `CREATE MATERIALIZED VIEW IF NOT EXISTS fanion.v ON CLUSTER 'telemetry' TO fanion.trace_index_local AS SELECT spans.a FROM (SELECT * FROM fanion.spans_local AS spans) JOIN fanion.logs_local AS l ON 1`,
    ]);
  });

  it('mutates parts, and changes columns in both tables', () => {
    expect(formOf(['ALTER TABLE spans DELETE WHERE 1', 'ALTER TABLE service_edge_minutes MODIFY TTL minute'])).toEqual([
      `ALTER TABLE fanion.spans_local ON CLUSTER 'telemetry' DELETE WHERE 1`,
      `ALTER TABLE fanion.service_edge_minutes ON CLUSTER 'telemetry' MODIFY TTL minute`,
    ]);
    expect(formOf(['ALTER TABLE logs ADD COLUMN IF NOT EXISTS a UInt8'])).toEqual([
      `ALTER TABLE fanion.logs_local ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS a UInt8`,
      `ALTER TABLE fanion.logs ON CLUSTER 'telemetry' ADD COLUMN IF NOT EXISTS a UInt8`,
    ]);
  });

  it('rejects a statement of an unknown form', () => {
    expect(() => formOf(['CREATE TABLE IF NOT EXISTS forgotten (a UInt8) ENGINE = MergeTree ORDER BY a'])).toThrow(
      'forgotten has no sharding key',
    );
    expect(() => formOf(['DROP TABLE spans'])).toThrow('no form on a cluster: DROP TABLE spans');
  });
});

describe('the engine', () => {
  let dir: string;
  let engine: EmbeddedStore;
  let store: ClickHouse;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fanion-cluster-'));
    engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: { info() {}, warn() {}, error() {} } });
    await migrateTelemetry({ url: engine.url, database: 'one_server' });
    store = createClickHouse({ url: engine.url, database: 'one_server', settings: clusterSettings });
  });
  afterAll(async () => {
    await store?.close();
    await engine?.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const statements = migrations.flatMap((migration) => formOf(migration.statements));

  it('parses every statement and accepts the settings', async () => {
    for (const statement of statements) await store.command(`EXPLAIN AST ${statement}`);
    await expect(store.command('EXPLAIN AST CREATE TABLE a (b UInt8) ON CLUSTER')).rejects.toThrow('Syntax error');
    const [row] = await store.queryRows<{ mode: string }>(`SELECT getSetting('distributed_product_mode') AS mode`);
    expect(row?.mode).toBe('global');
  });

  it('finds the servers whose tables have other columns, and leaves out those that do not answer', async () => {
    await store.command('CREATE DATABASE behind ENGINE = Atomic');
    const hostsOf = async (name: string, columns: string) => {
      await store.command(`CREATE TABLE behind.${name} AS remote('127.0.0.1,127.0.0.1:1', ${columns})`);
      const options = { params: { database: 'one_server' }, settings: { skip_unavailable_shards: 1 } };
      return (await store.queryRows<{ host: string }>(schemasOf(`behind.${name}`), options)).length;
    };
    expect(await hostsOf('same', 'system.columns')).toBe(0);
    await store.command(
      `CREATE VIEW behind.columns AS SELECT * FROM system.columns WHERE (table, name) != ('spans', 'weight')`,
    );
    expect(await hostsOf('other', 'behind.columns')).toBe(1);
    await store.command('DROP DATABASE behind SYNC');
  });

  it('lets reads ask all replicas for their system tables', async () => {
    const codeOf = (table: string) =>
      store.query(`SELECT 1 FROM ${table}`).then(
        () => 0,
        (error: unknown) => storeErrorCode(error),
      );
    // CLUSTER_DOESNT_EXIST, and not READONLY as for other addresses.
    expect(await codeOf(`clusterAllReplicas('telemetry', system.columns)`)).toBe(701);
    expect(await codeOf(`remote('127.0.0.1', system.columns)`)).toBe(164);
  });

  it('uses existing columns as sharding keys', async () => {
    const keys = statements.flatMap((statement) => {
      const [, table, key] = /Distributed\('telemetry', 'fanion', '(\w+)_local', (.+)\)$/.exec(statement) ?? [];
      return table === undefined || key === undefined ? [] : [{ table, key }];
    });
    expect(keys.length).toBeGreaterThan(10);
    for (const { table, key } of keys) {
      const { columns } = await store.query(`SELECT ${key} AS shard FROM ${table} LIMIT 0`);
      expect(columns, table).toEqual([{ name: 'shard', type: 'UInt64' }]);
    }
  });

  // There is no Keeper and no second server: everything except replication itself is created here.
  it('creates the local tables and their views, with the columns of one server', async () => {
    await store.command('CREATE DATABASE fanion ENGINE = Atomic');
    const overShards = new Set(
      statements.flatMap(
        (statement) =>
          /^CREATE TABLE IF NOT EXISTS (\S+)[\s\S]* ENGINE = Distributed/.exec(statement.replaceAll('\n', ' '))?.[1] ??
          [],
      ),
    );
    for (const statement of statements) {
      // A table over all shards has the same columns and no rows; the statements left out create and alter it.
      const [, name = ''] = /^(?:ALTER TABLE|CREATE TABLE IF NOT EXISTS) (\S+)/.exec(statement) ?? [];
      if (overShards.has(name)) continue;
      const alone = statement
        .replace(/ ON CLUSTER '\w+'/, '')
        .replace(/ENGINE = Replicated(\w+)\('[^']*', '[^']*'(?:, )?/, 'ENGINE = $1(')
        .replace(/, replicated_deduplication_window_seconds = \d+/, '')
        .replace(/\breplicated_deduplication_window = /, 'non_replicated_deduplication_window = ');
      await store.command(alone);
    }
    const columns = async (database: string) => {
      const { rows } = await store.query(
        `SELECT replaceRegexpOne(table, '_local$', '') AS name, columns.name, type, default_expression, compression_codec FROM system.columns AS columns
         WHERE database = {database:String} AND table != 'telemetry_migrations' ORDER BY name, position`,
        { params: { database } },
      );
      return rows;
    };
    expect(await columns('fanion')).toEqual(await columns('one_server'));
    await store.command(
      `INSERT INTO fanion.spans_local (workspace, time, trace_id, retention_days) SELECT 1, now64(9), unhex('0af7651916cd43dd8448eb211c80319c'), 30`,
    );
    expect((await store.query('SELECT count(), sum(spans) FROM fanion.trace_index_local')).rows).toEqual([[1, 1]]);
  });
});
