import { deleteTelemetryFrom } from '../../packages/server/src/features/identity/removal/telemetry-store.ts';
import { type ClickHouse, isBadRows, storeErrorCode } from '../../packages/server/src/platform/clickhouse/index.ts';
import type { TestCluster } from './cluster.ts';

/** Asks the person to do something; false: it was left out. */
export type Person = (request: string) => Promise<boolean>;

export interface Check {
  readonly name: string;
  /** What was seen; undefined: it was left out. Throws if it is wrong. */
  run(cluster: TestCluster, person: Person): Promise<string | undefined>;
}

const TRACES = 1000;
const SPANS_OF_TRACE = 3;
const WORKSPACE = 1;
/** The same for all rows, so that a repeated block is the same. */
const AT = new Date().toISOString().slice(0, 19).replace('T', ' ');

async function one<Row extends object>(store: ClickHouse, sql: string, params: Record<string, unknown> = {}) {
  const [row] = await store.queryRows<Row>(sql, { params });
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
}

function expect(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

function first(stores: readonly ClickHouse[]): ClickHouse {
  const [store] = stores;
  if (store === undefined) throw new Error('no server of the cluster answers');
  return store;
}

/** Rows of a table on every replica, after each has fetched what the others have. */
async function onReplicas({ cluster, database }: TestCluster, stores: readonly ClickHouse[], table: string) {
  for (const store of stores) await store.command(`SYSTEM SYNC REPLICA ${database}.${table}`);
  return first(stores).queryRows<{ shard: string; rows: string[] }>(
    `SELECT shard, groupArray(rows) AS rows FROM (
       SELECT getMacro('shard') AS shard, hostName() AS host, toString(count()) AS rows FROM clusterAllReplicas('${cluster}', ${database}, ${table}) GROUP BY shard, host)
     GROUP BY shard ORDER BY shard`,
  );
}

async function sameOnReplicas(cluster: TestCluster, stores: readonly ClickHouse[], table: string): Promise<string> {
  const shards = await onReplicas(cluster, stores, table);
  for (const { shard, rows } of shards)
    expect(new Set(rows).size === 1, `the replicas of shard ${shard} have ${rows.join(' and ')} rows of ${table}`);
  return shards.map(({ shard, rows }) => `shard ${shard}: ${rows.join(', ')}`).join('; ');
}

/** Spans as tab-separated rows: each trace has some, of one minute. */
function spansFrom(start: number): Uint8Array {
  const lines = Array.from({ length: TRACES * SPANS_OF_TRACE }, (_, n) =>
    [WORKSPACE, 1, 'test', 30, AT, `t${String(start + Math.floor(n / SPANS_OF_TRACE)).padStart(15, '0')}`, 'shop'].join(
      '\t',
    ),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

const columns = ['workspace', 'project', 'environment', 'retention_days', 'time', 'trace_id', 'service'];

function insert(store: ClickHouse, start: number): Promise<void> {
  // The tab-separated format is only for this test; the product inserts RowBinary and Native in the same way.
  return store.insert('spans', columns, 'TabSeparated' as 'RowBinary', spansFrom(start), { token: `test ${start}` });
}

async function spansFound(store: ClickHouse, start: number): Promise<number> {
  const { found } = await one<{ found: string }>(
    store,
    'SELECT toString(count()) AS found FROM spans WHERE workspace = {workspace:UInt32} AND trace_id >= {from:String} AND trace_id < {to:String}',
    {
      workspace: WORKSPACE,
      from: `t${String(start).padStart(15, '0')}`,
      to: `t${String(start + TRACES).padStart(15, '0')}`,
    },
  );
  return Number(found);
}

const members: Check = {
  name: 'the servers answer and are the cluster',
  async run({ servers, cluster }) {
    for (const { url, store } of servers) expect(await store.ping(), `${new URL(url).host} does not answer`);
    const row = await servers[0]?.store.queryRows<{ shards: string; replicas: string; version: string }>(
      `SELECT toString(uniqExact(shard_num)) AS shards, toString(count()) AS replicas, version() AS version FROM system.clusters WHERE cluster = {cluster:String}`,
      { params: { cluster }, settings: { database: 'default' } },
    );
    const [found] = row ?? [];
    expect(
      Number(found?.replicas) === servers.length,
      `the cluster has ${found?.replicas} servers, and ${servers.length} addresses were given`,
    );
    return `${found?.shards} shards, ${found?.replicas} servers, ClickHouse ${found?.version}`;
  },
};

const schema: Check = {
  name: 'two servers create the schema at once, ON CLUSTER',
  async run({ servers, migrate, cluster, database }) {
    const [one, two] = servers;
    if (one === undefined || two === undefined) throw new Error('two servers are needed');
    const applied = await Promise.all([migrate(one.url), migrate(two.url)]);
    const hosts = await one.store.queryRows<{ host: string; tables: string }>(
      `SELECT hostName() AS host, toString(count()) AS tables FROM clusterAllReplicas('${cluster}', system.tables) WHERE database = {database:String} GROUP BY host ORDER BY host`,
      { params: { database } },
    );
    expect(hosts.length === servers.length, `only ${hosts.length} servers have tables`);
    expect(
      new Set(hosts.map(({ tables }) => tables)).size === 1,
      hosts.map(({ host, tables }) => `${host}: ${tables}`).join(', '),
    );
    expect((await migrate(two.url)).length === 0, 'the migrations were not recorded on the second server');
    return `${applied.map((ids) => ids.length).join(' and ')} migrations, ${hosts[0]?.tables} tables on each of ${hosts.length} servers`;
  },
};

const inserts: Check = {
  name: 'an insert through any server is divided by trace, and counts once when repeated',
  async run({ servers }) {
    for (const { store } of servers) await insert(store, 0);
    for (const { store } of servers) {
      // Replicas may be behind for a moment.
      const found = await spansFound(store, 0);
      expect(found <= TRACES * SPANS_OF_TRACE, `${found} spans instead of ${TRACES * SPANS_OF_TRACE}`);
    }
    const store = first(servers.map((server) => server.store));
    const split = await one<{ traces: string; torn: string; shards: string }>(
      store,
      `SELECT toString(count()) AS traces, toString(countIf(shards > 1)) AS torn, toString(uniqExact(shard)) AS shards
       FROM (SELECT trace_id, uniqExact(_shard_num) AS shards, any(_shard_num) AS shard FROM spans WHERE workspace = ${WORKSPACE} GROUP BY trace_id)`,
    );
    expect(split.torn === '0', `${split.torn} traces are on several shards`);
    return `${split.traces} traces, each whole on one of ${split.shards} shards`;
  },
};

const replication: Check = {
  name: 'replicas have the same rows, also those that views made',
  async run(cluster) {
    const stores = cluster.servers.map(({ store }) => store);
    const spans = await sameOnReplicas(cluster, stores, 'spans_local');
    const index = await sameOnReplicas(cluster, stores, 'trace_index_local');
    const { found } = await one<{ found: string }>(
      first(stores),
      `SELECT toString(sum(spans)) AS found FROM trace_index WHERE workspace = ${WORKSPACE}`,
    );
    expect(Number(found) === TRACES * SPANS_OF_TRACE, `the trace index counts ${found} spans`);
    return `spans: ${spans}. Trace index: ${index}`;
  },
};

const replicaAway: Check = {
  name: 'with a replica away: inserts, reads and migrations go on; it catches up',
  async run(cluster, person) {
    const all = cluster.servers.map(({ store }) => store);
    if (!(await person('Stop one ClickHouse server whose shard has another replica.'))) return undefined;
    const alive = await cluster.answering();
    expect(alive.length === all.length - 1, `${alive.length} of ${all.length} servers answer; one should be stopped`);
    const store = first(alive);
    const url = cluster.servers.find((server) => server.store === store)?.url ?? '';
    await insert(store, TRACES);
    const found = await spansFound(store, TRACES);
    expect(found === TRACES * SPANS_OF_TRACE, `${found} spans were found after an insert`);
    const began = Date.now();
    await cluster.migrate(url);
    const seconds = Math.round((Date.now() - began) / 1000);
    if (!(await person('Start it again.'))) return undefined;
    expect((await cluster.answering()).length === all.length, 'it does not answer yet');
    return `a migration took ${seconds} s. Afterwards: ${await sameOnReplicas(cluster, all, 'spans_local')}`;
  },
};

const shardAway: Check = {
  name: 'with a whole shard away: inserts fail and may be repeated; reads fail unless partial answers are allowed',
  async run(cluster, person) {
    if (!(await person('Stop all replicas of one shard.'))) return undefined;
    const store = first(await cluster.answering());
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );
    const failedInsert = await codeOf(insert(store, 2 * TRACES));
    expect(failedInsert !== undefined, 'an insert was acknowledged without one of its shards');
    expect(!isBadRows(failedInsert), `the product would give the rows up: ${String(failedInsert)}`);
    const failedRead = await codeOf(store.query('SELECT count() FROM spans'));
    expect(failedRead !== undefined, 'a read of all shards succeeded');
    await store.query('SELECT count() FROM spans', { settings: { skip_unavailable_shards: 1 } });
    if (!(await person('Start them again.'))) return undefined;
    await insert(store, 2 * TRACES);
    const found = await spansFound(store, 2 * TRACES);
    expect(found === TRACES * SPANS_OF_TRACE, `${found} spans after the insert was repeated`);
    return `insert: code ${storeErrorCode(failedInsert)}; read: code ${storeErrorCode(failedRead)}; repeated exactly once`;
  },
};

const removal: Check = {
  name: 'a removed project leaves the disks of all replicas',
  async run(cluster) {
    const stores = cluster.servers.map(({ store }) => store);
    const remove = deleteTelemetryFrom(first(stores), { name: cluster.cluster, database: cluster.database });
    const place = {
      removal: 'cluster-test',
      workspace: WORKSPACE,
      project: 1,
      environment: undefined,
      before: undefined,
    };
    const table = { name: 'spans', isBefore: () => '1' };
    const signal = AbortSignal.timeout(300_000);
    for (
      let left = await remove(table, place, signal);
      left.state !== 'nothing';
      left = await remove(table, place, signal)
    ) {
      expect(left.state !== 'failed', left.state === 'failed' ? left.reason : '');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const after = await onReplicas(cluster, stores, 'spans_local');
    expect(
      after.every(({ rows }) => rows.every((count) => count === '0')),
      JSON.stringify(after),
    );
    return 'no row of it is on any replica';
  },
};

export const checks: readonly Check[] = [members, schema, inserts, replication, replicaAway, shardAway, removal];
