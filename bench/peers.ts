/**
 * Fanion beside other products: each runs alone, gets the same data, has its counts checked, and answers the same questions. Prints
 * tables with ratios; progress goes to stderr. The rules are in `bench/notes/2026-11-23-peers.md`.
 *
 *     npx tsx bench/peers.ts --binaries DIR [--only traces,logs,metrics,flags,memory] [--products Fanion,Prometheus,…]
 *       [--items 1000000,10000000] [--seconds 120] [--rounds 15] [--rest 20] [--flag-seconds 3] [--results FILE]
 *
 * after `npm run build`. DIR has the programs of other products as victoria-traces, victoria-logs, victoria-metrics, jaeger, tempo,
 * flagd and go-feature-flag. Prometheus is taken from PATH, and Unleash from npm: `npm ci --prefix bench/peers --ignore-scripts`.
 * Of several numbers of items, the growth from the least is printed too. What is not there is named as missing. With --results, figures are added to those of earlier runs in that file, so that a
 * table can be measured in pieces; the table shows all of them.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Product, Suite } from './peers/product.ts';
import { fanion } from './peers/products/fanion.ts';
import { jaeger } from './peers/products/jaeger.ts';
import { prometheus } from './peers/products/prometheus.ts';
import { tempo } from './peers/products/tempo.ts';
import { victoriaLogs } from './peers/products/victoria-logs.ts';
import { victoriaMetrics } from './peers/products/victoria-metrics.ts';
import { victoriaTraces } from './peers/products/victoria-traces.ts';
import { type Figures, type Result, readResults, withResult, writeResults } from './peers/run/results.ts';
import { tables } from './peers/run/table.ts';
import { flagServers, flags } from './peers/suites/flags.ts';
import { memory } from './peers/suites/memory.ts';
import { telemetry } from './peers/suites/telemetry.ts';

const suites: readonly Suite[] = ['traces', 'logs', 'metrics', 'flags', 'memory'];
const products: readonly Product[] = [fanion, victoriaTraces, jaeger, tempo, victoriaLogs, victoriaMetrics, prometheus];

const { values } = parseArgs({
  options: {
    binaries: { type: 'string' },
    only: { type: 'string', default: suites.join(',') },
    products: { type: 'string' },
    items: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '15' },
    rest: { type: 'string', default: '20' },
    'flag-seconds': { type: 'string', default: '3' },
    results: { type: 'string' },
  },
});
const asked = listed(values.only, suites);
const names = [...products.map(({ name }) => name), ...flagServers.map(({ name }) => name)];
const wanted = values.products === undefined ? names : listed(values.products, names);
const sizes = values.items.split(',').map(Number);
const options = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  rest: Number(values.rest),
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let results = readResults(values.results);
for (const suite of asked) {
  for (const { name, items, run } of runsOf(suite)) {
    if (!wanted.includes(name)) continue;
    console.error(
      `${suite}: ${name}${items === undefined ? '' : `, ${items} items`} (load ${(loadavg()[0] ?? 0).toFixed(1)})`,
    );
    const found = await run().catch((error: unknown) => ({ missing: String(error) }));
    const result: Result = isMissing(found)
      ? { suite, product: name, items, missing: found.missing, figures: {} }
      : { suite, product: name, items, figures: found };
    console.error(`  ${JSON.stringify(result.missing ?? result.figures)}`);
    results = withResult(results, result);
    writeResults(values.results, results);
  }
}
console.log(
  `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n\n${tables(results)}`,
);
process.exit();

type Found = Figures | { readonly missing: string };

function isMissing(found: Found): found is { readonly missing: string } {
  return typeof found.missing === 'string';
}

interface Run {
  readonly name: string;
  readonly items: number | undefined;
  readonly run: () => Promise<Found>;
}

/** What is measured of a suite, by number of items and product. */
function runsOf(suite: Suite): Run[] {
  if (suite === 'flags')
    return flagServers.map((server) => ({
      name: server.name,
      items: undefined,
      run: () => flags(server, values.binaries, Number(values['flag-seconds'])),
    }));
  if (suite === 'memory')
    return products.map((product) => ({
      name: product.name,
      items: undefined,
      run: ofProgram(product, (program) => memory({ product, program }, options.rest)),
    }));
  const taking = products.filter(({ signals }) => signals.includes(suite));
  return sizes.flatMap((items) =>
    taking.map((product) => ({
      name: product.name,
      items,
      run: ofProgram(product, (program) => telemetry(suite, { product, program }, { ...options, items })),
    })),
  );
}

function ofProgram(product: Product, measure: (program: string) => Promise<Figures>): Run['run'] {
  return async () => {
    const found = product.find(values.binaries);
    return 'missing' in found ? found : measure(found.program);
  };
}

/** The names of a list with commas between them; ends the process at an unknown one. */
function listed<T extends string>(text: string, known: readonly T[]): T[] {
  const given = text.split(',');
  const unknown = given.filter((name) => !known.some((each) => each === name));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')}; there are ${known.join(', ')}`);
    process.exit(2);
  }
  return known.filter((each) => given.includes(each));
}
