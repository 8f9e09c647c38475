import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobRunner } from '../../../platform/jobs/index.ts';
import { startTestPostgres, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { testControlPlane } from '../../testing/control-plane.ts';
import { removeEverythingIn } from './index.ts';
import { type TelemetryPlace, telemetryRemovalJob } from './telemetry-job.ts';

describe('telemetry of a removed place', () => {
  let store: TestStore;
  let database: TestDatabase;
  beforeAll(async () => {
    store = await startTestPostgres();
    database = await store.fresh();
  });
  afterAll(() => store.close());

  it('is deleted within a day: minutes later, and again for what was still in a write-ahead log', async () => {
    const control = testControlPlane(database.db);
    const ada = await control.addTenant('ada');
    const removedAt = new Date(control.clock.ms);
    await database.db
      .transaction()
      .execute((trx) => removeEverythingIn(trx, { ...ada, environment: ada.production }, removedAt));
    const deleted: TelemetryPlace[] = [];
    let away = true;
    const runner = createJobRunner({
      ...control.dependencies,
      holder: 'a',
      random: () => 1,
      kinds: [
        telemetryRemovalJob(async (place) => {
          if (away) throw new Error('the telemetry store is away');
          deleted.push(place);
        }),
      ],
    });
    expect(await runner.runDue()).toBe(0);
    control.clock.ms += 5 * 60_000;
    expect(await runner.runDue()).toBe(1);
    away = false;
    control.clock.ms += 1_000;
    expect(await runner.runDue()).toBe(1);
    const place = { workspace: ada.workspace.number, project: ada.project.number, environment: 'production' };
    expect(deleted).toEqual([{ ...place, before: removedAt }]);
    control.clock.ms = removedAt.getTime() + 12 * 3_600_000;
    expect(await runner.runDue()).toBe(1);
    control.clock.ms += 365 * 24 * 3_600_000;
    expect(await runner.runDue()).toBe(0);
    expect(deleted).toHaveLength(2);
  });
});
