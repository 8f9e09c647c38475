/**
 * Notifications: how many a minute reach a receiver on this machine, and a long simulation of replicas that die.
 *
 *     npx tsx bench/alerting.ts notifications [COUNT]
 *     npx tsx bench/alerting.ts simulation [RULES] [HOURS] [SEED]
 *
 * `notifications` fires COUNT alerts, each a group of its own, on an empty embedded control plane, and measures from the moment at which all
 * groups are due until the receiver has accepted every message. The limit is 5,000 a minute. `simulation` runs the test of
 * `packages/server/src/features/alerting/notifications/simulation.test.ts` for longer.
 */
import { alertingWorld } from '../packages/server/src/features/alerting/notifications/testing/alerting-world.ts';
import { startRecorder } from '../packages/server/src/features/alerting/notifications/testing/recorder.ts';
import { simulate } from '../packages/server/src/features/alerting/notifications/testing/simulation.ts';
import { startTestPglite } from '../packages/server/src/testing/test-database.ts';

const [kind, ...numbers] = process.argv.slice(2);
const number = (at: number, otherwise: number) => Number(numbers[at] ?? otherwise);
const store = await startTestPglite();
const { db, close } = await store.fresh();
try {
  if (kind === 'notifications') await notifications(number(0, 2_000));
  else if (kind === 'simulation') await simulation(number(0, 1_000), number(1, 24), number(2, 1));
  else console.error('usage: npx tsx bench/alerting.ts notifications|simulation …');
} finally {
  await close();
  await store.close();
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
      `processor time of this process (control plane and receiver included) ${((user + system) / 1e6).toFixed(1)} s`,
  );
  await world.stop();
  await recorder.stop();
}

async function simulation(rules: number, hours: number, seed: number): Promise<void> {
  const began = performance.now();
  const report = await simulate(db, { rules, minutes: hours * 60, seed, deathsPerCommit: 0.02 });
  const { missedFirings, missedEnds, wrong, ...others } = report;
  console.log({
    ...others,
    missedFirings: missedFirings.length,
    missedEnds: missedEnds.length,
    wrong: wrong.length,
    seconds: Math.round((performance.now() - began) / 1_000),
  });
  for (const problem of [...missedFirings, ...missedEnds, ...wrong].slice(0, 20)) console.log(problem);
}
