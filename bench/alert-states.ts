/**
 * When alerts fire and resolve, beside Debian's Prometheus and Alertmanager in the same run: both are sent the same samples by remote write,
 * both evaluate the same rules every second (ours imported by `fanion import prometheus-rules`), and both notify a webhook on this machine.
 *
 *     npx tsx bench/alert-states.ts [--seconds 240] [--seed 1]
 *
 * Six rules over six instances are 36 series: a threshold, one with `for`, a condition inside the query, a function over time, a rate and a
 * grouping. Each instance is above and below the thresholds for 15 to 40 s alternately. Prints, for firing and for resolving, how much later than
 * Prometheus' notification ours was received (median, worst), and what only one of them sent. Only loopback is used. Child processes
 * run from `dist`: `npm run build` first.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { run } from '../packages/cli/src/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../packages/server/src/testing/test-server.ts';
import { type TestSeries, writeRequest1 } from '../packages/telemetry/src/testing/remote-write.ts';
import { startPrometheusStack } from './support/alerting/prometheus-stack.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '240' }, seed: { type: 'string', default: '1' } },
});
const seconds = Number(values.seconds);
const instances = 6;
/** Before the first change, with values that no rule is about: Prometheus loses what fires before it has found its Alertmanager. */
const warmSeconds = 20;
/** After the last change, so that both have told of it. */
const quietSeconds = 20;

const rules = `groups:
- name: states
  interval: 1s
  rules:
  - { alert: Above, expr: "load > 10" }
  - { alert: Held, expr: "load > 10", for: 3s }
  - { alert: Both, expr: "load > 10 and temperature > 5" }
  - { alert: Average, expr: "avg_over_time(load[10s]) > 10" }
  - { alert: Rate, expr: "rate(requests_total[10s]) > 5" }
  - { alert: Below, expr: "sum by (instance) (load) < 3" }
`;

interface Notified {
  readonly alert: string;
  readonly status: string;
  readonly at: number;
}

/** Receives webhooks in Alertmanager's form, and notes each change of an alert once. */
async function startReceiver() {
  const seen: Notified[] = [];
  const last = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const { alerts } = JSON.parse(await textOf(request)) as {
      alerts: { status: string; labels: Record<string, string> }[];
    };
    response.end();
    for (const { status, labels } of alerts) {
      const alert = `${labels.alertname} ${labels.instance ?? labels['service.instance.id']}`;
      if (last.get(alert) === status) continue;
      last.set(alert, status);
      seen.push({ alert, status, at });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, seen, stop: () => server.close() };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Numbers from 0 to 1 that depend on the seed alone (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Whether each instance is high in each second. */
function plan(random: () => number): boolean[][] {
  return Array.from({ length: instances }, () => {
    const high: boolean[] = [];
    for (let isHigh = false; high.length < seconds; isHigh = !isHigh)
      for (let left = 15 + Math.floor(random() * 25); left > 0; left--) high.push(isHigh);
    return [...high.slice(0, seconds), ...Array<boolean>(quietSeconds).fill(high[seconds - 1] ?? false)];
  });
}

const [theirs, ours] = [await startReceiver(), await startReceiver()];
const stack = await startPrometheusStack(rules, theirs.url);
const server = await startTestServer({ env: { FANION_EGRESS_ALLOW: '127.0.0.0/8' } });
const owner = await signUp(server.base, 'states');
const ingest = await owner.token(['telemetry:ingest']);
const channel = await owner.post(`${owner.workspace}/channels`, {
  name: 'hook',
  kind: 'webhook',
  config: { url: ours.url },
  send_resolved: true,
});
const policies = await owner.get(`${owner.workspace}/routing-policies`);
const root = policies.data.find(({ parent }: { parent: string | null }) => parent === null);
const routed = await owner.patch(`${owner.workspace}/routing-policies/${root.id}`, {
  channels: [channel.data.id],
  group_by: ['...'],
  group_wait: '0s',
  group_interval: '1s',
  repeat_interval: '4h',
  version: root.version,
});
if (routed.status !== 200) throw new Error(routed.text);
const code = await run(
  ['import', 'prometheus-rules', stack.rulesFile, '--labels', 'instance,job', '--yes', '--endpoint', server.base],
  {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    ask: undefined,
    env: {
      FANION_TOKEN: await owner.token(
        ['alerts:read', 'alerts:write', 'telemetry:query', 'dashboards:read', 'dashboards:write', 'workspace:read'],
        {},
      ),
      FANION_WORKSPACE: owner.slug,
    },
  },
);
if (code !== 0) throw new Error(`the import ended with ${code}`);

const high = plan(randomFrom(Number(values.seed)));
const totals = Array<number>(instances).fill(0);
const began = Date.now();
for (let second = -warmSeconds; second < seconds + quietSeconds; second++) {
  await sleep(Math.max(0, began + (warmSeconds + second) * 1_000 - Date.now()));
  const time = Date.now();
  const series = high.flatMap((states, instance): TestSeries[] => {
    const isHigh = states[second] ?? false;
    totals[instance] = (totals[instance] ?? 0) + (isHigh ? 10 : 1);
    const labels = { instance: `host-${instance}`, job: 'states' };
    return [
      { labels: { __name__: 'load', ...labels }, samples: [{ value: isHigh ? 20 : second < 0 ? 5 : 1, time }] },
      { labels: { __name__: 'temperature', ...labels }, samples: [{ value: isHigh ? 9 : 1, time }] },
      { labels: { __name__: 'requests_total', ...labels }, samples: [{ value: totals[instance] ?? 0, time }] },
    ];
  });
  const body = new Uint8Array(writeRequest1(series));
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  for (const answer of await Promise.all([
    fetch(stack.write, { method: 'POST', headers, body }),
    fetch(`${server.base}/prometheus/api/v1/write`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${ingest}` },
      body,
    }),
  ]))
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
}
const offsets = (await owner.get(`${owner.workspace}/alert-rules`)).data.map(
  (rule: { name: string; effective_offset: string; health: { missed: number } }) =>
    `${rule.name} ${rule.effective_offset} (${rule.health.missed} missed)`,
);
await Promise.all([stack.stop(), server.stop()]);
for (const receiver of [theirs, ours]) receiver.stop();

/** The n-th change of an alert there and here. */
const changesOf = (seen: readonly Notified[], alert: string, status: string) =>
  seen.filter((one) => one.alert === alert && one.status === status).map(({ at }) => at);
const secondsOf = (times: readonly number[]) => times.map((at) => ((at - began) / 1_000).toFixed(1)).join(' ');
const alerts = [...new Set([...theirs.seen, ...ours.seen].map(({ alert }) => alert))];
console.log(`${alerts.length} series, ${seconds} s; effective offsets: ${offsets.join(', ')}`);
for (const status of ['firing', 'resolved']) {
  const delays: number[] = [];
  let [missed, wrong] = [0, 0];
  for (const alert of alerts) {
    const [there, here] = [changesOf(theirs.seen, alert, status), changesOf(ours.seen, alert, status)];
    missed += Math.max(0, there.length - here.length);
    wrong += Math.max(0, here.length - there.length);
    if (there.length !== here.length)
      console.log(`${alert} ${status} there at ${secondsOf(there)}, here at ${secondsOf(here)}`);
    for (const [i, at] of there.entries()) if (here[i] !== undefined) delays.push((here[i] - at) / 1_000);
  }
  const sorted = delays.sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  console.log(
    `${status}: ${delays.length} compared, later than Prometheus by ${median.toFixed(2)} s (median), ${worst.toFixed(2)} s (worst), ${sorted[0]?.toFixed(2)} s (best); missed ${missed}, wrong ${wrong}`,
  );
}
process.exit();
