import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import {
  type ClickHouse,
  createClickHouse,
  migrateTelemetry,
} from '../../packages/server/src/platform/clickhouse/index.ts';
import { fillShop, fullSize, scaled } from './shop-telemetry.ts';

/** The first workspace and project of a fresh control plane. */
export const tenant = { workspace: 1, project: 1 };

export interface FilledShop {
  readonly engine: Awaited<ReturnType<typeof startTelemetryStore>>;
  readonly store: ClickHouse;
  /** Milliseconds, exclusive: the newest rows are right before it. */
  readonly endMs: number;
  /** Drops the caches of the operating system and the engine. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Opens the telemetry of the shop in a folder, and fills it unless an earlier run has done so.
 * @param scale 0.01: a hundredth of everything
 * @param afterFill what is derived once, before the data counts as filled
 */
export async function openFilledShop(
  dataDir: string,
  scale: number,
  say: (line: string) => void,
  afterFill: (store: ClickHouse, endMs: number) => Promise<void> = async () => {},
): Promise<FilledShop> {
  mkdirSync(join(dataDir, 'telemetry'), { recursive: true });
  const log = { info() {}, warn: console.error, error: console.error };
  const engine = await startTelemetryStore({
    dir: join(dataDir, 'telemetry'),
    memoryBytes: 8 * 1024 ** 3,
    log,
  });
  const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 1_800_000 });
  await migrateTelemetry({ url: engine.url, database: 'fanion' });

  async function filled(): Promise<number> {
    const note = join(dataDir, 'filled.json');
    if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8')).endMs;
    const endMs = Math.floor(Date.now() / 60_000) * 60_000;
    const began = performance.now();
    await fillShop(store, scaled(fullSize, scale), { ...tenant, endMs }, say);
    await afterFill(store, endMs);
    say(`filled in ${Math.round((performance.now() - began) / 1000)} s`);
    writeFileSync(note, JSON.stringify({ endMs }));
    return endMs;
  }

  return {
    engine,
    store,
    endMs: await filled(),
    async forget() {
      for (const cache of ['MARK', 'UNCOMPRESSED', 'INDEX MARK', 'INDEX UNCOMPRESSED', 'QUERY CONDITION'])
        await store.command(`SYSTEM DROP ${cache} CACHE`).catch(() => {});
      const files = join(dataDir, 'telemetry', 'engine', 'store');
      // Ignores files that a merge has removed meanwhile.
      spawnSync(
        'find',
        [files, '-type', 'f', '-size', '+64k', '-exec', 'dd', 'if={}', 'iflag=nocache', 'count=0', 'status=none', ';'],
        { stdio: 'ignore' },
      );
    },
    async stop() {
      await store.close();
      await engine.stop();
    },
  };
}
