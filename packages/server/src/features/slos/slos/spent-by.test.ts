import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWhyService } from '../../telemetry/why/index.ts';
import { type Tenant, testOrigin } from '../../testing/control-plane.ts';
import { type SloWorld, startSloWorld } from '../testing/world.ts';
import { create } from './service.ts';
import { findSpentBy } from './spent-by.ts';

let world: SloWorld;
let ada: Tenant;
let eve: Tenant;
beforeAll(async () => {
  world = await startSloWorld();
  ada = await world.plane.addTenant('ada');
  eve = await world.plane.addTenant('eve');
});
afterAll(() => world?.close());

/** 16 bytes below 128, which are text in JSON too. */
const traceOf = (n: number) => n.toString(16).padStart(2, '0').repeat(16);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

async function evaluate(
  tenant: Tenant,
  rows: readonly { trace: number; variant: string; ms: number; flag?: string }[],
) {
  const lines = rows.map(({ trace, variant, ms, flag = 'pay' }) =>
    JSON.stringify({
      workspace: tenant.workspace.number,
      project: tenant.project.number,
      environment: 'production',
      retention_days: 3_650,
      time: new Date(ms).toISOString().replace('T', ' ').replace('Z', ''),
      flag,
      variant,
      reason: 'split',
      version: '1',
      trace_id: Buffer.from(traceOf(trace), 'hex').toString('latin1'),
      source: 'server',
      evaluations: 1,
    }),
  );
  await world.store.command(`INSERT INTO flag_events FORMAT JSONEachRow ${lines.join('\n')}`);
}

it('counts the events of each variant once, and what would be without it', async () => {
  const now = world.plane.clock.ms;
  const from = now - 3_600_000;
  const at = now - 600_000;
  const bad = new Set([1, 2, 3, 4, 11, 41]);
  await world.addSpans(ada, [
    ...range(1, 30).map((n) => ({ ms: at, trace: traceOf(n), failed: bad.has(n) })),
    // A trace that saw both variants counts for both, and once for the flag.
    { ms: at, trace: traceOf(41), failed: true },
    // Events that saw no flag: without a trace, and in a trace without evaluations.
    ...range(1, 9).map((n) => ({ ms: at, failed: n === 1 })),
    { ms: at, trace: traceOf(50) },
    // Other services and other times are not events of the SLO.
    { ms: at, trace: traceOf(1), service: 'other', failed: true },
    { ms: from - 1_000, trace: traceOf(60), failed: true },
  ]);
  await evaluate(ada, [
    ...range(1, 10).map((trace) => ({ trace, variant: 'on', ms: at })),
    // The same evaluation again, as a client and the server report it.
    ...range(1, 10).map((trace) => ({ trace, variant: 'on', ms: at + 1 })),
    // A flag may be evaluated before the events of its trace begin.
    ...range(11, 30).map((trace) => ({ trace, variant: 'off', ms: from - 5_000 })),
    { trace: 41, variant: 'on', ms: at },
    { trace: 41, variant: 'off', ms: at },
    { trace: 50, variant: '', ms: at },
    { trace: 1, variant: 'blue', ms: at, flag: 'color' },
  ]);
  await evaluate(eve, [{ trace: 50, variant: 'on', ms: at }]);

  const slo = await create(
    world.dependencies,
    { ...ada, origin: testOrigin, signal: world.signal },
    { workspace: ada.workspace, project: ada.project, environment: undefined },
    {
      name: 'slo',
      description: '',
      indicator: {
        kind: 'events',
        source: 'spans | where service.name == "checkout"',
        good: 'status != error // not a failure',
      },
      objective: 0.9,
      window: { kind: 'rolling', period: '7d' },
      burn_alerts: false,
      min_events: 1,
    },
  );
  const window = { fromNs: BigInt(from) * 1_000_000n, toNs: BigInt(now) * 1_000_000n };
  const why = createWhyService(world);
  const spent = await findSpentBy({ gateway: world.gateway, why, readable: undefined }, slo, window, world.signal);
  await why.stop();

  // 41 events, 7 of them bad; the objective allows 4.1. 31 saw the flag, 6 of them bad.
  expect(spent).toMatchObject({ error: null, good: 34, total: 41 });
  // Each trace once, and all events without a trace as one.
  expect(spent.why).toMatchObject({ verdict: 'no_cause', compared: { selected: 7, others: 26 } });
  const shown = spent.flags.map((flag) => ({
    ...flag,
    budget_spent: flag.budget_spent?.toFixed(6),
    attainment: flag.attainment?.toFixed(6),
    attainment_if_all: flag.attainment_if_all?.toFixed(6),
    attainment_without: flag.attainment_without?.toFixed(6),
  }));
  const digits = (value: number) => value.toFixed(6);
  expect(shown).toEqual([
    {
      flag: 'pay',
      variant: 'on',
      good: 6,
      total: 11,
      attainment: digits(6 / 11),
      budget_spent: digits(5 / 4.1),
      attainment_if_all: digits((9 + (31 * 6) / 11) / 41),
      attainment_without: digits((28 + (11 * 19) / 20) / 41),
    },
    {
      flag: 'pay',
      variant: 'off',
      good: 19,
      total: 21,
      attainment: digits(19 / 21),
      budget_spent: digits(2 / 4.1),
      attainment_if_all: digits((9 + (31 * 19) / 21) / 41),
      attainment_without: digits((15 + (21 * 6) / 10) / 41),
    },
    {
      flag: 'color',
      variant: 'blue',
      good: 0,
      total: 1,
      attainment: digits(0),
      budget_spent: digits(1 / 4.1),
      attainment_if_all: digits(34 / 41),
      attainment_without: undefined,
    },
  ]);
});
