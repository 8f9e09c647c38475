import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { openSource } from '../backup/open-place.ts';
import { type RowsPlan, writeRows } from '../backup/rows/write-rows.ts';
import { backupName } from '../backup/rules.ts';
import { folderTarget } from '../backup/target-folder.ts';
import type { BackupDone, Progress } from '../backup/write.ts';
import { migrateTelemetry } from '../platform/clickhouse/index.ts';
import type { Database } from '../platform/postgres/database.ts';
import { controlFingerprint, listControlTables } from '../store-copy/control-store.ts';
import { openSide } from '../store-copy/sides.ts';
import {
  listParts,
  listTelemetryTables,
  openTelemetrySide,
  type TelemetrySide,
} from '../store-copy/telemetry-store.ts';
import { startTestPostgres, type TestStore } from './test-database.ts';

/** A real PostgreSQL, and the engine of the telemetry store over HTTP: what a server has that does not embed them. */
export interface BackedUpStores {
  readonly postgres: TestStore;
  /** Of the telemetry store. */
  readonly url: string;
  readonly backups: string;
  close(): Promise<void>;
}

export async function startBackedUpStores(): Promise<BackedUpStores> {
  const work = await mkdtemp(join(tmpdir(), 'fanion-rows-'));
  const log = { info() {}, warn() {}, error() {} };
  const [postgres, telemetry] = await Promise.all([
    startTestPostgres(),
    startTelemetryStore({ dir: join(work, 'telemetry'), memoryBytes: 2 * 1024 ** 3, log }),
  ]);
  return {
    postgres,
    url: telemetry.url,
    backups: join(work, 'backups'),
    async close() {
      await telemetry.stop();
      await postgres.close();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** As an operator writes it. */
export function urlOf({ host, port, user, database }: { host: string; port: number; user: string; database: string }) {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}

/** Workspaces, outbox messages and spans of three days, of which the views derive more rows. */
export async function fill({ db, url, spans }: { db: Database; url: string; spans: number }): Promise<void> {
  await sql`INSERT INTO workspaces (id, slug, name) SELECT gen_random_uuid(), 'w' || n, E'name \\\\ "é' || n || E'\n' FROM generate_series(1, 250) AS n`.execute(
    db,
  );
  await sql`INSERT INTO outbox (topic, key, payload) VALUES ('t', 'k', 'null'::jsonb), ('t', 'k', '{"a": [1.50, null]}'::jsonb)`.execute(
    db,
  );
  await sql`SELECT nextval('job_epochs') FROM generate_series(1, 40)`.execute(db);
  await sql`INSERT INTO projects (id, workspace_id, key, name) SELECT gen_random_uuid(), id, 'shop', 'Shop' FROM workspaces WHERE slug = 'w1'`.execute(
    db,
  );
  await sql`INSERT INTO recording_rules (id, workspace_id, project_id, name, definition, every_ms, offset_ms, rule_group, position, enabled, watermark, created_at, updated_at)
    SELECT gen_random_uuid(), workspace_id, id, CASE WHEN enabled THEN 'enabled' ELSE 'disabled' END, '{}', 60000, 0, '', 0, enabled, now(), now(), now()
    FROM projects, unnest(ARRAY[true, false]) AS enabled`.execute(db);
  await migrateTelemetry({ url, database: 'fanion' });
  await addSpans(url, { from: 0, count: spans });
}

/** Spans whose `flags` are their numbers. */
export async function addSpans(url: string, { from, count }: { from: number; count: number }): Promise<void> {
  const side = openTelemetrySide(url);
  await side.clickhouse.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, flags, service, name, string_attributes)
     SELECT 1 + number % 3, 1, 'production', 30, now64(9) - toIntervalDay(number % 3) - toIntervalMillisecond(number), number,
       toFixedString(leftPad(toString(number), 16, '0'), 16), number, 'shop', 'GET /', map('http.route', toString(cityHash64(number)))
     FROM numbers(${from}, ${count})`,
  );
  await side.close();
}

/** Of each table of both stores, what a restore must bring back: the number of rows and a hash. */
export async function contentOf({ db, url }: { db: Database; url: string }): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const table of await listControlTables(db)) {
    const { rows, hash } = await controlFingerprint(db, table);
    content[`control/${table.name}`] = `${rows} ${hash}`;
  }
  const side = openTelemetrySide(url);
  const tables = await listTelemetryTables(side);
  const partitions = new Set((await listParts(side)).map(({ table, partition }) => `${table}/${partition}`));
  for (const name of [...partitions].sort()) {
    const [tableName = '', partition = ''] = name.split('/');
    const table = tables.find((one) => one.name === tableName);
    if (table === undefined) continue;
    // Merges may have combined rows since.
    const values = [...table.values, ...(table.states ?? [])].join(', ');
    const { rows } = await side.clickhouse.query(
      `SELECT toString(count()), toString(sum(cityHash64(${values}))) FROM ${tableName}${table.combines ? ' FINAL' : ''} WHERE _partition_id = '${partition}'`,
    );
    content[`telemetry/${name}`] = rows.flat().join(' ');
  }
  await side.close();
  return content;
}

/**
 * Rows that merges combine: sums of counts, states of both kinds and rows with a version. Called again, it adds rows with the same keys,
 * in parts that are merged later.
 */
export async function addCombined(url: string): Promise<void> {
  const side = openTelemetrySide(url);
  const key = `1, 1, 'production'`;
  for (const statement of [
    `INSERT INTO flag_events (workspace, project, environment, retention_days, time, flag, variant, version, unit, source, evaluations)
     SELECT ${key}, 30, toDateTime64('2026-11-28 10:00:00', 9) + number % 300, 'f', toString(number % 3), '1', toString(number % 500), 'server', number
     FROM numbers(2000)`,
    `INSERT INTO ingest_refusals SELECT ${key}, 'spans', toDateTime('2026-11-28 10:00:00'), 'rejected', toString(number), number FROM numbers(100)`,
    `INSERT INTO slo_minutes SELECT ${key}, toUUID('00000000-0000-0000-0000-000000000001'), toDateTime('2026-11-28 10:00:00') + number * 60,
       toUnixTimestamp64Nano(now64(9)), rand() % 1000, 1000 FROM numbers(500)`,
    `INSERT INTO service_edges SELECT ${key}, 30, toDateTime('2026-11-28 10:00:00') + number % 7 * 60, 1, '', '', 'service', 'shop', '', count(), 0,
       quantilesDDState(0.01, 0.5, 0.95, 0.99)(number * number) FROM numbers(5000) GROUP BY number % 7`,
  ])
    await side.clickhouse.command(statement);
  await side.close();
}

export async function dropTelemetry(url: string): Promise<void> {
  const side = openTelemetrySide(url);
  await side.clickhouse.command('DROP DATABASE IF EXISTS fanion SYNC').catch(async () => {
    // There is none, so nothing may name it.
  });
  await side.close();
}

/** Stores that are empty, for one test. */
export async function freshTarget(stores: BackedUpStores): Promise<{ db: Database; databaseUrl: string }> {
  const { db, connection, close } = await stores.postgres.fresh();
  await dropTelemetry(stores.url);
  onTestFinished(close);
  return { db, databaseUrl: urlOf(connection) };
}

/** A folder for one test. */
export function folderOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `fanion-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface BackUp {
  readonly stores: { readonly databaseUrl: string; readonly url: string };
  readonly directory: string;
  readonly plan?: Partial<RowsPlan>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Changes what the telemetry store does. */
  readonly wrap?: (side: TelemetrySide) => TelemetrySide;
}

let last = 0;

export async function backUpRows({
  stores,
  directory,
  plan,
  wrap = (side) => side,
  ...how
}: BackUp): Promise<BackupDone> {
  const opened = openSide({ control: { url: stores.databaseUrl }, telemetry: stores.url });
  const side = { ...opened, telemetry: opened.telemetry && wrap(opened.telemetry) };
  const { onProgress = () => {}, signal = new AbortController().signal } = how;
  // Two backups of one millisecond would have one name.
  last = Math.max(Date.now(), last + 1);
  const whole = {
    ...{ name: backupName(last), fanion: '0.3.0', by: 'a test', server: 'stores', keyId: null, keyFiles: [] },
    ...plan,
  };
  return writeRows(folderTarget(directory), whole, side, { onProgress, signal, now: () => Date.now() }).finally(() =>
    side.close(),
  );
}

export const sourceOf = (path: string) => openSource({ kind: 'folder', path });

/** Passes everything on to a store that listens on this machine, until it is told to vanish. */
export async function throughProxy(url: string): Promise<{ url: string; vanish(): void }> {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = new URL(url);
  own.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: own.href,
    vanish() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
