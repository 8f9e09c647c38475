/**
 * A newcomer's hour: a server with its defaults, `fanion demo` with its history, and a browser that visits every page again and again.
 * Counts what must not happen: inserts that the telemetry store refused, queries that failed, and rows that were lost. Prints the
 * resident memory of each process over time. Progress goes to stderr; exits with 1 if anything was refused, failed or lost.
 *
 *   npm run build && npx tsx bench/demo-hour.ts [--minutes 60] [--rate 2] [--backfill 24h] [--memory 512MiB]
 *
 * The first minutes, while the history is written, are the worst. Works in a folder that it removes. (Linux)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGS, chromiumPath } from '../test/browser/support/chromium-path.ts';
import { ownMetrics, storesOf } from '../test/faults/support/processes.ts';
import { freePort, serveProcess, startProcess } from '../test/support/server-process.ts';
import { readAllPages } from './demo-hour/browser.ts';
import { memoryOf } from './support/load.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '2' },
    backfill: { type: 'string', default: '24h' },
    memory: { type: 'string', default: '' },
  },
});
const MEMORY_EVERY_MS = 1_000;
const ROW_EVERY_MS = Math.max(30_000, (Number(values.minutes) * 60_000) / 30);
/** The demo's last batches and their inserts. */
const STORED_WITHIN_MS = 900_000;

if (chromiumPath === undefined) throw new Error('no Chromium is installed; name one in FANION_CHROMIUM');
const dir = mkdtempSync(join(tmpdir(), 'fanion-demo-hour-'));
const began = Date.now();
// Empty: the default, not that of other benchmarks.
const server = await serveProcess(join(dir, 'data'), await freePort(), {
  FANION_ENGINE_MEMORY: '',
  FANION_REQUESTS_PER_MINUTE: '',
  FANION_MEMORY: values.memory,
});
const demo = startProcess(
  ['demo', '--endpoint', server.base, '--backfill', values.backfill, '--rate', values.rate],
  {},
);
const browser = await chromium.launch({ executablePath: chromiumPath, args: [...CHROMIUM_ARGS] });
const stop = new AbortController();
try {
  const watched = watchMemory();
  const reading = readAllPages(browser, server.base, stop.signal, (line) => console.error(`${minutes()} ${line}`));
  reading.catch(() => {
    // Reported when it is awaited.
  });
  const end = began + Number(values.minutes) * 60_000;
  while (Date.now() < end && demo.child.exitCode === null) await sleep(Math.min(ROW_EVERY_MS, end - Date.now()));
  stop.abort();
  const read = await reading;
  await demo.end('SIGINT');
  const delivered = /delivered ([\d,]+) spans and ([\d,]+) log records/.exec(demo.output());
  if (delivered === null) throw new Error(`the demo ended early: ${demo.output()}`);
  const count = (text: string | undefined) => Number(text?.replaceAll(',', ''));
  const [spans, logs] = [count(delivered[1]), count(delivered[2])];
  const pending = async () => (await ownMetrics(server.base)).get('fanion_ingest_pending_segments');
  const deadline = Date.now() + STORED_WITHIN_MS;
  let saidAt = 0;
  while ((await pending()) !== 0 && Date.now() < deadline) {
    if (Date.now() >= saidAt + ROW_EVERY_MS) {
      saidAt = Date.now();
      console.error(`${minutes()} segments left in the log: ${await pending()}`);
    }
    await sleep(500);
  }
  if ((await pending()) !== 0)
    throw new Error(
      `${await pending()} segments were not stored within 15 minutes after the demo's end:\n${server.output().slice(-4_000)}`,
    );
  const metrics = await ownMetrics(server.base);
  const stored = await read.countStored();
  const { highest, rows } = watched.stop();
  const lost =
    spans - stored.spans + (logs - stored.logs) + (metrics.get('fanion_ingest_items_quarantined_total') ?? Number.NaN);
  const undelivered = count(/([\d,]+) items could not be delivered/.exec(demo.output())?.[1] ?? '0');
  const refused = metrics.get('fanion_ingest_inserts_repeated_total');
  const restarts = metrics.get('fanion_store_restarts_total');

  console.log(`| what | count |\n| --- | --- |`);
  console.log(`| refused inserts | ${refused} |`);
  console.log(
    `| failed requests of pages, of ${read.requests} by ${read.visits} visits in ${read.rounds} rounds | ${read.failed.length} |`,
  );
  console.log(`| rows lost, of ${spans} spans and ${logs} log records | ${lost} |`);
  console.log(`| items that the demo could not deliver | ${undelivered} |`);
  console.log(`| restarts of the telemetry store | ${restarts} |`);
  for (const line of new Set(read.failed)) console.log(`\n- ${line}`);
  console.log(
    `\n${values.minutes} minutes, history of ${values.backfill} at rate ${values.rate}, load at the end ${(loadavg()[0] ?? 0).toFixed(1)}.`,
  );
  console.log(`Resident memory in MiB, in brackets without pages of files; highest of each: ${highest}\n`);
  console.log(`| minute | server | control plane | telemetry store | all |\n| --- | --- | --- | --- | --- |`);
  for (const row of rows) console.log(row);
  if (refused !== 0 || read.failed.length > 0 || lost !== 0 || undelivered !== 0 || restarts !== 0)
    process.exitCode = 1;
} finally {
  stop.abort();
  await browser.close();
  await demo.end('SIGKILL');
  await server.end('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
}
process.exit();

function minutes(): string {
  return ((Date.now() - began) / 60_000).toFixed(1).padStart(5);
}

/** Looks at each process every second; a row has the highest of each since the one before. */
function watchMemory() {
  const { control, telemetry } = storesOf(server.child.pid);
  const pids = [server.child.pid ?? 0, control ?? 0, telemetry ?? 0];
  // The last one is their sum.
  const nothing = () => [...pids, 0].map(() => ({ whole: 0, own: 0 }));
  const higher = (a: ReturnType<typeof nothing>, b: ReturnType<typeof nothing>) =>
    a.map((one, at) => ({ whole: Math.max(one.whole, b[at]?.whole ?? 0), own: Math.max(one.own, b[at]?.own ?? 0) }));
  const print = (all: ReturnType<typeof nothing>) =>
    all.map(({ whole, own }) => `${Math.round(whole)} (${Math.round(own)})`).join(' | ');
  let overall = nothing();
  let since = nothing();
  const rows: string[] = [];
  let rowAt = Date.now() + ROW_EVERY_MS;
  const timer = setInterval(() => {
    const each = pids.map((pid) => memoryOf(pid));
    const sum = (of: 'whole' | 'own') => each.reduce((total, one) => total + one[of], 0);
    const now = [...each, { whole: sum('whole'), own: sum('own') }];
    since = higher(since, now);
    overall = higher(overall, now);
    if (Date.now() < rowAt) return;
    rowAt += ROW_EVERY_MS;
    rows.push(`| ${minutes().trim()} | ${print(since)} |`);
    console.error(`${minutes()} ${print(since)}; ${demo.output().trim().split('\n').at(-1)}`);
    since = nothing();
  }, MEMORY_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return { highest: print(overall), rows };
    },
  };
}
