import { setTimeout as pause } from 'node:timers/promises';
import { refuseMarked } from '../move-mark.ts';
import type { ClickHouse } from './client.ts';
import { clusterSettings, onCluster, serversBehind } from './cluster.ts';
import { isClusterFault, storeErrorCode } from './errors.ts';
import { withGranules } from './granules.ts';
import { migrations as allMigrations, type TelemetryMigration } from './migrations/index.ts';
import { readTelemetryMark } from './move-mark.ts';
import { createClickHouse, isUnreachable } from './several-hosts.ts';

export interface MigrateOptions {
  url: string;
  database: string;
  /** The name of the store's cluster; the schema is then created on all of its servers. */
  cluster?: string | undefined;
  migrations?: readonly TelemetryMigration[];
  /** Called before each migration that is applied. */
  onApply?(migration: TelemetryMigration): void;
  /** Called with the servers of the cluster that have not run all statements yet. Those that do not answer are not among them. */
  onBehind?(hosts: readonly string[]): void;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

const migrationsTable = `CREATE TABLE IF NOT EXISTS telemetry_migrations (id UInt32, name String, applied_at DateTime64(3, 'UTC'))
ENGINE = ReplacingMergeTree ORDER BY id`;

/** Errors of the slower of two servers that run the same statement at once. */
const racedCodes = new Set([
  15, // DUPLICATE_COLUMN
  57, // TABLE_ALREADY_EXISTS
  60, // UNKNOWN_TABLE
  82, // DATABASE_ALREADY_EXISTS
  473, // DEADLOCK_AVOIDED
]);
/** A statement `ON CLUSTER` that is still in Keeper's queue. */
const TIMEOUT_EXCEEDED = 159;
const RACE_ATTEMPTS = 5;
/** Before a statement is sent again because a part of the cluster was away; a second server is asked then. */
const CLUSTER_PAUSE_MS = 1_000;

/**
 * Brings the telemetry schema up to date. Each statement is idempotent, and a migration is recorded after its last
 * statement: an interrupted one is run again from its beginning, and two servers may run it at the same time. A store
 * that is newer than this server stays unchanged (an old and a new version may run together).
 * Throws for a store that a move is filling, or has emptied.
 * @returns the ids that this call applied.
 */
export async function migrateTelemetry(options: MigrateOptions): Promise<number[]> {
  const { url, database, cluster, migrations = allMigrations } = options;
  if (!IDENTIFIER.test(database)) throw new Error(`not a database name: ${database}`);
  await createDatabase(url, database, cluster);
  const settings = cluster === undefined ? {} : clusterSettings;
  const store = createClickHouse({ url, database, settings, maxConnections: 1 });
  const run = async (statement: string) => {
    const text = withGranules(statement);
    const forms = cluster === undefined ? [text] : onCluster(text, { name: cluster, database });
    for (const form of forms) await runIdempotent(store, form);
  };
  try {
    refuseMarked(await readTelemetryMark(store), 'telemetry store');
    await run(migrationsTable);
    const applied: number[] = [];
    const done = await appliedIds(store);
    for (const migration of migrations) {
      if (done.has(migration.id)) continue;
      options.onApply?.(migration);
      for (const statement of migration.statements) await run(statement);
      await store.command('INSERT INTO telemetry_migrations SELECT {id:UInt32}, {name:String}, now64(3)', {
        params: { id: migration.id, name: migration.name },
      });
      applied.push(migration.id);
    }
    if (cluster !== undefined) {
      const behind = await serversBehind(store, { name: cluster, database });
      if (behind.length > 0) options.onBehind?.(behind);
    }
    return applied;
  } finally {
    await store.close();
  }
}

async function createDatabase(url: string, database: string, cluster: string | undefined): Promise<void> {
  const settings = cluster === undefined ? {} : clusterSettings;
  const store = createClickHouse({ url, database: 'default', settings, maxConnections: 1 });
  try {
    await runIdempotent(
      store,
      `CREATE DATABASE IF NOT EXISTS ${database}${cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`} ENGINE = Atomic`,
    );
  } finally {
    await store.close();
  }
}

async function appliedIds(store: ClickHouse): Promise<Set<number>> {
  const rows = await store.queryRows<{ id: number }>('SELECT DISTINCT id FROM telemetry_migrations');
  return new Set(rows.map(({ id }) => Number(id)));
}

/** The embedded engine would wait until all rows that exist are written anew, which can take longer than a start may. */
const inBackground = { mutations_sync: 0 };

async function runIdempotent(store: ClickHouse, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.command(statement, { settings: inBackground });
    } catch (error) {
      const isAway = isClusterFault(error) || isUnreachable(error) || storeErrorCode(error) === TIMEOUT_EXCEEDED;
      if (attempt === RACE_ATTEMPTS || !(isAway || racedCodes.has(storeErrorCode(error) ?? 0))) throw error;
      if (isAway) await pause(CLUSTER_PAUSE_MS);
    }
  }
}
