/**
 * A backup of a running server with embedded stores while spans arrive at a steady rate: its time and size, the pause of writes to the store,
 * acknowledgements before, meanwhile and afterwards, and whether a restored server has all spans that were acknowledged before it began.
 *
 *     npx tsx bench/backup.ts [--rate 50000] [--seconds 60]
 *
 * Sender, server, stores and backup share the machine. Child processes run from `dist`: `npm run build` first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { createClickHouse } from '../packages/server/src/platform/clickhouse/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { drained } from '../test/faults/support/stored.ts';
import { freePort, runProcess, serveProcess } from '../test/support/server-process.ts';
import type { SenderResult } from './support/ingest/sender.ts';
import { quiet } from './support/ingest/server.ts';
import { startSender } from './support/ingest/start-sender.ts';

const { values } = parseArgs({
  options: { rate: { type: 'string', default: '50000' }, seconds: { type: 'string', default: '60' } },
});
const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
const dir = mkdtempSync(join(tmpdir(), 'fanion-bench-backup-'));
const [dataDir, copyDir, backups] = ['server', 'copy', 'backups'].map((name) => join(dir, name)) as [
  string,
  string,
  string,
];
const port = await freePort();
const settings = {
  FANION_LOG_LEVEL: 'info',
  FANION_WAL_MAX_BYTES: '16GiB',
  FANION_PROJECT_ITEMS_PER_SECOND: '100000000',
  FANION_PROJECT_BYTES_PER_SECOND: '100000000000',
};
let server = await serveProcess(dataDir, port, settings);
try {
  const token = await (await signUp(server.base)).token(['telemetry:ingest']);
  /** Spans arrive during some work. */
  async function beside<T>(work: () => Promise<T>): Promise<{ done: T; sent: SenderResult }> {
    const sender = await startSender({
      ...{ port, token, signal: 'traces', protocol: 'http-protobuf', gzip: false, connections: 8, rate },
    });
    sender.go();
    const done = await work();
    return { done, sent: await sender.stop() };
  }
  const { sent: before } = await beside(() => pause(seconds * 1_000));
  const { done: backup, sent: meanwhile } = await beside(() =>
    timed(runProcess(['backup', backups], { FANION_DATA_DIR: dataDir })),
  );
  const { sent: after } = await beside(() => pause(seconds * 1_000));
  if (backup.code !== 0) throw new Error(`the backup ended with ${backup.code}: ${backup.output}`);
  const path = backup.output.split('\n').find((line) => line.startsWith(backups)) ?? '';
  const paused = /"pausedMs":(\d+)/.exec(server.output())?.[1];
  await drained(server.base, dataDir, 600_000);
  await server.end('SIGTERM');

  const restored = await timed(runProcess(['restore', path, '--data', copyDir]));
  if (restored.code !== 0) throw new Error(`the restore ended with ${restored.code}: ${restored.output}`);
  server = await serveProcess(copyDir, port, settings);
  await drained(server.base, copyDir, 600_000);
  await server.end('SIGTERM');
  const rows = await spansIn(copyDir);

  console.log(
    `| ${rate} spans a second | stored in the log, a second | refused | acknowledged in, p50, ms | p99, ms |`,
  );
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const [name, sent] of Object.entries({ before, meanwhile, after })) {
    const each = [sent.acknowledged / sent.seconds, sent.refused, sent.p50, sent.p99];
    console.log(`| ${name} | ${each.map((value) => value.toFixed(1)).join(' | ')} |`);
  }
  const most = before.acknowledged + meanwhile.acknowledged;
  const isRight = rows >= before.acknowledged && rows <= most;
  console.log(backup.output.trim().split('\n').at(-1));
  console.log(
    `backup ${backup.seconds.toFixed(1)} s, writes paused ${paused} ms; restore ${restored.seconds.toFixed(1)} s; ${rows} spans, of ${before.acknowledged} acknowledged before and ${most} at its end: ${isRight ? 'right' : 'WRONG'}; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  if (!isRight) process.exitCode = 1;
} finally {
  await server.end('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
}
process.exit();

async function timed<T>(work: Promise<T>): Promise<T & { readonly seconds: number }> {
  const began = performance.now();
  return { ...(await work), seconds: (performance.now() - began) / 1_000 };
}

async function spansIn(dataDirectory: string): Promise<number> {
  const engine = await startTelemetryStore({ dir: join(dataDirectory, 'telemetry'), log: quiet });
  const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 600_000 });
  const { rows } = await store.query('SELECT count() FROM spans', { limits: { maxRowsToRead: 1e12 } });
  await store.close();
  await engine.stop();
  return Number(rows[0]?.[0]);
}
