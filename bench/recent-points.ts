/**
 * The bar of recent points (docs/decisions/0116): the median time of a warm rate of 50 series from memory, and beside it, alternately in
 * the same run, on the plain path. Exits with 1 where memory takes more than half of it.
 *
 *     npx tsx bench/recent-points.ts
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonToProtobuf } from '@fanion/telemetry';
import { Ingest } from '../packages/server/src/features/telemetry/ingest/index.ts';
import { principal } from '../packages/server/src/features/telemetry/ingest/testing/http.ts';
import { quietLog, startTestStore } from '../packages/server/src/features/telemetry/ingest/testing/store.ts';
import { createLog } from '../packages/server/src/platform/log.ts';
import { RecentPoints } from '../packages/server/src/platform/recent-points/index.ts';
import { testGateway } from '../packages/server/src/testing/test-gateway.ts';
import { metricsRequest, nanos, text } from '../packages/telemetry/src/testing/otlp.ts';

const [series, points, everyMs, rounds] = [50, 1_000, 3_600, 30];
const clock = { now: () => Date.now() };
const { signal } = new AbortController();
const to = clock.now();

const telemetry = await startTestStore();
const plain = testGateway(telemetry.store);
let ingest: Ingest | undefined;
const recent = new RecentPoints({
  storeStarts: () => 0,
  ...{ maxBytes: 64 * 1024 ** 2, clock, log: createLog('silent'), read: (...read) => plain.readRows(...read) },
  worker() {
    if (ingest === undefined) throw new Error('ingest has not started');
    return ingest.recent;
  },
});
ingest = await Ingest.open({
  ...{ dataDir: await mkdtemp(join(tmpdir(), 'fanion-bench-')), clickhouse: telemetry.clickhouse },
  ...{ walMaxBytes: 256 * 1024 ** 2, fsync: false, log: quietLog, clock },
});
for (let host = 0; host < series; host++) {
  const dataPoints = Array.from({ length: points }, (_, i) => ({
    ...{ timeUnixNano: nanos(to - (points - i) * everyMs), asDouble: i * 7, attributes: [text('host', `h${host}`)] },
  }));
  const request = metricsRequest([{ name: 'warm', sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }]);
  const body = jsonToProtobuf('metrics', Buffer.from(JSON.stringify(request)));
  await ingest.append({ signal: 'metrics', format: 'protobuf', body, principal });
}
await ingest.flush();

const memory = testGateway(telemetry.store, { recent });
const scope = { workspace: principal.workspace, project: undefined, environment: undefined };
// Each series has a point before the window: without one, the engine looks for it in more of the past.
const window = { fromNs: BigInt(to - 2_700_000) * 1_000_000n, toNs: BigInt(to) * 1_000_000n };
const question = { oql: 'metric warm | rate | sum by host, bucket(1m)', window, limit: 10_000 };

async function timed(gateway: typeof plain): Promise<number> {
  const began = performance.now();
  const { rows } = await gateway.ask(scope, question, { lane: 'interactive', signal });
  if (rows.length < series * 44) throw new Error(`${rows.length} rows`);
  return performance.now() - began;
}

while (recent.state().answered < 3) await timed(memory);
const times: { memory: number[]; plain: number[] } = { memory: [], plain: [] };
for (let round = 0; round < rounds; round++) {
  times.memory.push(await timed(memory));
  times.plain.push(await timed(plain));
}
const median = (of: number[]) => of.sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
const [warm, cold] = [median(times.memory), median(times.plain)];
console.log(`from memory ${warm.toFixed(1)} ms, plain ${cold.toFixed(1)} ms, answered ${recent.state().answered}`);
process.exit(warm * 2 <= cold ? 0 : 1);
