import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { cpuMilliseconds, load, median, privateMiB } from '../support/load.ts';
import type { Question } from './contender.ts';
import { startFanion } from './fanion-server.ts';

const rounds = Number(process.env.ROUNDS ?? 7);
const seconds = Number(process.env.SECONDS ?? 2);

interface Measured {
  readonly perSecond: number;
  /** Microseconds of processor time per request, of each process. */
  readonly cpu: readonly number[];
}

/** The process, and the one that it has started to run everything but evaluations. */
function processesOf(pid: number): number[] {
  const isServer = (child: number) => {
    try {
      const stat = readFileSync(`/proc/${child}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return parent === pid && readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('server-entry');
    } catch {
      return false; // It has just ended.
    }
  };
  return [pid, ...readdirSync('/proc').map(Number).filter(isServer)];
}

/** Requests that are not evaluations, one after the other, each on a new connection. */
async function connecting(port: number, forMs: number): Promise<number> {
  const end = performance.now() + forMs;
  let done = 0;
  while (performance.now() < end) {
    await new Promise<void>((resolve, reject) => {
      const sending = request({ port, path: '/healthz', agent: false }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      sending.on('error', reject);
      sending.end();
    });
    done++;
  }
  return done;
}

/** Processor time per request with evaluation in the server and in a separate process, in turns. */
export async function evaluationProcess(): Promise<void> {
  const started = [
    await startFanion('in the server'),
    await startFanion('in a separate process', { FANION_EVALUATION_PROCESS: 'on' }),
  ];
  const all = started.map((server) => ({ ...server, pids: processesOf(server.pid) }));
  console.log(`\n## Evaluation in the server or in a separate process, median of ${rounds} rounds of ${seconds} s\n`);
  console.log('| request | connections | evaluation | per second | processor time per request | of that the server |');
  console.log('|---|---|---|---|---|---|');

  async function compare(name: string, connections: string, run: (port: number, pid: number) => Promise<number>) {
    const results = all.map((): Measured[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [i, { port, pid, pids }] of all.entries()) {
        const before = pids.map(cpuMilliseconds);
        const began = performance.now();
        const perSecond = await run(port, pid);
        const requests = (perSecond * (performance.now() - began)) / 1_000;
        const cpu = pids.map((each, n) => ((cpuMilliseconds(each) - (before[n] ?? 0)) * 1_000) / requests);
        results[i]?.push({ perSecond, cpu });
      }
    for (const [i, server] of all.entries()) {
      const of = results[i] ?? [];
      const total = median(of.map(({ cpu }) => cpu.reduce((sum, each) => sum + each, 0)));
      const main = median(of.map(({ cpu }) => cpu.at(-1) ?? 0));
      const perSecond = median(of.map((one) => one.perSecond)).toFixed(0);
      console.log(
        `| ${name} | ${connections} | ${server.name} | ${perSecond} | ${total.toFixed(1)} µs | ${main.toFixed(1)} µs |`,
      );
    }
  }

  const kinds: Readonly<Record<Question, string>> = {
    single: 'one flag',
    bulk: '200 flags',
    contexts: '200 flags, many contexts',
  };
  for (const kind of ['single', 'bulk', 'contexts'] as const) {
    const evaluate = async (port: number, pid: number) => {
      const requests = all.find((server) => server.port === port)?.requests[kind] ?? [];
      return (await load({ port, pid, requests, connections: 64, seconds })).perSecond;
    };
    await compare(kinds[kind], '64', evaluate);
  }
  await compare('`GET /healthz`', 'one each', async (port) => (await connecting(port, seconds * 1_000)) / seconds);
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  for (const { name, pids } of all)
    console.log(
      `\n${name}: ${pids.map((pid) => `${privateMiB(pid).toFixed(0)} MiB`).join(' and ')} private memory 30 s after`,
    );
  for (const { stop } of all) await stop();
}
