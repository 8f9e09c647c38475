import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writevSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import type { Signal } from '@fanion/telemetry';
import { BufferPool, SegmentTranscoder, SeriesCache, type TelemetryTable, tableColumns } from '@fanion/telemetry';
import { createClickHouse, migrateTelemetry } from '../../../packages/server/src/platform/clickhouse/index.ts';
import { cpuSeconds } from '../load.ts';
import { BATCHES, batch, ITEMS } from './data.ts';
import { quiet } from './server.ts';

/** The limits of the machine and the engine with the same data, each alone. Items per second; microseconds per item. */
export interface Limits {
  /** Bytes of an item as sent. */
  itemBytes: number;
  /** Written and synced, one `fdatasync` for as many requests as would wait together. */
  written: number;
  /** Transcoded by one thread, the second time. */
  transcoded: number;
  transcodeMicroseconds: number;
  /** Inserted, one block after the other, nothing else running. */
  inserted: number;
  insertMicroseconds: number;
}

const ROUNDS = 3;
const count = BATCHES * ITEMS;

export async function measureLimits(signal: Signal, connections: number): Promise<Limits> {
  const now = Date.now();
  const bodies = Array.from({ length: BATCHES }, (_, index) => batch(signal, index, now));
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  const dir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  try {
    const written = count / writeAll(join(dir, 'bare'), bodies, connections);
    const series = new SeriesCache();
    const pool = new BufferPool();
    transcode(signal, bodies, now, series, pool);
    const cpu = process.cpuUsage();
    const start = performance.now();
    // Series are described once, so the second pass is measured; the inserted data includes the descriptions.
    transcode(signal, bodies, now, series, pool);
    const transcodeSeconds = (performance.now() - start) / 1000;
    const used = process.cpuUsage(cpu);
    const blocks = transcode(signal, bodies, now, new SeriesCache(), new BufferPool());
    const insert = await insertAll(join(dir, 'store'), blocks);
    return {
      itemBytes: bytes / count,
      written,
      transcoded: count / transcodeSeconds,
      transcodeMicroseconds: (used.user + used.system) / count,
      ...insert,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function writeAll(path: string, bodies: readonly Buffer[], connections: number): number {
  const start = performance.now();
  const fd = openSync(path, 'w');
  for (let i = 0; i < bodies.length; i += connections) {
    writevSync(fd, bodies.slice(i, i + connections));
    fdatasyncSync(fd);
  }
  closeSync(fd);
  return (performance.now() - start) / 1000;
}

function transcode(signal: Signal, bodies: readonly Buffer[], now: number, series: SeriesCache, pool: BufferPool) {
  const transcoder = new SegmentTranscoder(series, pool);
  for (const body of bodies) {
    transcoder.add({
      signal,
      encoding: 'otlp-protobuf',
      workspace: 2,
      project: 2,
      environment: '',
      retentionDays: 30,
      receivedAt: now,
      items: ITEMS,
      refused: new Uint32Array(),
      body,
    });
  }
  return transcoder.finish().blocks;
}

async function insertAll(dir: string, blocks: ReturnType<typeof transcode>) {
  const engine = await startTelemetryStore({ dir, log: quiet });
  const clickhouse = { url: engine.url, database: 'fanion' };
  await migrateTelemetry(clickhouse);
  const store = createClickHouse({ ...clickhouse, requestTimeoutMs: 600_000 });
  try {
    const cpu = cpuSeconds(engine.pid() ?? 0);
    const start = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      for (const { table, number, format, body } of blocks) {
        const token = `bare/${round}/${table}/${number}`;
        await store.insert(table, tableColumns[table as TelemetryTable], format, body, { token });
      }
    }
    const seconds = (performance.now() - start) / 1000;
    const used = cpuSeconds(engine.pid() ?? 0) - cpu;
    return { inserted: (count * ROUNDS) / seconds, insertMicroseconds: (used * 1e6) / count / ROUNDS };
  } finally {
    await store.close();
    await engine.stop();
  }
}
