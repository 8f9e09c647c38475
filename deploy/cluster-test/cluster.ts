import {
  type ClickHouse,
  clusterSettings,
  createClickHouse,
  migrateTelemetry,
} from '../../packages/server/src/platform/clickhouse/index.ts';

export interface Variables {
  readonly urls: readonly string[];
  readonly cluster: string;
  readonly database: string;
  readonly keep: boolean;
}

const usage = `Set these variables (deploy/cluster-test/README.md):
  CLUSTER_TEST_URLS      the HTTP addresses of all ClickHouse servers, by commas: http://user:password@host:8123,…
  CLUSTER_TEST_CLUSTER   the name of the cluster in remote_servers
  CLUSTER_TEST_DATABASE  a database that does not exist yet; fanion_cluster_test unless set
  CLUSTER_TEST_KEEP      1 keeps the database in the end`;

/** The variables, or what is wrong with them. */
export function readVariables(env: Readonly<Record<string, string | undefined>>): Variables | string {
  const urls = (env.CLUSTER_TEST_URLS ?? '').split(',').filter((url) => url !== '');
  const cluster = env.CLUSTER_TEST_CLUSTER;
  const database = env.CLUSTER_TEST_DATABASE ?? 'fanion_cluster_test';
  if (urls.length < 2 || cluster === undefined) return usage;
  if (!/^[A-Za-z_]\w*$/.test(cluster) || !/^[A-Za-z_]\w*$/.test(database)) return `not a name\n${usage}`;
  return { urls, cluster, database, keep: env.CLUSTER_TEST_KEEP === '1' };
}

/** The cluster as the product uses it: a client for each server. */
export interface TestCluster extends Variables {
  readonly servers: readonly { readonly url: string; readonly store: ClickHouse }[];
  /** The clients of the servers that answer. */
  answering(): Promise<readonly ClickHouse[]>;
  migrate(url: string): Promise<number[]>;
  drop(): Promise<void>;
  close(): Promise<void>;
}

export async function openCluster(variables: Variables): Promise<TestCluster> {
  const { urls, cluster, database } = variables;
  const servers = urls.map((url) => ({
    url,
    store: createClickHouse({ url, database, settings: clusterSettings, maxConnections: 4 }),
  }));
  const admins = urls.map((url) => createClickHouse({ url, database: 'default', maxConnections: 1 }));
  const answering = async () => {
    const alive = await Promise.all(servers.map(({ store }) => store.ping().catch(() => false)));
    return servers.filter((_, at) => alive[at]).map(({ store }) => store);
  };
  for (const admin of admins) {
    const [row] = await admin.queryRows<{ found: string }>(
      `SELECT toString(count()) AS found FROM system.databases WHERE name = {database:String}`,
      { params: { database } },
    );
    if (row?.found !== '0') throw new Error(`the database ${database} exists already: this test would drop it`);
  }
  return {
    ...variables,
    servers,
    answering,
    migrate: (url) => migrateTelemetry({ url, database, cluster }),
    async drop() {
      await admins[0]?.command(`DROP DATABASE IF EXISTS ${database} ON CLUSTER '${cluster}' SYNC`);
    },
    async close() {
      await Promise.all([...servers.map(({ store }) => store), ...admins].map((client) => client.close()));
    },
  };
}
