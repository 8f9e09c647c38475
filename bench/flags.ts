/**
 * Feature flags compared with their limits and peers, in one run: medians, ratios, processor time per request.
 *
 *     npx tsx bench/flags.ts [--in-process] [--ofrep] [--process] [--stream] [--beside-queries] [--attacks] [--segment] [--doors]      all by default
 *
 * after `npm run build`. Peers: `npm ci --prefix bench/peers --ignore-scripts` for those from npm, FLAGD_BIN and
 * GOFF_BIN with the paths of flagd and of GO Feature Flag's relay proxy for theirs. Missing peers are skipped and
 * reported. ROUNDS and SECONDS make a run shorter or longer. `--beside-queries` takes about 75 seconds; PART=1/3, 2/3 and 3/3 run a
 * third of its queries each, ONLY those whose name contains a text. `--attacks` takes about a minute, with at least 500 evaluations beside
 * each; ONLY works there too.
 */
import { cpus } from 'node:os';

const parts = {
  '--in-process': () => import('./flags/in-process.ts').then(({ inProcess }) => inProcess()),
  '--ofrep': () => import('./flags/ofrep.ts').then(({ ofrep }) => ofrep()),
  '--stream': () => import('./flags/stream.ts').then(({ stream }) => stream()),
  '--beside-queries': () => import('./flags/beside-queries.ts').then(({ besideQueries }) => besideQueries()),
  '--attacks': () => import('./flags/attacks.ts').then(({ attacks }) => attacks()),
  '--process': () => import('./flags/evaluation-process.ts').then(({ evaluationProcess }) => evaluationProcess()),
  '--segment': () => import('./flags/segment.ts').then(({ segment }) => segment()),
  '--doors': () => import('./flags/doors.ts').then(({ doors }) => doors()),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(' ')}; there are ${Object.keys(parts).join(' ')}`);
  process.exit(2);
}
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`,
);
for (const [name, run] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await run();
