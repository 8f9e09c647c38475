import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JobRunner } from '../../../platform/jobs/index.ts';
import type { StoredTo } from '../../../platform/replicas/index.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, testControlPlane } from '../../testing/control-plane.ts';
import { removeEverythingIn } from './index.ts';
import { findRemoval } from './removals-store.ts';
import { telemetryRemovalJob } from './telemetry-job.ts';
import { inGroups, type TelemetryPlace } from './telemetry-rules.ts';
import type { Left } from './telemetry-store.ts';

const minute = 60_000;
const hour = 60 * minute;
const tables = ['spans', 'logs', 'points'].map((name) => ({ name, isBefore: () => '' }));

describe.each(testStores)('telemetry of a removed place, on %s', (_name, startStore) => {
  let store: TestStore;
  let database: TestDatabase;
  let control: ReturnType<typeof testControlPlane>;
  let ada: Tenant;
  let asked: { table: string; place: TelemetryPlace }[];
  let answer: (table: string) => Left;
  let stored: StoredTo;
  let runner: JobRunner;
  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    database = await store.fresh();
    control = testControlPlane(database.db);
    ada = await control.addTenant('ada');
    asked = [];
    answer = () => ({ state: 'nothing' });
    stored = { running: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };
    runner = restarted();
  });

  const restarted = () =>
    new JobRunner({
      ...control.dependencies,
      holder: 'a',
      random: () => 1,
      kinds: [
        telemetryRemovalJob({
          ...{ db: database.db, tables, storedTo: async () => stored },
          async deleteTelemetry({ name: table }, place) {
            asked.push({ table, place });
            return answer(table);
          },
        }),
      ],
    });
  const remove = (environment?: Tenant['production']) =>
    database.db
      .transaction()
      .execute((trx) =>
        removeEverythingIn(trx, { ...ada, ...(environment && { environment }) }, new Date(control.clock.ms)),
      );
  const found = () => findRemoval(database.db, ada.project.id);
  const tablesAsked = () => asked.splice(0).map(({ table }) => table);

  it('is deleted at once, again when all that was accepted is stored, and once more half a day later', async () => {
    const removedAt = control.clock.ms;
    await remove(ada.production);
    expect(await runner.runDue()).toBe(1);
    const place = { workspace: ada.workspace.number, project: ada.project.number, environment: 'production' };
    expect(asked[0]?.place).toEqual({ ...place, removal: ada.production.id, before: new Date(removedAt) });
    expect(tablesAsked()).toEqual(['spans', 'logs', 'points']);
    const row = () => findRemoval(database.db, ada.production.id);
    expect(await row()).toMatchObject({ swept: true, finished_at: null });

    control.clock.ms = removedAt + 5 * minute;
    stored = { running: removedAt, all: removedAt };
    await runner.runDue();
    expect(tablesAsked()).toEqual([]);
    stored = { running: control.clock.ms, all: removedAt };
    control.clock.ms += minute;
    await runner.runDue();
    expect(tablesAsked()).toHaveLength(3);
    expect((await row())?.finished_at).toEqual(new Date(control.clock.ms));

    control.clock.ms = removedAt + 12 * hour;
    await runner.runDue();
    expect(tablesAsked()).toEqual([]);
    stored = { running: control.clock.ms, all: control.clock.ms };
    control.clock.ms += minute;
    await runner.runDue();
    expect(tablesAsked()).toHaveLength(3);
    expect(await row()).toBeUndefined();
    control.clock.ms += 365 * 24 * hour;
    expect(await runner.runDue()).toBe(0);
  });

  it('continues with the table at which a server stopped', async () => {
    await remove();
    answer = (table) => (table === 'logs' ? { state: 'deleting', parts: 7 } : { state: 'nothing' });
    await runner.runDue();
    expect(tablesAsked()).toEqual(['spans', 'logs']);
    expect(await found()).toMatchObject({ next_table: 1, parts_left: 7, swept: false });
    runner = restarted();
    control.clock.ms += 1_000;
    await runner.runDue();
    expect(tablesAsked()).toEqual(['logs']);
    answer = () => ({ state: 'nothing' });
    control.clock.ms += 1_000;
    await runner.runDue();
    expect(tablesAsked()).toEqual(['logs', 'points']);
    expect(await found()).toMatchObject({ swept: true, parts_left: null });
  });

  it('waits by itself when the store fails, and says why', async () => {
    await remove();
    answer = () => ({ state: 'failed', reason: 'no room' });
    const eve = await control.addTenant('eve');
    await database.db.transaction().execute((trx) => removeEverythingIn(trx, { ...eve }, new Date(control.clock.ms)));
    expect(await runner.runDue()).toBe(2);
    const job = await database.db
      .selectFrom('jobs')
      .select('last_error')
      .where('name', '=', `telemetry.remove:${ada.project.id}`)
      .executeTakeFirstOrThrow();
    expect(job.last_error).toBe('spans: no room');
    answer = () => ({ state: 'nothing' });
    control.clock.ms += 1_000;
    expect(await runner.runDue()).toBe(2);
    expect(await found()).toMatchObject({ swept: true });
  });
});

describe('groups of partitions', () => {
  const of = (...rows: number[]) => rows.map((count) => ({ rows: count }));
  it('hold as many as fit, and one at least', () => {
    expect(inGroups(of(1, 1, 1, 1, 1), { partitions: 2, rows: 9 }).map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(inGroups(of(5, 5, 20, 1, 1), { partitions: 9, rows: 10 }).map(({ length }) => length)).toEqual([2, 1, 2]);
    expect(inGroups([], { partitions: 9, rows: 10 })).toEqual([]);
  });
});
