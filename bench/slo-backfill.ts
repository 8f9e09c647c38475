/**
 * How long the past of a new SLO takes: 30 days of spans, counted day by day as the job does it, on empty embedded stores.
 * Wall time.
 *
 *   npx tsx bench/slo-backfill.ts [--spans 10000000]
 */
import { parseArgs } from 'node:util';
import { backfillDue } from '../packages/server/src/features/slos/slos/derive.ts';
import { create } from '../packages/server/src/features/slos/slos/service.ts';
import { readStatus } from '../packages/server/src/features/slos/slos/status.ts';
import { listByIds } from '../packages/server/src/features/slos/slos/store.ts';
import { startSloWorld } from '../packages/server/src/features/slos/testing/world.ts';
import { testOrigin } from '../packages/server/src/features/testing/control-plane.ts';

const { values } = parseArgs({ options: { spans: { type: 'string', default: '10000000' } } });
const spans = Number(values.spans);
const days = 30;
const dayMs = 86_400_000;

const world = await startSloWorld();
const ada = await world.plane.addTenant('ada');
const end = world.plane.clock.ms;
const perDay = Math.floor(spans / days);
for (let day = 1; day <= days; day++)
  await world.store.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, status, duration)
     SELECT ${ada.workspace.number}, ${ada.project.number}, 'production', 3650,
       fromUnixTimestamp64Milli(toInt64(${end - day * dayMs} + intDiv(number * ${dayMs}, ${perDay}))),
       concat('service-', toString(number % 10)), 'GET /cart', if(number % 100 = 0, 'error', 'ok'), 1000000
     FROM numbers(${perDay})`,
  );
const place = { workspace: ada.workspace, project: ada.project, environment: undefined };
const { id } = await create(world.dependencies, { ...ada, origin: testOrigin, signal: world.signal }, place, {
  name: 'bench',
  description: '',
  indicator: { kind: 'events', source: 'spans', good: 'status != error' },
  objective: 0.99,
  window: { kind: 'rolling', period: '30d' },
  burn_alerts: false,
  min_events: 1,
});
const began = performance.now();
await backfillDue(world.dependencies, world.run());
const seconds = (performance.now() - began) / 1000;
const [slo] = await listByIds(world.db, [id]);
if (slo === undefined) throw new Error('the SLO is gone');
const status = await readStatus(world.gateway.lane('interactive'), slo, end, world.signal);
console.log(JSON.stringify(status));
console.log(
  `${perDay * days} spans of ${days} days in ${seconds.toFixed(1)} s: ${Math.round((perDay * days) / seconds)} a second`,
);
await world.close();
