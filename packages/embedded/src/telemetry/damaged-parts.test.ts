import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { EmbeddedStore } from '../store.ts';
import { clientOf, firstValue, rowsOf } from '../testing/clickhouse.ts';
import { makeDirectory, rememberingLog, removeDirectory, temporaryDirectory, until } from '../testing/temporary.ts';
import { setDamagedPartsAside } from './damaged-parts.ts';
import type { Engine } from './engine.ts';
import { startTelemetryStore } from './start.ts';

const rowsEach = 200;
/** Ten batches share a partition. */
const table = `CREATE TABLE test.t (
    batch UInt64, text String, label LowCardinality(String), labels Map(LowCardinality(String), String),
    ${Array.from({ length: 16 }, (_, i) => `column_${i} String`).join(', ')},
    INDEX by_text text TYPE bloom_filter GRANULARITY 1, PROJECTION by_label (SELECT label, count() GROUP BY label)
  ) ENGINE = MergeTree PARTITION BY intDiv(batch, 10) ORDER BY batch
  SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, min_bytes_for_wide_part = 0`;

async function start(dir: string, log = rememberingLog()): Promise<{ store: EmbeddedStore; client: ClickHouseClient }> {
  const store = await startTelemetryStore({ dir, log });
  const client = clientOf(store.url);
  onTestFinished(async () => {
    await client.close();
    await store.stop();
  });
  return { store, client };
}

async function createTable(client: ClickHouseClient): Promise<void> {
  await client.command({ query: 'CREATE DATABASE test ENGINE = Atomic' });
  await client.command({ query: table });
}

async function insert(client: ClickHouseClient, batch: number): Promise<void> {
  // Random, or a part would be too small to fill a disk.
  const text = () => randomBytes(36).toString('base64');
  const line = () => `${batch}\t${text()}\tlabel\t{'a':'${batch}'}\t${Array.from({ length: 16 }, text).join('\t')}\n`;
  const lines = Array.from({ length: rowsEach }, line).join('');
  const { stream } = await client.exec({
    query: 'INSERT INTO test.t FORMAT TabSeparated',
    values: Readable.from([Buffer.from(lines)]),
    clickhouse_settings: { insert_deduplication_token: `batch-${batch}` },
  });
  stream.resume();
}

/** The store's engine, asked over HTTP. */
function engineOf(client: ClickHouseClient): Pick<Engine, 'query'> {
  return {
    async query({ sql, format }) {
      const { stream } = await client.exec({ query: `${sql} FORMAT ${format}` });
      const bytes = Buffer.concat(await stream.toArray());
      return { bytes, elapsed: 0, rowsRead: 0, bytesRead: 0 };
    },
  };
}

const rowsByBatch = (client: ClickHouseClient) =>
  firstValue(
    client,
    'SELECT arraySort(groupArray((batch, c))) FROM (SELECT batch, count() AS c FROM test.t GROUP BY batch)',
  );

test('a part without its content is set aside with what was merged from it, and its rows are accepted again', async () => {
  const dir = temporaryDirectory();
  const { store, client } = await start(dir);
  await createTable(client);
  for (const batch of [1, 2, 3, 11]) await insert(client, batch);
  await client.command({ query: "OPTIMIZE TABLE test.t PARTITION ID '0' FINAL" });
  expect(await setDamagedPartsAside(engineOf(client), 0)).toEqual([]);

  const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
    client,
    "SELECT path FROM system.parts WHERE database = 'test' AND name = '0_2_2_0'",
  );
  truncateSync(join(path, 'text.bin'), 0);
  expect([...(await setDamagedPartsAside(engineOf(client), 0))].sort()).toEqual(['0_1_3_1', '0_2_2_0']);
  await store.stop();

  const { client: again } = await start(dir);
  expect(await rowsByBatch(again)).toBe('[(1,200),(3,200),(11,200)]');
  for (const batch of [1, 2, 3, 11]) await insert(again, batch);
  expect(await rowsByBatch(again)).toBe('[(1,200),(2,200),(3,200),(11,200)]');
});

test('sizes of parts are those of their files, which tells a file that is one byte short', async () => {
  const { client } = await start(temporaryDirectory());
  await createTable(client);
  await insert(client, 1);
  const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
    client,
    "SELECT path FROM system.parts WHERE table = 't'",
  );
  truncateSync(join(path, 'count.txt'), 2);
  expect(await setDamagedPartsAside(engineOf(client), 0)).toEqual(['0_1_1_0']);
});

/** Undefined where mounting is not permitted. */
function smallDisk(): string | undefined {
  const dir = makeDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'fanion-test', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    removeDirectory(dir);
    return undefined;
  }
}

/** Fills the disk until this many bytes are left, though something else may take them. */
function fill(path: string, left: number): void {
  const file = openSync(path, 'a');
  const free = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  try {
    for (const size of [1 << 20, 1 << 12]) while (free() >= left + size) writeSync(file, Buffer.alloc(size, 1));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

const disk = smallDisk();
if (!disk) console.log('skipped: this machine does not permit `mount -t tmpfs`, so there is no small disk to fill');
afterAll(() => {
  if (!disk) return;
  execFileSync('umount', [disk]);
  removeDirectory(disk);
});

test.skipIf(!disk)('nothing that was acknowledged is lost while something else fills the disk', async () => {
  const { client } = await start(disk ?? '');
  await createTable(client);
  const filling = join(disk ?? '', 'filling');
  const rounds = Array.from({ length: 12 }, (_, round) => Array.from({ length: 6 }, (_, i) => round * 6 + i));
  for (const [round, batches] of rounds.entries()) {
    // The engine begins a part where 1 MiB is left.
    fill(filling, 2 ** 20 + (round % 4) * 400_000);
    const sending = Promise.allSettled(batches.map((batch) => insert(client, batch)));
    await delay(round * 5);
    fill(filling, 0);
    const answers = await sending;
    rmSync(filling);
    const accepted = (batch: number) =>
      insert(client, batch).then(
        () => true,
        () => false,
      );
    const refused = batches.filter((_, i) => answers[i]?.status === 'rejected');
    for (const batch of refused) await until(() => accepted(batch));
  }
  expect(await rowsByBatch(client)).toBe(
    `[${rounds
      .flat()
      .map((batch) => `(${batch},${rowsEach})`)
      .join(',')}]`,
  );
});
