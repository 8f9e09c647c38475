/**
 * What a block costs beside its rows: a server closes its log's segment after a second, so that few spans a second come in small blocks. Prints a row
 * for each rate: inserts, processor time of the server and of the engine, and bytes that are sent, logged, inserted and written, merges included.
 *
 *     npx tsx bench/blocks.ts [--signal traces|logs|metrics] [--seconds 20] [--rates 0,1000,10000,40000] [--without-merges]
 *
 * after `npm run build`. (Linux)
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { SIGNALS } from '@fanion/telemetry';
import { batch, ITEMS } from './support/ingest/data.ts';
import { tables } from './support/ingest/run.ts';
import { startBenchServer } from './support/ingest/server.ts';
import { startSender } from './support/ingest/start-sender.ts';
import { pause } from './support/reads.ts';

const { values } = parseArgs({
  options: {
    signal: { type: 'string', default: 'traces' },
    seconds: { type: 'string', default: '20' },
    rates: { type: 'string', default: '0,1000,10000,40000' },
    'without-merges': { type: 'boolean', default: false },
  },
});
const signal = SIGNALS.find((one) => one === values.signal) ?? 'traces';
const main = tables[signal] ?? '';
const seconds = Number(values.seconds);
/** What was acknowledged is stored, and the merges of small parts have run. */
const SETTLE_MS = 10_000;

const server = await startBenchServer(true);
try {
  if (values['without-merges']) await server.store.command('SYSTEM STOP MERGES');
  console.log(
    `load ${(loadavg()[0] ?? 0).toFixed(1)}, ${(batch(signal, 0, Date.now()).length / ITEMS).toFixed(0)} bytes of protobuf an item\n`,
  );
  console.log(
    '| sent a second | blocks a second | parts of all tables | server, ms a second | engine, ms a second | bytes an item: server wrote | of it to its disk | engine wrote to its disk |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  await pause(SETTLE_MS);
  for (const rate of values.rates.split(',').map(Number)) await measure(rate);
} finally {
  await server.stop();
}
process.exit();

async function measure(rate: number): Promise<void> {
  const before = await state();
  const sent = rate === 0 ? 0 : await send(rate);
  if (rate === 0) await pause(seconds * 1000);
  await pause(SETTLE_MS);
  const after = await state();
  // Work after the sending belongs to what was sent.
  const span = seconds + SETTLE_MS / 1000;
  const perSecond = (key: keyof typeof after) => (after[key] - before[key]) / (rate === 0 ? span : seconds);
  const each = (key: keyof typeof after) => (sent === 0 ? '–' : ((after[key] - before[key]) / sent).toFixed(0));
  console.log(
    `| ${Math.round(sent / seconds)} | ${perSecond('blocks').toFixed(2)} | ${perSecond('parts').toFixed(1)} | ${(perSecond('server') * 1000).toFixed(1)} | ` +
      `${(perSecond('engine') * 1000).toFixed(1)} | ${each('sent')} | ${each('logged')} | ${each('stored')} |`,
  );
}

async function send(rate: number): Promise<number> {
  const sender = await startSender({
    ...{ port: server.port, token: server.token, signal, protocol: 'http-protobuf', gzip: false },
    ...{ connections: 4, rate },
  });
  sender.go();
  await pause(seconds * 1000);
  return (await sender.stop()).acknowledged;
}

async function state() {
  const used = server.cpu();
  const [blocks = 0, parts = 0] = await asked(
    `SELECT (SELECT sum(last) FROM (SELECT max(max_block_number) AS last FROM system.parts WHERE table = '${main}' AND database = 'fanion' GROUP BY partition_id)),
       (SELECT value FROM system.events WHERE event = 'MergeTreeDataWriterBlocks')`,
  );
  return {
    ...{ server: used.server, engine: used.store, blocks, parts },
    ...{ sent: written(server.pid, 'wchar'), logged: written(server.pid, 'write_bytes') },
    stored: written(server.enginePid, 'write_bytes'),
  };
}

async function asked(sql: string): Promise<number[]> {
  const { rows } = await server.store.query(sql);
  return (rows[0] ?? []).map(Number);
}

/** Bytes that a process has written: `wchar` to files and sockets, `write_bytes` to its disk. */
function written(pid: number, kind: 'wchar' | 'write_bytes'): number {
  return Number(new RegExp(`^${kind}: (\\d+)$`, 'm').exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}
