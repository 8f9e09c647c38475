/**
 * The reads that people wait for, right after spans and log records have come at full speed through a whole server: a trace
 * by its id, a rare and a frequent attribute of a service, a rare word, the newest rows, and counts of logs. Reads take turns, and each
 * round asks for another value. Prints a Markdown table; progress goes to stderr.
 *
 *   npx tsx bench/reads.ts [--spans 1000000] [--logs 2000000] [--rounds 15] [--only name,name] [--half-load]
 *     --half-load  asks again while spans, and then while log records, arrive at half of the target rate: those that the read is of
 *
 * Medians. Times are those of the API; processor time is that of the engine's process. Builds what is measured beforehand: `npm run build`.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Signal } from '@fanion/telemetry';
import { startBenchServer } from './support/ingest/server.ts';
import { halfLoad, startSender } from './support/ingest/start-sender.ts';
import { cpuMilliseconds, median } from './support/load.ts';
import { ask, held, type Known, pause, prepare, type Read, reads } from './support/reads.ts';

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '1000000' },
    logs: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    'half-load': { type: 'boolean', default: false },
  },
});
/** Of arriving data, before the first read beside it. */
const SETTLE_MS = 3_000;
const signals = ['traces', 'logs'] as const satisfies readonly Signal[];

const wanted = reads.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)));
const server = await startBenchServer(true);
try {
  const known = await prepare(server, values);
  const state = async () => `${await held(server, 'spans')}; ${await held(server, 'logs')}; load ${load()}`;
  console.error(await state());
  const quiet = await inTurns(wanted, known);
  const beside = values['half-load'] ? await besideArriving(known) : undefined;
  const added = beside ? [' beside half load, ms | ratio |', ' --- | --- |'] : ['', ''];
  console.log(`| what | time, ms | least, ms | engine CPU, ms | rows of it |${added[0]}`);
  console.log(`| --- | --- | --- | --- | --- |${added[1]}`);
  for (const [read, { times, cpu, found }] of quiet) {
    const time = median(times);
    const figures = [time, Math.min(...times), median(cpu)].map((each) => each.toFixed(1));
    const loaded = beside && median(beside.get(read)?.times ?? []);
    const more = loaded === undefined ? '' : ` ${loaded.toFixed(1)} | ${(loaded / time).toFixed(2)} |`;
    console.log(`| ${read.name} | ${figures.join(' | ')} | ${found} |${more}`);
  }
  console.error(await state());
} finally {
  await server.stop();
}
process.exit();

interface Measured {
  readonly times: number[];
  readonly cpu: number[];
  found: number;
}

async function inTurns(asked: readonly Read[], [first, ...others]: readonly Known[]): Promise<Map<Read, Measured>> {
  const measured = new Map<Read, Measured>(asked.map((read) => [read, { times: [], cpu: [], found: 0 }]));
  if (first) for (const read of asked) await ask(server, read, first);
  for (const known of others) {
    for (const [read, one] of measured) {
      const [cpu, began] = [cpuMilliseconds(server.enginePid), performance.now()];
      one.found = await ask(server, read, known);
      one.times.push(performance.now() - began);
      one.cpu.push(cpuMilliseconds(server.enginePid) - cpu);
    }
  }
  return measured;
}

/** Each read while rows of what it reads arrive. */
async function besideArriving(known: readonly Known[]): Promise<Map<Read, Measured>> {
  const all = new Map<Read, Measured>();
  for (const signal of signals) {
    const { port, token } = server;
    const rate = halfLoad[signal];
    const options = { port, token, signal, protocol: 'http-protobuf', gzip: false, connections: 8, rate } as const;
    const sender = await startSender(options);
    sender.go();
    await pause(SETTLE_MS);
    const began = performance.now();
    const of = wanted.filter((read) => read.signal === signal);
    for (const [read, one] of await inTurns(of, known)) all.set(read, one);
    const seconds = (performance.now() - began + SETTLE_MS) / 1000;
    const { acknowledged } = await sender.stop();
    console.error(`${signal}: ${Math.round(acknowledged / seconds)} a second of ${rate} meanwhile; load ${load()}`);
  }
  return all;
}

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
