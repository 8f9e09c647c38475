/**
 * A move of a server with many spans to PostgreSQL and ClickHouse while it ingests: how long it takes, for how long writes pause, and whether
 * every acknowledged batch is in the new store once. The ClickHouse is an embedded engine on the same machine, so both stores and the senders
 * share its processors.
 *
 *     npx tsx bench/move.ts [--spans 1000000] [--days 10]
 *
 * The spans are spread evenly over so many days, of which one is today. Child processes run from `dist`: `npm run build` first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { granuleRows } from '../packages/server/src/platform/clickhouse/granules.ts';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { startOwnPostgres } from '../packages/server/src/testing/test-database.ts';
import { itemsOfBatch, targetOf } from '../test/faults/support/endpoints.ts';
import { compareWith, drained, push, tallyText } from '../test/faults/support/stored.ts';
import { freePort, runProcess, serveProcess } from '../test/support/server-process.ts';
import { quiet } from './support/ingest/server.ts';

const { values } = parseArgs({
  options: { spans: { type: 'string', default: '1000000' }, days: { type: 'string', default: '10' } },
});
const spans = Number(values.spans);
const days = Number(values.days);
const dir = mkdtempSync(join(tmpdir(), 'fanion-bench-move-'));
const dataDir = join(dir, 'server');

/** Spans of a workspace that nobody has; what matters is how many there are. */
async function fill(): Promise<void> {
  const engine = await startTelemetryStore({ dir: join(dataDir, 'telemetry'), granuleRows, log: quiet });
  const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 1_800_000 });
  await migrateTelemetry({ url: engine.url, database: 'fanion' });
  const step = 250_000;
  for (let from = 0; from < spans; from += step)
    await store.command(`INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, span_id, service, name,
        string_attributes, int_attributes, resource)
      SELECT 9, 9, 'production', 90, now64(9) - toIntervalDay(number % ${days}), number % 1000000, reinterpret(sipHash128(intDiv(number, 8)), 'FixedString(16)'),
        reinterpret(sipHash64(number), 'FixedString(8)'), concat('service-', toString(number % 12)), concat('GET /', toString(number % 97)),
        map('http.route', concat('/', toString(number % 97)), 'user.id', toString(number % 50000), 'http.method', 'GET'),
        map('http.status_code', if(number % 50 = 0, 500, 200)), map('host.name', concat('host-', toString(number % 20)))
      FROM numbers(${from}, ${Math.min(step, spans - from)})`);
  await store.close();
  await engine.stop();
}

await fill();
const postgres = await startOwnPostgres();
const { host, port: postgresPort, database } = (await postgres.fresh()).connection;
const engine = await startTelemetryStore({ dir: join(dir, 'target'), log: quiet });
const env = {
  DATABASE_URL: `postgres://postgres@/${database}?host=${encodeURIComponent(host)}&port=${postgresPort}`,
  CLICKHOUSE_URL: engine.url,
};
const [port, grpcPort] = [await freePort(), await freePort()];
const settings = { FANION_OTLP_GRPC_PORT: String(grpcPort), FANION_WAL_MAX_BYTES: '16GiB' };
let server = await serveProcess(dataDir, port, settings);
const target = targetOf(server.base, grpcPort, await (await signUp(server.base)).token(['telemetry:ingest']));
const now = () => Array.from({ length: itemsOfBatch }, (_, i) => Date.now() - 1_000 - i);
const pushing = push(() => target, { times: now });
try {
  const began = performance.now();
  const moved = await runProcess([
    ...['move', '--data', dataDir, '--to-database', env.DATABASE_URL, '--to-clickhouse', env.CLICKHOUSE_URL],
  ]);
  const seconds = (performance.now() - began) / 1_000;
  console.log(moved.output.split('\n').slice(-4).join('\n'));
  if (moved.code !== 0) throw new Error(`the move ended with ${moved.code}`);
  const acknowledged = pushing.acknowledged.size;
  server = await serveProcess(dataDir, port, {
    ...{ ...settings, ...env },
    FANION_SECRET_KEY_FILE: join(dataDir, 'secret.key'),
  });
  await pushing.stop();
  await drained(server.base, dataDir, 300_000);
  const store = createClickHouse({ url: engine.url, database: 'fanion' });
  const { rows } = await store.query('SELECT count() FROM spans WHERE workspace = 9');
  await store.close();
  const tally = await compareWith(engine.url, pushing.acknowledged);
  console.log(
    `${spans} spans over ${days} days: ${seconds.toFixed(1)} s, ${Math.round(spans / seconds)} spans a second; ` +
      `rows equal: ${Number(rows[0]?.[0]) === spans}; ${acknowledged} batches acknowledged meanwhile; ${tallyText(tally)}`,
  );
  if (Number(rows[0]?.[0]) !== spans || tally.lost.length + tally.wrong.length > 0) process.exitCode = 1;
} finally {
  await pushing.stop();
  target.grpc.close();
  await server.end('SIGTERM');
  await engine.stop();
  await postgres.close();
  rmSync(dir, { recursive: true, force: true });
}
process.exit();
