/**
 * Samples per second that remote write 1.0 brings into a whole server, acknowledged and stored, and the processor time of
 * all its processes, in turns with Prometheus for the same bytes. Prints a Markdown table; progress goes to stderr.
 *
 *   npx tsx bench/remote-write.ts [--series 1000] [--samples 1] [--senders 2] [--seconds 15] [--requests 2000] [--runs 1]
 *     [--only fanion|prometheus] [--prometheus /usr/bin/prometheus] [--no-fsync]
 *
 * Builds what is measured beforehand: `npm run build`.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { remoteWriteBodies } from './support/remote-write/bodies.ts';
import {
  measureRemoteWrite,
  type RemoteWriteResult,
  startFanion,
  startPrometheus,
} from './support/remote-write/run.ts';

const { values } = parseArgs({
  options: {
    series: { type: 'string', default: '1000' },
    samples: { type: 'string', default: '1' },
    senders: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '15' },
    requests: { type: 'string', default: '2000' },
    runs: { type: 'string', default: '1' },
    only: { type: 'string' },
    prometheus: { type: 'string', default: '/usr/bin/prometheus' },
    'no-fsync': { type: 'boolean', default: false },
  },
});
const series = Number(values.series);
const samples = Number(values.samples);
const HOUR_MS = 3_600_000;
const STEP_MS = 250;

const stores = {
  fanion: () => startFanion(!values['no-fsync']),
  prometheus: () => startPrometheus(values.prometheus),
};
type Name = keyof typeof stores;
const names = (Object.keys(stores) as Name[]).filter((name) => values.only === undefined || values.only === name);

const bodies = remoteWriteBodies({
  series,
  samples,
  senders: Number(values.senders),
  requests: Number(values.requests),
  from: Date.now() - HOUR_MS,
  stepMs: STEP_MS,
});
const bytes = bodies.flat().reduce((sum, body) => sum + body.length, 0);
const count = bodies.flat().length * series * samples;
console.error(`${count} samples prepared, ${(bytes / count).toFixed(1)} bytes each`);

const results = new Map<Name, RemoteWriteResult[]>(names.map((name) => [name, []]));
for (let run = 0; run < Number(values.runs); run++) {
  for (const name of names) {
    const store = await stores[name]();
    try {
      const result = await measureRemoteWrite(store, bodies, series * samples, Number(values.seconds));
      results.get(name)?.push(result);
      console.error(`${name}: ${lineOf(result)} (load ${(loadavg()[0] ?? 0).toFixed(1)})`);
    } finally {
      await store.stop();
    }
  }
}

function lineOf({ acknowledged, stored, cpu, total, p50, p99, sender, exact, refused }: RemoteWriteResult): string {
  const parts = Object.entries(cpu).map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return (
    `${whole(acknowledged)} acknowledged, ${whole(stored)} stored a second; ${total.toFixed(2)} s of processor time a ` +
    `million (${parts.join(', ')}; sender ${sender.toFixed(2)}); p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms; ` +
    `${exact && refused === 0 ? 'exact' : `NOT EXACT, ${refused} refused`}`
  );
}

const middle = (name: Name, of: (result: RemoteWriteResult) => number) => {
  const all = (results.get(name) ?? []).map(of).sort((a, b) => a - b);
  return all[Math.floor(all.length / 2)] ?? Number.NaN;
};
console.log(`\n| | acknowledged a second | stored a second | processor seconds a million |\n| --- | --- | --- | --- |`);
for (const name of names) {
  const figures = [middle(name, (r) => r.acknowledged), middle(name, (r) => r.stored)].map((value) =>
    Math.round(value).toLocaleString('en'),
  );
  console.log(`| ${name} | ${figures.join(' | ')} | ${middle(name, (r) => r.total).toFixed(2)} |`);
}
process.exit();
