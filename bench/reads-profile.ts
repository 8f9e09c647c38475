/**
 * Where the engine spends the processor time of a read: samples of its stacks while one read is asked over and over, on the data of
 * `bench/reads.ts`. Prints, for each read, the functions with most time; with --out, stacks as flame graphs take them
 * (`flamegraph.pl`, speedscope), one file for each read.
 *
 *   npx tsx bench/reads-profile.ts [--spans 1000000] [--logs 2000000] [--seconds 10] [--only name,name] [--most 25] [--out DIR]
 *
 * Needs Linux on x86-64 with `perf` and `c++filt`. The engine has no symbols, so only virtual functions and lambdas have names; the time of
 * other functions is given to the one with a name that called them. `Class#n` is the nth virtual function of a class.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBenchServer } from './support/ingest/server.ts';
import { cpuMilliseconds, median } from './support/load.ts';
import { readNativeNames } from './support/profile/native-names.ts';
import { foldedStacks, record, type Share, summary } from './support/profile/stacks.ts';
import { ask, fill, held, knownValues, reads } from './support/reads.ts';

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '1000000' },
    logs: { type: 'string', default: '2000000' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: 'trace by id,rare word,frequent attribute' },
    most: { type: 'string', default: '25' },
    out: { type: 'string' },
  },
});
/** Asked for in turn, so that not one granule is read over and over. */
const PROBES = 200;
const WARM_UP = 5;
const ROUNDS = 30;

const server = await startBenchServer(true);
const directory = mkdtempSync(join(tmpdir(), 'fanion-profile-'));
try {
  await fill(server, 'traces', Number(values.spans));
  await fill(server, 'logs', Number(values.logs));
  // One part each, so that runs compare.
  for (const table of ['spans', 'logs']) await server.store.command(`OPTIMIZE TABLE ${table} FINAL`);
  console.error(`${await held(server, 'spans')}; ${await held(server, 'logs')}`);
  const known = await knownValues(server, PROBES);
  const names = readNativeNames(engineLibrary(server.enginePid));
  for (const read of reads.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)))) {
    const next = (round: number) => known[round % known.length];
    for (let round = 0; round < WARM_UP; round++) await askNext(round);
    const cpu: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = cpuMilliseconds(server.enginePid);
      await askNext(round);
      cpu.push(cpuMilliseconds(server.enginePid) - before);
    }
    const each = median(cpu);
    const file = join(directory, 'perf.data');
    const recording = await record(server.enginePid, file);
    const end = performance.now() + Number(values.seconds) * 1000;
    for (let round = 0; performance.now() < end; round++) await askNext(round);
    await recording.stop();
    const folded = foldedStacks(file, names);
    if (values.out !== undefined) {
      mkdirSync(values.out, { recursive: true });
      const lines = [...folded].map(([stack, count]) => `${stack} ${count}\n`);
      writeFileSync(join(values.out, `${read.name.replaceAll(/\W+/g, '-')}.folded`), lines.join(''));
    }
    const { self, inclusive } = summary(folded, Number(values.most));
    const load = (loadavg()[0] ?? 0).toFixed(1);
    console.log(`\n## ${read.name}: ${each.toFixed(1)} ms of the engine without the profile, load ${load}\n`);
    console.log(`${table('itself, or what it calls without a name', self, each)}\n`);
    console.log(table('with all that it calls', inclusive, each));

    async function askNext(round: number): Promise<void> {
      const one = next(round);
      if (one) await ask(server, read, one);
    }
  }
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exit();

function engineLibrary(pid: number): string {
  const [file] = /\S+libchdb\.so$/m.exec(readFileSync(`/proc/${pid}/maps`, 'utf8')) ?? [];
  if (file === undefined) throw new Error('the engine is not loaded');
  return file;
}

function table(title: string, shares: readonly Share[], each: number): string {
  const rows = shares.map(({ name, share }) => `| ${(share * each).toFixed(2)} | \`${name}\` |`);
  return [`| ms | ${title} |`, '| --- | --- |', ...rows].join('\n');
}
