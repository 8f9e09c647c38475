/** Start-up when built, on a data directory that exists, and memory at rest of the server and both stores: `npx tsx bench/start.ts`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/server-process.ts';
import { median, privateMiB, residentMiB } from './support/load.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const start = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'fanion-start-'));
const times: number[] = [];
const memory: { part: string; resident: number; own: number }[] = [];

/** One run of `npm start`'s script: milliseconds until it is ready, and what it holds ten seconds later. */
async function run(measureMemory: boolean): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, [start], {
    env: {
      ...process.env,
      FANION_DATA_DIR: dataDir,
      FANION_PORT: String(port),
      FANION_OTLP_HTTP_PORT: '0',
      FANION_OTLP_GRPC_PORT: '0',
      FANION_FLAGD_PORT: '0',
      FANION_FLAGD_SYNC_PORT: '0',
      FANION_LOG_LEVEL: 'warn',
    },
    stdio: 'ignore',
  });
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (r) => r.ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 20));
  const took = performance.now() - began;
  if (measureMemory) {
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(child.pid)])
      .toString()
      .split('\n');
    const pidOf = (name: string) =>
      Number(
        children
          .find((line) => line.includes(`/${name}/child.js`))
          ?.trim()
          .split(/\s+/)[0],
      );
    const parts = [
      ['server', child.pid ?? 0],
      ['control plane', pidOf('control')],
      ['telemetry store', pidOf('telemetry')],
    ] as const;
    memory.push(...parts.map(([part, pid]) => ({ part, resident: residentMiB(pid), own: privateMiB(pid) })));
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
  return took;
}

const first = await run(false);
for (let round = 0; round < rounds; round++) times.push(await run(round === 0));
console.log(`start-up on an empty data directory: ${first.toFixed(0)} ms`);
console.log(
  `start-up when built, data there: median ${median(times).toFixed(0)} ms of ${times.map((t) => t.toFixed(0)).join(', ')}`,
);
const told = (of: 'resident' | 'own') =>
  `${memory.map((one) => `${one.part} ${one[of].toFixed(0)}`).join(', ')}, sum ${memory.reduce((sum, one) => sum + one[of], 0).toFixed(0)}`;
console.log(`memory at rest, MiB resident: ${told('resident')}`);
console.log(`memory at rest, MiB of their own: ${told('own')}`);
rmSync(dataDir, { recursive: true, force: true });
