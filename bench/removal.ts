/**
 * Removing a project whose telemetry is in many daily partitions, under ingest: how long it takes, how many statements it takes, and how
 * long queries of another workspace take beside it and without it, in the same run.
 *
 *     npx tsx bench/removal.ts [--partitions 260] [--rows 12000] [--rate 2000] [--seconds 30]
 *
 * Both workspaces have so many log records and spans, spread over the partitions. Queries of the other workspace follow each other without a
 * pause, with so many log records a second sent beside them. The removal is measured up to the moment when no table has a row of the project;
 * it is then looked for again minutes and hours later. Child processes run from `dist`: `npm run build` first.
 */
import { parseArgs } from 'node:util';
import { type SignedUp, signUp } from '../packages/server/src/testing/test-client.ts';
import { startBenchServer } from './support/ingest/server.ts';

const { values } = parseArgs({
  options: {
    partitions: { type: 'string', default: '260' },
    rows: { type: 'string', default: '12000' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '30' },
  },
});
const partitions = Number(values.partitions);
const rows = Number(values.rows);

const server = await startBenchServer(true);
const { user, store } = server;
const other = await signUp(user.base, 'other');
const otherToken = await other.token(['telemetry:ingest']);
try {
  const numbers = { gone: await placeOf(user, server.token), other: await placeOf(other, otherToken) };
  for (const place of Object.values(numbers)) await fill(place);
  const parts = await count(`SELECT count() FROM system.parts WHERE active AND database = 'fanion'`);
  console.log(`${partitions} partitions, ${parts} parts; 2 × ${rows} log records and spans`);

  const sending = send();
  await ask(5_000);
  const without = await ask(Number(values.seconds) * 1000);
  const project = (await user.get(`${user.workspace}/projects`)).data[0];
  const mutationsBefore = await mutations();
  const began = performance.now();
  const removed = await user.del(`${user.workspace}/projects/${project.id}?confirm=${project.key}`);
  if (removed.status !== 204) throw new Error(removed.text);
  const answered = performance.now() - began;
  let seconds = Number.NaN;
  const beside = await ask(3_600_000, async () => {
    const [removal] = (await user.get(`${user.workspace}/removals`)).data;
    seconds = (performance.now() - began) / 1000;
    return removal.error !== null || removal.tables.removed === removal.tables.total;
  });
  await sending.stop();
  const { workspace, project: number } = numbers.gone;
  const left = await count(`SELECT count() FROM logs WHERE workspace = ${workspace} AND project = ${number}`);
  const filed = (await mutations()) - mutationsBefore;
  console.log(`DELETE answered after ${answered.toFixed(0)} ms; removed in ${seconds.toFixed(1)} s; rows left ${left}`);
  console.log(`statements that delete: ${filed}`);
  console.log('queries of the other workspace, ms       count     p50     p99');
  print('without a removal', without);
  print('beside the removal', beside);
  console.log(
    `p99 beside it / without it: ${(quantile(beside, 0.99) / quantile(without, 0.99)).toFixed(2)} (goal: at most 1.5)`,
  );
} finally {
  await server.stop();
}
process.exit();

interface Numbers {
  readonly workspace: number;
  readonly project: number;
}

/** The numbers of a sender's place: those of the rows that it sends. */
async function placeOf(owner: SignedUp, token: string): Promise<Numbers> {
  await post(token, owner.workspaceId, 1);
  for (;;) {
    const [found] = await store.queryRows<Numbers>('SELECT workspace, project FROM logs WHERE body = {body:String}', {
      params: { body: `${owner.workspaceId} 0` },
    });
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function fill({ workspace, project }: Numbers): Promise<void> {
  const tenant = `${workspace} AS workspace, ${project} AS project, 'production' AS environment, toUInt16(3650) AS retention_days`;
  const time = `now64(9) - toIntervalDay(number % ${partitions}) - toIntervalSecond(intDiv(number, ${partitions})) AS time`;
  const settings = { max_partitions_per_insert_block: 0 };
  await store.command(
    `INSERT INTO logs (workspace, project, environment, retention_days, time, observed_time, service, body)
     SELECT ${tenant}, ${time}, time, concat('service ', toString(number % 5)), concat('line ', toString(number)) FROM numbers(${rows})`,
    { settings },
  );
  await store.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, trace_id, span_id, service, name, duration)
     SELECT ${tenant}, ${time}, toFixedString(unhex(hex(sipHash128(${workspace}, number))), 16), toFixedString(reinterpretAsString(number + 1), 8),
       concat('service ', toString(number % 5)), 'work', 1000000 FROM numbers(${rows})`,
    { settings },
  );
}

async function count(sql: string): Promise<number> {
  return Number((await store.query(sql)).rows[0]?.[0]);
}

/** Of all tables, a statement once. */
function mutations(): Promise<number> {
  return count(`SELECT uniqExact(table, mutation_id) FROM system.mutations WHERE database = 'fanion'`);
}

/** Queries one after the other until the time is over or `isOver`; returns milliseconds of each. */
async function ask(ms: number, isOver: () => Promise<boolean> = async () => false): Promise<number[]> {
  const took: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end && !(took.length % 5 === 0 && (await isOver()))) {
    const began = performance.now();
    const query = 'logs | stats n=count() by service.name';
    const answer = await other.post(`${other.workspace}/query`, { query, from: 'now-30d' });
    if (answer.status !== 200) throw new Error(answer.text);
    took.push(performance.now() - began);
  }
  return took;
}

/** Sends log records of the other workspace at the rate. */
function send() {
  let isOver = false;
  const all = (async () => {
    for (let n = 0; !isOver; n++) {
      await post(otherToken, `batch ${n}`, Number(values.rate) / 4);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  return {
    stop() {
      isOver = true;
      return all;
    },
  };
}

async function post(token: string, name: string, records: number): Promise<void> {
  const logRecords = Array.from({ length: records }, (_, n) => ({
    timeUnixNano: `${Date.now()}000000`,
    body: { stringValue: `${name} ${n}` },
  }));
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(name: string, took: readonly number[]): void {
  const number = (value: number) => value.toFixed(0).padStart(8);
  console.log(`${name.padEnd(36)} ${number(took.length)}${number(quantile(took, 0.5))}${number(quantile(took, 0.99))}`);
}
