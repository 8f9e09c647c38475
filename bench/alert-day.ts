/**
 * A simulated day of alerts beside a model of Prometheus over the same samples, with the real runner on PGlite: how much later alerts fire and
 * resolve, and which only one of them has. `packages/server/src/features/alerting/alert-rules/testing/day.ts` describes that day.
 *
 *     npx tsx bench/alert-day.ts [--hours 24] [--seed 1] [--restarts 4]
 */
import { parseArgs } from 'node:util';
import { simulateDay } from '../packages/server/src/features/alerting/alert-rules/testing/day.ts';
import { startTestPglite } from '../packages/server/src/testing/test-database.ts';

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    restarts: { type: 'string', default: '4' },
  },
});
const [hours, seed, restarts] = [Number(values.hours), Number(values.seed), Number(values.restarts)];
const store = await startTestPglite();
const database = await store.fresh();
const began = performance.now();
const { evaluations, firing, resolved, differences } = await simulateDay(database.db, { hours, seed, restarts });
console.log(
  `${hours} h in ${Math.round((performance.now() - began) / 1_000)} s, ${evaluations} evaluations, ${restarts} restarts`,
);
for (const [name, { compared, median, worst, missed, wrong }] of Object.entries({ firing, resolved }))
  console.log(
    `${name}: ${compared} compared, later than Prometheus by ${median.toFixed(2)} s (median), ${worst.toFixed(2)} s (worst); missed ${missed}, wrong ${wrong}`,
  );
for (const difference of differences) console.log(difference);
await database.close();
await store.close();
process.exit();
