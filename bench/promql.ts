/**
 * PromQL through the Prometheus API, beside Debian's Prometheus with the same samples: 10,000 series of a histogram over six hours, one
 * sample a minute, sent by remote write. Asks both for each question in turn, and compares their answers. Prints a Markdown table.
 *
 *   npx tsx bench/promql.ts [--rounds 9] [--prometheus /usr/bin/prometheus]
 *
 * Builds what is measured beforehand: `npm run build`.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startBenchServer } from './support/ingest/server.ts';
import { median } from './support/load.ts';
import { postBodies, remoteWriteHeaders } from './support/post-bodies.ts';
import { remoteWriteBodies } from './support/remote-write/bodies.ts';
import { startPrometheus } from './support/remote-write/run.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, prometheus: { type: 'string', default: '/usr/bin/prometheus' } },
});
const rounds = Number(values.rounds);
const [minuteMs, hourMs] = [60_000, 3_600_000];
const [senders, seriesOfSender, samplesOfBody, bodiesOfSender] = [2, 5_000, 30, 12];
const bounds = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '+Inf'];
const routes = 20;
const metric = 'http_request_duration_seconds_bucket';
/** Samples are apart from whole minutes: Prometheus 2 counts a sample on the edge of a range twice. */
const fromMs = Math.floor(Date.now() / minuteMs) * minuteMs - 6 * hourMs - 43_000;
const toMs = fromMs + 6 * hourMs - 17_000;

/** Series are routes × instances × buckets, of which each has some more than the one before. */
function labelsOf(index: number, sender: number): [string, string][] {
  const target = Math.floor(index / bounds.length);
  return [
    ['__name__', metric],
    ['instance', `10.0.${sender}.${Math.floor(target / routes)}:9090`],
    ['job', 'shop'],
    ['le', bounds[index % bounds.length] ?? ''],
    ['route', `/route-${target % routes}`],
  ];
}

/**
 * Counters that began long ago, since Prometheus 2 and 3 differ on new ones. No two instances have equal rates: of those, `topk` chooses by
 * the last bit of a sum, which depends on the order of adding.
 */
function countOf(index: number, at: number, sender: number): number {
  const [bucket, target] = [index % bounds.length, Math.floor((index + sender * seriesOfSender) / bounds.length)];
  return 1e6 + (at + 1) * (bucket + 1) * (7 + (target % 61) + target / 8) + ((at * (target % 5)) % 3);
}

interface Question {
  readonly name: string;
  readonly query: string;
  readonly hours: number;
}

const few = `${metric}{instance="10.0.0.3:9090",route=~"/route-[0-4]"}`;
const questions: readonly Question[] = [
  { name: '`sum by (route) (rate(…[5m]))`, 10,000 series', query: `sum by (route) (rate(${metric}[5m]))`, hours: 6 },
  {
    name: '`histogram_quantile` by route, 10,000 series',
    query: `histogram_quantile(0.99, sum by (le, route) (rate(${metric}[5m])))`,
    hours: 6,
  },
  { name: '`topk(5, …)` by instance', query: `topk(5, sum by (instance) (rate(${metric}[5m])))`, hours: 6 },
  { name: '`sum by (le) (rate(…[5m]))`, 50 series', query: `sum by (le) (rate(${few}[5m]))`, hours: 1 },
];

interface Peer {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Answer = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: string])[];
}[];

async function ask({ base, headers }: Peer, { query, hours }: Question): Promise<Answer> {
  const range = { query, start: String((toMs - hours * hourMs) / 1000), end: String(toMs / 1000), step: '60' };
  const response = await fetch(`${base}/api/v1/query_range`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(range),
  });
  const body = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(body).slice(0, 500));
  return body.data.result;
}

/** Values by series and time. */
function valuesOf(answer: Answer): Map<string, number> {
  return new Map(
    answer.flatMap(({ metric: labels, values: points }) => {
      const series = JSON.stringify(Object.entries(labels).sort());
      return points.map(([at, value]) => [`${series} ${at}`, Number(value)] as const);
    }),
  );
}

function differing(ours: Answer, theirs: Answer): number {
  const [a, b] = [valuesOf(ours), valuesOf(theirs)];
  const wrong = [...a].filter(([key, value]) => {
    const other = b.get(key);
    return other === undefined || Math.abs(value - other) > 1e-9 * Math.abs(other);
  });
  return wrong.length + Math.abs(a.size - b.size);
}

async function timed(peer: Peer, question: Question): Promise<number> {
  const began = performance.now();
  await ask(peer, question);
  return performance.now() - began;
}

const bodies = remoteWriteBodies({
  ...{ series: seriesOfSender, samples: samplesOfBody, senders, requests: bodiesOfSender },
  ...{ from: fromMs, stepMs: minuteMs, labels: labelsOf, value: countOf },
});
const samples = senders * bodiesOfSender * seriesOfSender * samplesOfBody;
const fanion = await startBenchServer(true);
const prometheus = await startPrometheus(values.prometheus);
const rows: string[] = [];
try {
  const token = await fanion.user.token(['telemetry:query']);
  const ours: Peer = {
    base: `http://127.0.0.1:${fanion.port}/prometheus`,
    headers: { authorization: `Bearer ${token}` },
  };
  const theirs: Peer = { base: `http://127.0.0.1:${prometheus.target.port}`, headers: {} };
  const write = { 'content-type': 'application/x-protobuf', ...remoteWriteHeaders };
  const target = {
    port: fanion.port,
    path: '/prometheus/api/v1/write',
    headers: { ...write, authorization: `Bearer ${fanion.token}` },
  };
  for (const to of [target, prometheus.target]) {
    const { refused } = await postBodies(to, bodies, 600);
    if (refused > 0) throw new Error(`${refused} requests were refused`);
  }
  while (Number((await fanion.store.query('SELECT count() FROM metric_points')).rows[0]?.[0]) < samples)
    await new Promise((resolve) => setTimeout(resolve, 200));
  for (const question of questions) {
    const first = [await timed(ours, question), await timed(theirs, question)] as const;
    const wrong = differing(await ask(ours, question), await ask(theirs, question));
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      times[0].push(await timed(ours, question));
      times[1].push(await timed(theirs, question));
    }
    const later = [median(times[0]), median(times[1])] as const;
    const cells = [first, later].map(
      ([a, b]) => `${a.toFixed(0)} | ${b.toFixed(0)} | ${(a / Math.max(b, 0.1)).toFixed(2)}`,
    );
    rows.push(`| ${question.name}, ${question.hours} h | ${cells.join(' | ')} | ${wrong} |`);
    console.error(rows.at(-1));
  }
} finally {
  await prometheus.stop();
  await fanion.stop();
}
console.log(`${samples.toLocaleString('en')} samples; ${cpus().length} cores of ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}

| question | first: Fanion, ms | Prometheus, ms | ratio | median of ${rounds}: Fanion, ms | Prometheus, ms | ratio | values that differ |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}`);
