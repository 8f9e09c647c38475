import type { ClickHouseClient } from '@clickhouse/client';

import { startTelemetryStore, type TelemetryStore } from '../telemetry/start.ts';
import { clientOf } from './clickhouse.ts';
import { makeDirectory, rememberingLog, removeDirectory } from './temporary.ts';

export interface TestTelemetryStore {
  readonly dir: string;
  readonly store: TelemetryStore;
  readonly client: ClickHouseClient;
  /** The same, with requests and responses in gzip. */
  readonly compressing: ClickHouseClient;
  /** Stops it and removes its directory. */
  close(): Promise<void>;
}

/** A telemetry store in a fresh directory, with the official client. */
export async function startTestTelemetryStore(): Promise<TestTelemetryStore> {
  const dir = makeDirectory();
  const store = await startTelemetryStore({ dir, memoryBytes: 2 * 1024 ** 3, log: rememberingLog() });
  const client = clientOf(store.url);
  const compressing = clientOf(store.url, { compression: true });
  return {
    dir,
    store,
    client,
    compressing,
    async close() {
      await client.close();
      await compressing.close();
      await store.stop();
      removeDirectory(dir);
    },
  };
}
