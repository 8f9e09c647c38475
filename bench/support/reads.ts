import type { Signal } from '@fanion/telemetry';
import { json } from '../peers/run/http.ts';
import { telemetryData } from '../peers/run/telemetry-data.ts';
import { tables } from './ingest/run.ts';
import type { BenchServer } from './ingest/server.ts';
import { postBodies } from './post-bodies.ts';

const POLL_MS = 200;
const LONGEST_MERGES_MS = 60_000;
const LONGEST_SENDING_S = 300;

/** Values that occur, another one for each round. */
export interface Known {
  readonly trace: string;
  readonly customer: string;
  readonly word: string;
}

export interface Read {
  readonly name: string;
  readonly signal: Signal;
  readonly ask: (known: Known) => { path: string } | { query: string };
}

const ofService = 'spans | where service.name == "service-7"';

/** The reads that people wait for. */
export const reads: readonly Read[] = [
  { name: 'trace by id', signal: 'traces', ask: ({ trace }) => ({ path: `/traces/${trace}` }) },
  {
    name: 'service and rare attribute',
    signal: 'traces',
    ask: ({ customer }) => ({ query: `${ofService} and app.customer.id == "${customer}" | limit 20` }),
  },
  {
    name: 'service and frequent attribute, newest 20',
    signal: 'traces',
    ask: () => ({ query: `${ofService} and http.route == "/cart" | limit 20` }),
  },
  { name: 'newest 20 spans', signal: 'traces', ask: () => ({ query: 'spans | limit 20' }) },
  {
    name: 'rare word in logs',
    signal: 'logs',
    ask: ({ word }) => ({ query: `logs | where body has "${word}" | limit 20` }),
  },
  { name: 'newest 20 log records', signal: 'logs', ask: () => ({ query: 'logs | limit 20' }) },
  {
    name: 'log records by severity',
    signal: 'logs',
    ask: () => ({ query: 'logs | stats n=count() by severity' }),
  },
  {
    name: 'top 10 of 50,000 customers in logs',
    signal: 'logs',
    ask: () => ({ query: 'logs | stats n=count() by app.customer.id | top 10 by n' }),
  },
];

export const pause = (ms = POLL_MS) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sends so many at full speed, waits until they are stored, and says what that cost. */
export async function fill(
  { port, token, store, cpu }: BenchServer,
  signal: 'traces' | 'logs',
  wanted: number,
): Promise<void> {
  const { bodies, itemsPerBody } = telemetryData(signal, wanted);
  const target = { port, path: `/v1/${signal}`, headers: { authorization: `Bearer ${token}` } };
  const [before, began] = [cpu(), performance.now()];
  const { requests, refused } = await postBodies(target, bodies, LONGEST_SENDING_S);
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  const sent = requests * itemsPerBody;
  const stored = async () => Number((await store.query(`SELECT count() FROM ${tables[signal]}`)).rows[0]?.[0]);
  while ((await stored()) < sent) await pause();
  const [after, seconds] = [cpu(), (performance.now() - began) / 1000];
  const each = (used: number) => ((used * 1e6) / sent).toFixed(2);
  console.error(
    `${signal}: ${sent} at ${Math.round(sent / seconds)} a second stored; µs each: ` +
      `server ${each(after.server - before.server)}, store ${each(after.store - before.store)}`,
  );
}

/** Merges of what has just come would be counted as the reads' own. */
async function untilMerged({ store }: BenchServer): Promise<void> {
  const end = performance.now() + LONGEST_MERGES_MS;
  for (let idle = 0; idle < 5 && performance.now() < end; ) {
    const { rows } = await store.query('SELECT count() FROM system.merges');
    idle = Number(rows[0]?.[0]) === 0 ? idle + 1 : 0;
    await pause();
  }
}

export async function knownValues({ store }: BenchServer, some: number): Promise<Known[]> {
  const texts = async (sql: string) => (await store.query(sql)).rows.map(([text]) => String(text));
  const [traces, customers, words] = await Promise.all([
    texts(
      `SELECT lower(hex(trace_id)) FROM spans WHERE workspace = 1 ORDER BY cityHash64(trace_id) LIMIT 1 BY trace_id LIMIT ${some}`,
    ),
    texts(`SELECT DISTINCT string_attributes['app.customer.id'] FROM spans WHERE service = 'service-7' LIMIT ${some}`),
    texts(`SELECT DISTINCT splitByChar(' ', body)[2] FROM logs LIMIT ${some}`),
  ]);
  return traces.map((trace, i) => ({ trace, customer: customers[i] ?? '', word: words[i] ?? '' }));
}

/** Fills the store and waits for its merges. Returns what to ask for in each round, after one that only warms up. */
export async function prepare(
  server: BenchServer,
  { spans, logs, rounds }: Readonly<Record<'spans' | 'logs' | 'rounds', string>>,
): Promise<Known[]> {
  await fill(server, 'traces', Number(spans));
  await fill(server, 'logs', Number(logs));
  await untilMerged(server);
  return knownValues(server, Number(rounds) + 1);
}

/** How many rows there are, and in what. */
export async function held({ store }: BenchServer, table: string): Promise<string> {
  const { rows } = await store.query(
    `SELECT concat(toString(sum(rows)), ' in ', toString(count()), ' parts, ', toString(round(sum(bytes_on_disk) / sum(rows), 1)), ' bytes each')
     FROM system.parts WHERE active AND database = 'fanion' AND table = '${table}'`,
  );
  return `${table}: ${String(rows[0]?.[0])}`;
}

/**
 * Asks through the API on a kept connection; returns how many rows or spans came. Not with the tests' client, which also checks each
 * answer against the API document.
 */
export async function ask({ user }: BenchServer, read: Read, known: Known): Promise<number> {
  const asked = read.ask(known);
  const whole = { project: user.projectId, from: 'now-1h', to: 'now' };
  const at = `${user.base}${user.workspace}`;
  const headers = { cookie: user.cookie, origin: user.base };
  const { data } = await ('path' in asked
    ? json<Answered>(`${at}${asked.path}`, headers)
    : json<Answered>(`${at}/query`, headers, { ...asked, ...whole }));
  return (data.rows ?? data.spans ?? []).length;
}

interface Answered {
  readonly data: { readonly rows?: readonly unknown[]; readonly spans?: readonly unknown[] };
}
