/**
 * A dashboard of 30 panels over an hour of 10M spans, 10M log lines and 14M points, as its page asks for it: one request, whose stream
 * ends with the last panel. Wall time in milliseconds, and processor time of the server and the engine, medians of rounds. The window
 * moves by a step in each round, so that no answer is known.
 *
 *   npm run build && BENCH_DATA=dir npx tsx bench/dashboards.ts [--rounds 10] [--minutes 60] [--viewers 8] [--panels]
 *     --panels         each panel alone
 *     SCALE=0.01       a hundredth of everything
 *     BENCH_DATA=dir   keeps the telemetry there, and takes what an earlier run (or bench/query.ts) has left
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { panels } from './support/dashboard-panels.ts';
import { openFilledShop } from './support/filled-shop.ts';
import { cpuSeconds, median } from './support/load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '60' },
    viewers: { type: 'string', default: '8' },
    panels: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const viewers = Number(values.viewers);
const windowMs = Number(values.minutes) * 60_000;
/** The steps by which the window of such a dashboard moves. */
const stepMs = 30_000;
const say = (line: string) => process.stderr.write(`${line}\n`);
const kept = process.env.BENCH_DATA;
const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'fanion-dashboards-'));
const controlDir = mkdtempSync(join(tmpdir(), 'fanion-dashboards-control-'));
const { engine, endMs, forget, stop } = await openFilledShop(dataDir, Number(process.env.SCALE ?? 1), say);
const server = await serveProcess(controlDir, await freePort(), { CLICKHOUSE_URL: engine.url });
const owner = await signUp(server.base, 'bench');
const created = await owner.post(`${owner.workspace}/dashboards`, { name: 'Shop', panels });
if (created.status !== 201) throw new Error(created.text);

interface Opened {
  readonly ms: number;
  /** Until the first panel is there. */
  readonly firstMs: number;
}

/** Reads the data of the dashboard. @param back how many steps before the end of the data the window ends */
async function open(back: number, ids?: readonly string[]): Promise<Opened> {
  const [to, from] = [endMs - back * stepMs, endMs - back * stepMs - windowMs];
  const began = performance.now();
  const response = await fetch(`${server.base}${owner.workspace}/dashboards/${created.data.id}/data`, {
    method: 'POST',
    headers: { cookie: owner.cookie, origin: server.base, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...(ids && { panels: ids }),
    }),
  });
  let firstMs = 0;
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (firstMs === 0 && text.includes('\n')) firstMs = performance.now() - began;
  }
  const ms = performance.now() - began;
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const failed = lines.find((line) => line.error !== undefined || line.rows.length === 0);
  if (lines.length !== (ids ?? panels).length || failed) throw new Error(JSON.stringify(failed ?? lines).slice(0, 500));
  return { ms, firstMs };
}

const cpu = () => [cpuSeconds(server.child.pid ?? 0), cpuSeconds(engine.pid() ?? 0)] as const;
interface Figures {
  readonly ms: number;
  readonly worst: number;
  readonly firstMs: number;
  readonly serverMs: number;
  readonly engineMs: number;
}
/** @param before runs before each round, and does not count */
async function measured(
  run: (round: number) => Promise<Opened>,
  count: number,
  before?: () => Promise<void>,
): Promise<Figures> {
  const times: Opened[] = [];
  let [serverMs, engineMs] = [0, 0];
  for (let round = 0; round < count; round++) {
    await before?.();
    const [ofServer, ofEngine] = cpu();
    times.push(await run(round));
    const [serverAfter, engineAfter] = cpu();
    serverMs += ((serverAfter - ofServer) * 1_000) / count;
    engineMs += ((engineAfter - ofEngine) * 1_000) / count;
  }
  const ms = times.map((one) => one.ms);
  return {
    ms: median(ms),
    worst: Math.max(...ms),
    firstMs: median(times.map((one) => one.firstMs)),
    serverMs,
    engineMs,
  };
}

let back = 0;
const lines: string[] = [];
const tell = (name: string, { ms, worst, firstMs, serverMs, engineMs }: Figures) => {
  const line = `| ${name} | ${ms.toFixed(0)} | ${worst.toFixed(0)} | ${firstMs.toFixed(0)} | ${serverMs.toFixed(0)} | ${engineMs.toFixed(0)} |`;
  say(line);
  lines.push(line);
};
try {
  const first = await open(back++);
  say(`first request of a new server: ${first.ms.toFixed(0)} ms`);
  tell('cold: files and engine caches dropped', await measured(() => open(back++), Math.min(3, rounds), forget));
  tell('the next step of the window', await measured(() => open(back++), rounds));
  await open(back);
  tell('refresh within the step', await measured(() => open(back), rounds));
  back++;
  const together = async (): Promise<Opened> => {
    const at = back++;
    const all = await Promise.all(Array.from({ length: viewers }, () => open(at)));
    return { ms: Math.max(...all.map(({ ms }) => ms)), firstMs: Math.max(...all.map(({ firstMs }) => firstMs)) };
  };
  tell(`${viewers} viewers of the next step, the last one`, await measured(together, rounds));
  if (values.panels)
    for (const { id, query } of panels) tell(`${id} ${query}`, await measured(() => open(back++, [id]), rounds));
} finally {
  await server.end('SIGTERM');
  await stop();
  rmSync(controlDir, { recursive: true, force: true });
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}
console.log(`30 panels over ${values.minutes} minutes, load ${loadavg()[0]?.toFixed(1)}

| what | ms | worst | first panel | cpu server | cpu engine |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}`);
