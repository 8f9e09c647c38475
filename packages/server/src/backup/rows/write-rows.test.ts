import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/postgres/database.ts';
import { openTelemetrySide, type TelemetrySide } from '../../store-copy/telemetry-store.ts';
import {
  addSpans,
  type BackedUpStores,
  backUpRows,
  fill,
  sourceOf,
  startBackedUpStores,
  throughProxy,
  urlOf,
} from '../../testing/backed-up-stores.ts';
import { version } from '../../version.ts';
import { MANIFEST, type RowsManifest } from '../manifest.ts';
import { verifyBackup } from '../verify.ts';
import type { Progress } from '../write.ts';
import { BackupBusy } from './lock-store.ts';
import { unpack } from './row-files.ts';

const spans = 60_000;

describe('a backup of rows', () => {
  let stores: BackedUpStores;
  let source: { db: Database; databaseUrl: string; url: string };
  let directory: string;

  beforeAll(async () => {
    stores = await startBackedUpStores();
    const { db, connection } = await stores.postgres.fresh();
    source = { db, databaseUrl: urlOf(connection), url: stores.url };
    await fill({ ...source, spans });
    directory = stores.backups;
  });
  afterAll(() => stores.close());

  const left = () => (existsSync(directory) ? readdirSync(directory) : []);
  const manifestOf = (path: string): RowsManifest => JSON.parse(readFileSync(join(path, MANIFEST), 'utf8'));
  const rowsOf = (path: string, table: string) =>
    manifestOf(path).telemetry.tables.find(({ name }) => name === table)?.rows ?? 0;
  /** Runs something once, when a phase has begun. */
  const once = (phase: Progress['phase'], action: () => void) => {
    let isDone = false;
    return (progress: Progress) => {
      if (isDone || progress.phase !== phase || (phase === 'copying rows' && progress.done === 0)) return;
      isDone = true;
      action();
    };
  };

  it('has everything that was stored before it began exactly once, while rows arrive, are merged and deleted', async () => {
    const side = openTelemetrySide(stores.url);
    let isRunning = true;
    let added = spans;
    const change = async () => {
      for (let turn = 0; isRunning; turn++) {
        await addSpans(stores.url, { from: added, count: 200 });
        added += 200;
        if (turn % 3 === 0) await side.clickhouse.command('OPTIMIZE TABLE spans');
        if (turn === 4) await side.clickhouse.command('ALTER TABLE spans DELETE WHERE flags % 1000 = 999');
      }
    };
    const changing = change();
    await delay(500);
    const before = added;
    const done = await backUpRows({ stores: source, directory });
    isRunning = false;
    await changing;

    await expect(verifyBackup(sourceOf(done.path), version, () => {})).resolves.toMatchObject({ format: 2 });
    // The time in which rows arrived of which a part is in it.
    const { taken, until } = manifestOf(done.path);
    expect(done.meanwhile).toEqual({ from: taken, to: until });
    expect(Date.parse(until ?? '')).toBeGreaterThan(Date.parse(taken));
    expect(Date.parse(until ?? '')).toBeLessThanOrEqual(Date.now());
    // The numbers of spans, out of the files: as another engine would read them.
    const { rows } = await readNumbers(side, done.path);
    await side.close();
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBe(rowsOf(done.path, 'spans'));
    const known = new Set(rows);
    const missing = Array.from({ length: before }, (_, n) => n).filter((n) => !known.has(n));
    expect(missing.filter((n) => n % 1_000 !== 999)).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  /** Does something to the store immediately before the first rows of a table are read. */
  const justBefore = (table: string, command: string) => {
    let isDone = false;
    return (side: TelemetrySide): TelemetrySide => ({
      ...side,
      reader: {
        ...side.reader,
        async send(request) {
          if (!isDone && request.sql.includes(`FROM ${table} WHERE`)) {
            isDone = true;
            await side.clickhouse.command(command);
          }
          return side.reader.send(request);
        },
      },
    });
  };

  it.each([
    ['are merged', 'OPTIMIZE TABLE spans FINAL', 0],
    ['are deleted', 'ALTER TABLE spans DELETE WHERE flags % 100 = 7 SETTINGS mutations_sync = 2', 1],
  ])(
    'has no row twice, and none too few, when parts %s between their listing and their reading',
    async (_, command, deletes) => {
      for (let n = 0; n < 3; n++) await addSpans(stores.url, { from: 500_000 + deletes * 100 + n * 10, count: 10 });
      const side = openTelemetrySide(stores.url);
      const { rows: expected } = await side.clickhouse.query('SELECT toUInt32(count()) FROM spans');
      const done = await backUpRows({ stores: source, directory, wrap: justBefore('spans', command) });
      const { rows: rest } = await side.clickhouse.query('SELECT toUInt32(count()) FROM spans');
      const { rows } = await readNumbers(side, done.path);
      await side.close();
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows.length).toBeGreaterThanOrEqual(Number(rest[0]?.[0]));
      expect(rows.length).toBeLessThanOrEqual(Number(expected[0]?.[0]));
      if (deletes === 0) expect([rows.length]).toEqual(expected[0]);
      expect(rows.length).toBe(rowsOf(done.path, 'spans'));
      rmSync(directory, { recursive: true });
    },
  );

  it('is taken once at a time, whoever takes it, and not where a newer one is', async () => {
    let other: Promise<unknown> = Promise.resolve();
    const done = await backUpRows({
      stores: source,
      directory,
      onProgress: once('copying rows', () => {
        other = backUpRows({ stores: source, directory }).catch((error: unknown) => error);
      }),
    });
    expect(await other).toBeInstanceOf(BackupBusy);
    const late = backUpRows({ stores: source, directory, plan: { unlessSince: Date.now() - 60_000 } });
    await expect(late).rejects.toThrow(BackupBusy);
    const next = await backUpRows({ stores: source, directory, plan: { keep: 1, unlessSince: Date.now() + 60_000 } });
    expect(next.removed).toEqual([done.path.slice(directory.length + 1)]);
    expect(left()).toHaveLength(1);
    // Another installation may use the same place.
    const others = { server: 'others', unlessSince: Date.now() - 60_000, keep: 1 };
    expect((await backUpRows({ stores: source, directory, plan: others })).removed).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it.each(['copying accounts and flags', 'copying rows'] as const)(
    'that is ended while %s leaves nothing',
    async (phase) => {
      const before = left();
      const ended = new AbortController();
      const running = backUpRows({
        stores: source,
        directory,
        signal: ended.signal,
        onProgress: once(phase, () => ended.abort(new Error('the command was ended'))),
      });
      await expect(running).rejects.toThrow('the command was ended');
      expect(left()).toEqual(before);
      // The lock went with it.
      await expect(backUpRows({ stores: source, directory, plan: { keep: 1 } })).resolves.toBeDefined();
    },
  );

  it('names the telemetry store that goes away, and leaves nothing', async () => {
    const before = left();
    const proxy = await throughProxy(stores.url);
    const running = backUpRows({
      stores: { ...source, url: proxy.url },
      directory,
      onProgress: once('copying rows', () => proxy.vanish()),
    });
    await expect(running).rejects.toThrow(/the telemetry store could not be read: .*(ECONN|aborted)/);
    expect(left()).toEqual(before);
  });

  it('ends when the connection that has its lock breaks', async () => {
    const before = left();
    const running = backUpRows({
      stores: source,
      directory,
      onProgress: once('copying rows', () => {
        void sql`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`.execute(
          source.db,
        );
      }),
    });
    await expect(running).rejects.toThrow('the connection to PostgreSQL broke during the backup');
    expect(left()).toEqual(before);
  });

  it('names the place that vanishes, and does not make it again', async () => {
    const place = join(directory, 'disk');
    mkdirSync(place);
    const running = backUpRows({
      stores: source,
      directory: place,
      onProgress: once('copying rows', () => rmSync(place, { recursive: true, force: true })),
    });
    await expect(running).rejects.toThrow(`could not be written to ${place}: ENOENT`);
    expect(existsSync(place)).toBe(false);
  });

  it('of tables of a cluster is refused', async () => {
    const asCluster = (side: TelemetrySide): TelemetrySide => ({
      ...side,
      clickhouse: {
        ...side.clickhouse,
        query: async (text, options) => {
          const answer = await side.clickhouse.query(text, options);
          return text.includes('Distributed') ? { ...answer, rows: [[1]] } : answer;
        },
      },
    });
    const ofCluster = backUpRows({ stores: source, directory, wrap: asCluster });
    await expect(ofCluster).rejects.toThrow('does not read a cluster');
    const several = source.url.replace(/@([^/]+)/, '@$1,$1');
    await expect(backUpRows({ stores: { ...source, url: several }, directory })).rejects.toThrow('has several hosts');
  });
});

/** The `flags` of all spans of a backup. */
async function readNumbers(side: ReturnType<typeof openTelemetrySide>, path: string): Promise<{ rows: number[] }> {
  const { files } = JSON.parse(readFileSync(join(path, MANIFEST), 'utf8')) as RowsManifest;
  await side.clickhouse.command('CREATE TABLE default.copied AS spans ENGINE = MergeTree ORDER BY flags');
  try {
    const { rows: columns } = await side.clickhouse.query(
      `SELECT name FROM system.columns WHERE database = 'fanion' AND table = 'spans' AND default_kind IN ('', 'DEFAULT') ORDER BY position`,
    );
    const names = columns.map(([name]) => `\`${name}\``);
    for (const file of files.filter((one) => one.path.startsWith('telemetry/spans/')))
      await side.clickhouse.insert(
        'default.copied',
        names,
        'Native',
        await unpack(readFileSync(join(path, file.path))),
        {
          token: file.path,
        },
      );
    const { rows } = await side.clickhouse.query('SELECT flags FROM default.copied ORDER BY flags', {
      limits: { maxResultRows: 1_000_000 },
    });
    return { rows: rows.map(([flags]) => Number(flags)) };
  } finally {
    await side.clickhouse.command('DROP TABLE default.copied SYNC');
  }
}
