/**
 * Spans, log records or data points per second through a whole server, acknowledged and stored, on the same machine as
 * their sender, compared with the limits of that machine. Prints a Markdown table; progress goes to stderr.
 *
 *   npx tsx bench/ingest.ts [--signal traces|logs|metrics] [--protocol http-protobuf|http-json|grpc] [--gzip]
 *     [--seconds 60] [--runs 1] [--connections 8] [--rate ITEMS_A_SECOND] [--no-fsync] [--limits]
 *   npx tsx bench/ingest.ts --all [--seconds 60] [--runs 5]
 *     the three signals: full load, half load with fsync on and off, JSON and gRPC, limits; about 25 minutes
 *
 * Run `npm run build` first.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Signal } from '@fanion/telemetry';
import { measureLimits } from './support/ingest/limits.ts';
import { type SignalReport, table } from './support/ingest/report.ts';
import { type Protocol, protocols } from './support/ingest/requests.ts';
import { type RunOptions, type RunResult, run } from './support/ingest/run.ts';
import { halfLoad } from './support/ingest/start-sender.ts';

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    signal: { type: 'string', default: 'traces' },
    protocol: { type: 'string', default: 'http-protobuf' },
    seconds: { type: 'string', default: '60' },
    runs: { type: 'string' },
    connections: { type: 'string', default: '8' },
    rate: { type: 'string', default: '0' },
    gzip: { type: 'boolean', default: false },
    'no-fsync': { type: 'boolean', default: false },
    limits: { type: 'boolean', default: false },
  },
});

const signals: readonly Signal[] = ['traces', 'logs', 'metrics'];
/** Duration of the runs besides the main one. */
const SHORT_SECONDS = 15;

const connections = Number(values.connections);
const seconds = Number(values.seconds);
const runs = Number(values.runs ?? (values.all ? 5 : 1));
const [signal] = signals.filter((one) => one === values.signal);
const [protocol] = protocols.filter((one) => one === values.protocol);
if (signal === undefined || protocol === undefined) throw new Error('no such --signal or --protocol');

async function measure(what: string, options: Partial<RunOptions> & { signal: Signal }): Promise<RunResult> {
  const load = (loadavg()[0] ?? 0).toFixed(1);
  console.error(`${new Date().toISOString().slice(11, 19)} ${options.signal}: ${what} (load ${load})`);
  const base = {
    protocol: 'http-protobuf',
    gzip: false,
    connections,
    seconds,
    rate: 0,
    fsync: true,
    optimize: false,
  } as const;
  const result = await run({ ...base, ...options });
  const { server, store, sender } = result.cpu;
  console.error(
    `         ${Math.round(result.acknowledged)} acknowledged, ${Math.round(result.stored)} stored a second; ` +
      `p50 ${result.p50.toFixed(1)}, p99 ${result.p99.toFixed(1)} ms; query ${result.query.toFixed(0)} ms; ` +
      `µs server ${server.toFixed(2)}, store ${store.toFixed(2)}, sender ${sender.toFixed(2)}; ` +
      `${result.merged.toFixed(1)} B, optimized ${result.optimized?.toFixed(1) ?? '-'}; ${result.exact ? 'exact' : 'NOT EXACT'}`,
  );
  return result;
}

/** Repeats a run; reports the sizes after `OPTIMIZE FINAL` for the last one. */
async function repeat(options: Partial<RunOptions> & { signal: Signal }): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for (let i = 1; i <= runs; i++)
    results.push(await measure(`run ${i} of ${runs}`, { ...options, optimize: i === runs }));
  return results;
}

async function whole(of: Signal): Promise<SignalReport> {
  const short = { signal: of, seconds: SHORT_SECONDS };
  const half = { ...short, rate: halfLoad[of] };
  return {
    signal: of,
    limits: await measureLimits(of, connections),
    runs: await repeat({ signal: of }),
    half: {
      on: await measure('half load', { ...half, optimize: true }),
      off: await measure('half load without fsync', { ...half, fsync: false }),
    },
    json: await measure('JSON', { ...short, protocol: 'http-json' }),
    grpc: await measure('gRPC', { ...short, protocol: 'grpc' }),
  };
}

async function one(of: Signal, by: Protocol): Promise<SignalReport> {
  const options = {
    signal: of,
    protocol: by,
    gzip: values.gzip,
    rate: Number(values.rate),
    fsync: !values['no-fsync'],
  };
  const limits = values.limits ? await measureLimits(of, connections) : undefined;
  const nothing = { half: { on: undefined, off: undefined }, json: undefined, grpc: undefined };
  return { signal: of, runs: await repeat(options), limits, ...nothing };
}

const reports: SignalReport[] = [];
if (values.all) for (const each of signals) reports.push(await whole(each));
else reports.push(await one(signal, protocol));
console.log(table(reports));
process.exit();
