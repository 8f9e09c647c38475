/**
 * The status of an SLO over 90 days, each minute of which has events, beside one read of the same rows without anything else.
 * Wall time, medians in milliseconds.
 *
 *   npx tsx bench/slos.ts [--rounds 30] [--days 90]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { insertMinutes } from '../packages/server/src/features/slos/budget/index.ts';
import { readStatus } from '../packages/server/src/features/slos/slos/status.ts';
import type { SloRow } from '../packages/server/src/features/slos/slos/store.ts';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import { testGateway } from '../packages/server/src/testing/test-gateway.ts';
import { median } from './support/load.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '30' }, days: { type: 'string', default: '90' } },
});
const quiet = { info() {}, warn: console.error, error: console.error };
const dir = mkdtempSync(join(tmpdir(), 'fanion-slos-'));
const engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: quiet });
await migrateTelemetry({ url: engine.url, database: 'fanion' });
const store = createClickHouse({ url: engine.url, database: 'fanion' });
const gateway = testGateway(store);
const { signal } = new AbortController();
const now = Math.floor(Date.now() / 60_000) * 60_000;
const at = new Date(now);
const id = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';
const slo: SloRow = {
  id,
  workspace_id: id,
  project_id: id,
  workspace_number: 1,
  project_number: 1,
  project: 'default',
  environment: null,
  name: 'bench',
  definition: {
    description: '',
    indicator: { kind: 'events', source: 'spans', good: 'status != error' },
    objective: 0.999,
    window: { kind: 'rolling', period: '90d' },
    burn_alerts: false,
    min_events: 10,
  },
  version: 1,
  revision: 1,
  derived_to: at,
  last_error: null,
  backfill_from: new Date(now - 90 * 86_400_000),
  backfill_to: at,
  backfill_at: new Date(now - 90 * 86_400_000),
  backfill_error: null,
  created_by: null,
  created_by_name: null,
  updated_by: null,
  updated_by_name: null,
  created_at: at,
  updated_at: at,
};
const counted = { id, revision: 1, scope: { workspace: 1, project: 1, environment: undefined } };
for (let day = 0; day < Number(values.days); day++) {
  const rows = Array.from({ length: 1_440 }, (_, i) => ({
    slo: counted,
    at: now / 1_000 - (day * 1_440 + i + 1) * 60,
    good: 1_000 - (i % 3),
    total: 1_000,
  }));
  await insertMinutes(store, rows, day + 1, signal);
}
const status: number[] = [];
const bare: number[] = [];
const timed = async (into: number[], run: () => Promise<unknown>) => {
  const began = performance.now();
  await run();
  into.push(performance.now() - began);
};
for (let i = 0; i < Number(values.rounds); i++) {
  await timed(status, () => readStatus(gateway.lane('interactive'), slo, now, signal));
  await timed(bare, () =>
    store.query('SELECT sum(good), sum(total) FROM slo_minutes WHERE workspace = 1 AND project = 1'),
  );
}
console.log(`status over ${values.days} days: ${median(status).toFixed(1)} ms (limit: 100 ms)`);
console.log(`a sum of the same rows: ${median(bare).toFixed(1)} ms`);
await gateway.compiler.stop();
await store.close();
await engine.stop();
rmSync(dir, { recursive: true, force: true });
