import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { insertMinutes } from '../../slos/budget/index.ts';
import { startTestStore, type TestStore as TestTelemetry } from '../../telemetry/ingest/testing/store.ts';
import { type Tenant, testControlPlane } from '../../testing/control-plane.ts';
import { type Burn, createBurn } from './burn.ts';
import { Unanswerable } from './unanswerable.ts';

const minute = 60_000;
let control: TestStore;
let database: TestDatabase;
let telemetry: TestTelemetry;
let ada: Tenant;
/** A whole minute, an hour ago. */
const now = Math.floor(Date.now() / minute) * minute - 60 * minute;
beforeAll(async () => {
  control = await startTestPglite();
  database = await control.fresh();
  telemetry = await startTestStore();
  ada = await testControlPlane(database.db).addTenant('ada');
});
afterAll(async () => {
  await database?.close();
  await control?.close();
  await telemetry?.close();
});

const { signal } = new AbortController();

/** An SLO whose events of each of the last `minutes` minutes are the same, counted up to now. */
async function addSlo(minutes: number, good: number, total: number): Promise<Burn> {
  const id = newId();
  const scope = { workspace: ada.workspace.number, project: ada.project.number, environment: undefined };
  const at = new Date(now);
  await database.db
    .insertInto('slos')
    .values({
      id,
      workspace_id: ada.workspace.id,
      project_id: ada.project.id,
      environment: null,
      name: 'slo',
      definition: '{}',
      derived_to: at,
      last_error: null,
      backfill_from: at,
      backfill_to: at,
      backfill_at: at,
      backfill_error: null,
      created_by: null,
      created_at: at,
      updated_at: at,
    })
    .execute();
  const rows = Array.from({ length: minutes }, (_, i) => ({
    slo: { id, scope, revision: 1 },
    at: now / 1_000 - (i + 1) * 60,
    good,
    total,
  }));
  await insertMinutes(telemetry.store, rows, 1, signal);
  return {
    slo: id,
    revision: 1,
    severity: 'page',
    objective: 0.999,
    min_events: 10,
    step_seconds: 60,
    windows: [
      { long: '1h', short: '5m', factor: 14.4 },
      { long: '6h', short: '30m', factor: 6 },
    ],
  };
}

const burnsAt = async (burn: Burn, at: number) => {
  const evaluate = createBurn({ telemetry: testGateway(telemetry.store).lane('alert'), db: database.db });
  const scope = { workspace: ada.workspace.number, project: ada.project.number, environment: undefined };
  const samples = await evaluate(scope, burn, { slo: 'slo' }, at, signal);
  return samples.map(({ labels, holds, value }) => [
    labels.long_window,
    holds,
    value === null ? null : Math.round(value),
  ]);
};

describe('the burn rate of an SLO', () => {
  it('holds for the pairs of windows that both burn faster than their factor', async () => {
    expect(await burnsAt(await addSlo(400, 980, 1_000), now)).toEqual([
      ['1h', true, 20],
      ['6h', true, 20],
    ]);
    expect(await burnsAt(await addSlo(400, 990, 1_000), now)).toEqual([
      ['1h', false, 10],
      ['6h', true, 10],
    ]);
  });

  it('does not hold without traffic, or with few events', async () => {
    expect(await burnsAt(await addSlo(0, 0, 0), now)).toEqual([
      ['1h', false, null],
      ['6h', false, null],
    ]);
    expect((await burnsAt(await addSlo(400, 0, 1), now)).map(([, holds]) => holds)).toEqual([false, true]);
  });

  it('ends where events have been counted to, and fails if that is long ago', async () => {
    const burn = await addSlo(400, 980, 1_000);
    expect((await burnsAt(burn, now + 5 * minute))[0]).toEqual(['1h', true, 20]);
    await expect(burnsAt(burn, now + 7 * minute)).rejects.toBeInstanceOf(Unanswerable);
    await expect(burnsAt({ ...burn, slo: newId() }, now)).rejects.toBeInstanceOf(Unanswerable);
  });

  it('does not read what was counted for an indicator before', async () => {
    const burn = await addSlo(400, 980, 1_000);
    expect((await burnsAt({ ...burn, revision: 2 }, now)).map(([, holds]) => holds)).toEqual([false, false]);
  });
});
