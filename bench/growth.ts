/**
 * One sustained run at full speed, and what each part of it costs as the data grow. Prints a row for each step (items stored a second,
 * processor time, parts, how often a row was merged, bytes with and without replaced parts), then the processor time of the engine by
 * kind of thread, then bytes by table and by column, so long after the last insert as `--rest` says.
 *
 *     npx tsx bench/growth.ts [--signal traces|logs] [--items 10000000] [--steps 10] [--rest 60]
 *       [--settings 'old_parts_lifetime = 480, …']
 *
 * after `npm run build`. (Linux)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { tables } from './support/ingest/run.ts';
import { type BenchServer, startBenchServer } from './support/ingest/server.ts';
import { fill, pause } from './support/reads.ts';

const { values } = parseArgs({
  options: {
    signal: { type: 'string', default: 'traces' },
    items: { type: 'string', default: '10000000' },
    steps: { type: 'string', default: '10' },
    rest: { type: 'string', default: '60' },
    settings: { type: 'string' },
  },
});
const signal = values.signal === 'logs' ? 'logs' : 'traces';
const main = tables[signal] ?? '';
const steps = Number(values.steps);
const each = Math.ceil(Number(values.items) / steps);

const server = await startBenchServer(true);
try {
  // Of the table, to try others.
  if (values.settings !== undefined)
    await server.store.command(`ALTER TABLE ${main} MODIFY SETTING ${values.settings}`);
  console.log(`load ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
  console.log(
    `| ${signal} | stored a second | server µs | engine µs | parts | merged rows a row | bytes | with replaced parts |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (let step = 1; step <= steps; step++) {
    const [before, merged, began] = [server.cpu(), await mergedRows(server), performance.now()];
    await fill(server, signal, each);
    const [after, seconds] = [server.cpu(), (performance.now() - began) / 1000];
    const micros = (used: number) => ((used * 1e6) / each).toFixed(1);
    console.log(
      `| ${each * step} | ${Math.round(each / seconds)} | ${micros(after.server - before.server)} | ${micros(after.store - before.store)} | ` +
        `${await partsOf(server)} | ${(((await mergedRows(server)) - merged) / each).toFixed(2)} | ${await bytesOf(server, 'active')} | ${await bytesOf(server, '1')} |`,
    );
  }
  console.log(`\n${table('seconds of processor time by thread of the engine', threadSeconds(server.enginePid))}`);
  await pause(Number(values.rest) * 1000);
  console.log(
    `\nafter ${values.rest} s: ${await bytesOf(server, 'active')} bytes, with replaced parts ${await bytesOf(server, '1')}\n`,
  );
  const rows = `(SELECT count() FROM ${main})`;
  console.log(
    table(
      'bytes an item by table',
      await asked(
        `SELECT table, round(sum(bytes_on_disk) / ${rows}, 2), round(sum(secondary_indices_compressed_bytes) / ${rows}, 2), sum(rows), count()
         FROM system.parts WHERE active AND database = 'fanion' GROUP BY table ORDER BY 2 DESC`,
      ),
    ),
  );
  console.log(
    `\n${table(
      `bytes an item by column of ${main}`,
      await asked(
        `SELECT name, round(data_compressed_bytes / ${rows}, 2), round(data_uncompressed_bytes / ${rows}, 1) FROM system.columns
         WHERE database = 'fanion' AND table = '${main}' AND data_compressed_bytes / ${rows} > 0.05 ORDER BY 2 DESC`,
      ),
    )}`,
  );
  console.log(
    `\n${table(
      `bytes an item by filter and index of ${main}`,
      await asked(
        `SELECT name, round(data_compressed_bytes / ${rows}, 2) FROM system.data_skipping_indices
         WHERE database = 'fanion' AND table = '${main}' ORDER BY 2 DESC`,
      ),
    )}`,
  );
} finally {
  await server.stop();
}
process.exit();

async function asked(sql: string): Promise<unknown[][]> {
  return (await server.store.query(sql)).rows;
}

async function mergedRows({ store }: BenchServer): Promise<number> {
  const { rows } = await store.query(`SELECT value FROM system.events WHERE event = 'MergedRows'`);
  return Number(rows[0]?.[0] ?? 0);
}

async function partsOf({ store }: BenchServer): Promise<string> {
  const { rows } = await store.query(
    `SELECT count() FROM system.parts WHERE active AND database = 'fanion' AND table = '${main}'`,
  );
  return String(rows[0]?.[0]);
}

/** Bytes on disk of all tables for each item. */
async function bytesOf({ store }: BenchServer, condition: string): Promise<string> {
  const { rows } = await store.query(
    `SELECT round(sum(bytes_on_disk) / (SELECT count() FROM ${main}), 1) FROM system.parts WHERE ${condition} AND database = 'fanion'`,
  );
  return String(rows[0]?.[0]);
}

/** By the names of threads, which end in a number where there are several of a kind. */
function threadSeconds(pid: number): unknown[][] {
  const sums = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim().replace(/\d+$/, '');
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    sums.set(name, (sums.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) / 100);
  }
  return [...sums].filter(([, seconds]) => seconds > 0.5).sort(([, a], [, b]) => b - a);
}

function table(title: string, rows: readonly (readonly unknown[])[]): string {
  return [`${title}:`, ...rows.map((row) => `- ${row.join(', ')}`)].join('\n');
}
