import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { expect, onTestFinished, test } from 'vitest';
import { createClickHouse } from './index.ts';

const ROWS = 200_000;

test('blocks that a small read has decompressed are kept for the next one, and those of a large read are not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-kept-blocks-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const engine = await startTelemetryStore({
    dir,
    memoryBytes: 1024 ** 3,
    log: { info() {}, warn() {}, error() {} },
  });
  onTestFinished(() => engine.stop());
  const store = createClickHouse({ url: engine.url, database: 'default' });
  onTestFinished(() => store.close());
  await store.command('CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n');
  await store.command(`INSERT INTO kept SELECT number FROM numbers(${ROWS})`);
  const events = async () => {
    const { rows } = await store.query(
      `SELECT event, value FROM system.events WHERE event IN ('UncompressedCacheHits', 'UncompressedCacheMisses')`,
    );
    const counted = new Map(rows.map(([event, value]) => [event, Number(value)]));
    return { hits: counted.get('UncompressedCacheHits') ?? 0, misses: counted.get('UncompressedCacheMisses') ?? 0 };
  };
  const sum = async (from: number, to: number) => {
    const before = await events();
    const { rows } = await store.query(`SELECT toString(sum(n)) FROM kept WHERE n >= ${from} AND n < ${to}`);
    const after = await events();
    return { sum: Number(rows[0]?.[0]), hits: after.hits - before.hits, misses: after.misses - before.misses };
  };

  expect(await sum(0, ROWS)).toEqual({ sum: (ROWS * (ROWS - 1)) / 2, hits: 0, misses: 0 });
  expect(await sum(100, 102)).toEqual({ sum: 201, hits: 0, misses: 1 });
  expect(await sum(103, 105)).toEqual({ sum: 207, hits: 1, misses: 0 });

  // A table of the same name has other blocks.
  await store.command('DROP TABLE kept SYNC');
  await store.command('CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n');
  await store.command(`INSERT INTO kept SELECT number + 1000 FROM numbers(${ROWS})`);
  expect((await sum(1103, 1105)).sum).toBe(2207);
});
