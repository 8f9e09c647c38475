/**
 * Alert rules and notifications: what evaluating many rules costs, how late they are, how many notifications reach a receiver
 * on this machine, and a long simulation of replicas that die.
 *
 *     npx tsx bench/alerting.ts --rules [--count 10000] [--shapes 200] [--seconds 120]
 *     npx tsx bench/alerting.ts --queries [--count 1000] [--seconds 120]
 *     npx tsx bench/alerting.ts --prometheus [--count 1000] [--seconds 120]
 *     npx tsx bench/alerting.ts --notifications [--count 2000]
 *     npx tsx bench/alerting.ts --simulation [--count 10000] [--hours 24] [--seed 1]
 *
 * `--rules` evaluates rules of so many shapes once a minute: rules of one shape differ in the name of a service. `--queries` evaluates rules
 * whose queries have nothing in common. `--prometheus` evaluates one rule for each of so many series, beside Debian's Prometheus with the
 * same rules over as many points. All three print the processor time of this process, which evaluates, and of the embedded stores.
 * The first two minutes are not measured.
 *
 * `--notifications` fires alerts, each a group of its own, on an empty embedded control plane, and measures from the moment at which all
 * groups are due until the receiver has accepted every message. `--simulation` runs the test of
 * `packages/server/src/features/alerting/notifications/simulation.test.ts` for longer. Child processes run from `dist`: `npm run build` first.
 */
import { parseArgs } from 'node:util';
import { alertingWorld } from '../packages/server/src/features/alerting/notifications/testing/alerting-world.ts';
import { startRecorder } from '../packages/server/src/features/alerting/notifications/testing/recorder.ts';
import { simulate } from '../packages/server/src/features/alerting/notifications/testing/simulation.ts';
import { startTestPglite } from '../packages/server/src/testing/test-database.ts';
import { startPrometheus } from './support/alerting/prometheus.ts';
import { type Evaluations, type Rule, rulesWorld, warmUpMs } from './support/alerting/world.ts';

const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    rules: flag,
    queries: flag,
    prometheus: flag,
    notifications: flag,
    simulation: flag,
    count: { type: 'string' },
    shapes: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '120' },
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
  },
});
const count = (otherwise: number) => Number(values.count ?? otherwise);
const seconds = Number(values.seconds);
const store = await startTestPglite();
const { db } = await store.fresh();

if (values.rules) await rules(count(10_000), Number(values.shapes));
if (values.queries) await queries(count(1_000));
if (values.prometheus) await besidePrometheus(count(1_000));
if (values.notifications) await notifications(count(2_000));
if (values.simulation) await simulation(count(10_000), Number(values.hours), Number(values.seed));
// The embedded control plane of tests is not stopped by itself.
process.exit();

async function rules(count: number, shapes: number): Promise<void> {
  const world = await rulesWorld(db);
  await world.addSpans(1_000);
  await world.addRules(
    Array.from({ length: count }, (_, n): Rule => {
      const slowMs = 1 + (n % shapes);
      const service = `svc-${Math.floor(n / shapes) % 50}`;
      const query = `spans | where service.name == "${service}" | stats value=count(duration > ${slowMs}ms) by name`;
      return { query, threshold: 1_000_000, window: '1m' };
    }),
  );
  report(await world.evaluate(seconds));
  await world.stop();
}

async function queries(count: number): Promise<void> {
  const world = await rulesWorld(db);
  await world.addSpans(1_000);
  await world.addRules(
    Array.from({ length: count }, (_, n): Rule => {
      const query = `spans | stats value=count(duration > ${n + 1}ms) by service.name`;
      return { query, threshold: 1_000_000, window: '1m' };
    }),
  );
  report(await world.evaluate(seconds));
  await world.stop();
}

async function besidePrometheus(count: number): Promise<void> {
  const threshold = 99;
  const prometheus = await startPrometheus(count, threshold);
  const world = await rulesWorld(db);
  await world.addSeries(count);
  await world.addRules(
    Array.from({ length: count }, (_, n): Rule => {
      const query = `metric queue.size | where service.name == "svc-${n}" | stats value=avg(value)`;
      return { query, threshold, window: '5m' };
    }),
  );
  // Both evaluate at the same time; the first time of both is left out.
  const cpu = new Promise<number>((resolve) =>
    setTimeout(() => {
      const before = prometheus.cpu();
      setTimeout(() => resolve(prometheus.cpu() - before), seconds * 1_000);
    }, warmUpMs),
  );
  report(await world.evaluate(seconds));
  console.log(`Prometheus: processor time ${(await cpu).toFixed(2)} s`);
  await prometheus.stop();
  await world.stop();
}

function report({ count, failed, missed, queries, lateness, seconds, ownCpu, storesCpu }: Evaluations): void {
  const sorted = [...lateness].sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  console.log(
    `${count} evaluations in ${seconds} s (${queries} queries, ${failed} failed, ${missed} missed); ` +
      `late by ${quantile(0.5)} ms (p50), ${quantile(0.99)} ms (p99), ${sorted.at(-1)} ms (max); ` +
      `processor time ${ownCpu.toFixed(2)} s here, ${storesCpu.toFixed(2)} s of the stores: ` +
      `${((ownCpu + storesCpu) / seconds).toFixed(2)} cores`,
  );
}

async function notifications(count: number): Promise<void> {
  const world = await alertingWorld(db);
  const recorder = await startRecorder(world.clock);
  const channel = await world.addChannel('hook', recorder.base);
  await world.route({ channels: [channel], group_by: ['...'], group_wait: '10s' });
  for (let n = 0; n < count; n++) await world.fire({ alertname: 'load', n: `${n}` });
  const { engine } = world.notifications({ concurrency: 16, channelConcurrency: 16 });
  world.clock.ms += 11_000;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await engine.runDue();
  const took = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const accepted = new Set(recorder.received.map(({ headers }) => headers['idempotency-key'])).size;
  console.log(
    `${accepted} of ${count} delivered in ${took.toFixed(1)} s: ${Math.round((accepted / took) * 60)} a minute; ` +
      `processor time of this process (receiver included, control plane not) ${((user + system) / 1e6).toFixed(1)} s`,
  );
  await world.stop();
  await recorder.stop();
}

async function simulation(rules: number, hours: number, seed: number): Promise<void> {
  const began = performance.now();
  const report = await simulate(db, {
    rules,
    minutes: hours * 60,
    seed,
    deathsPerCommit: 0.001,
    minutesAway: Math.min(60, hours * 8),
    firingsPerHour: 0.04,
  });
  const { missedPeriods, missedFirings, missedEnds, wrong, ...others } = report;
  console.log({
    ...others,
    missedPeriods: missedPeriods.length,
    missedFirings: missedFirings.length,
    missedEnds: missedEnds.length,
    wrong: wrong.length,
    seconds: Math.round((performance.now() - began) / 1_000),
  });
  for (const problem of [...missedPeriods, ...missedFirings, ...missedEnds, ...wrong].slice(0, 20))
    console.log(problem);
}
