import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { type JobKind, JobRunner } from '../../../platform/jobs/index.ts';
import { createLog } from '../../../platform/log.ts';
import { connectDatabase, type DatabaseConnection } from '../../../platform/postgres/database.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import { flagManagement } from '../../testing/flag-management.ts';
import {
  type ChangeKind,
  type FlagRow,
  loadRuleset,
  prerequisitesChange,
  type Subject,
  targetingChange,
} from '../flags/index.ts';
import { rampChange } from '../ramps/index.ts';
import { createChanges } from './index.ts';

const leaseMs = 60_000;
const minute = 60_000;

describe.each(testStores)('writers at the same time on %s', (_name, start) => {
  let store: TestStore;
  let database: TestDatabase;
  let other: DatabaseConnection;
  let plane: TestControlPlane;
  let tenant: Tenant;
  const runners: JobRunner[] = [];

  beforeAll(async () => {
    store = await start();
  });
  afterAll(() => store?.close());
  beforeEach(async () => {
    database = await store.fresh();
    other = connectDatabase(database.connection, { maxConnections: 5, timeoutMs: 20_000, onError: () => {} });
    plane = testControlPlane(database.db);
    tenant = await plane.addTenant('acme');
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    await other.close();
    await database.close();
  });

  const announce = async () => {};
  const submit = <P, R>(kind: ChangeKind<P, R>, subject: Subject, payload: P, version?: number) =>
    createChanges({ ...plane.dependencies, announce }).submit({
      place: tenant,
      caller: tenant.caller,
      origin: testOrigin,
      action: 'test',
      kind,
      subject,
      payload,
      version,
    });
  const at = (flag: string): Subject => ({ flag, environmentId: tenant.production.id });
  const on = { enabled: true, fallthrough: { variant: 'false' } };

  async function addFlag(key: string): Promise<FlagRow> {
    const variants = [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ];
    return database.db
      .insertInto('flags')
      .values({
        id: newId(),
        project_id: tenant.project.id,
        key,
        name: key,
        description: '',
        kind: 'boolean',
        variants: JSON.stringify(variants),
        default_variant: 'true',
        off_variant: 'false',
        tags: [],
        temporary: true,
        created_by: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }
  const outcomes = async (writes: Promise<unknown>[]) =>
    (await Promise.allSettled(writes)).map((result) =>
      result.status === 'fulfilled'
        ? 'written'
        : result.reason instanceof Failure
          ? result.reason.error
          : result.reason,
    );

  it('writes one of twenty updates to a version, and counts it once in the rulesets', async () => {
    await addFlag('f');
    const writes = Array.from({ length: 20 }, () => submit(targetingChange, at('f'), on, 0));
    const results = await outcomes(writes);
    expect(results.filter((result) => result === 'written')).toHaveLength(1);
    expect(results.filter((result) => result === 'STALE_VERSION')).toHaveLength(19);
    const loaded = await loadRuleset(database.db, tenant.production.id);
    expect(loaded?.ruleset).toMatchObject({ version: 1, flags: { f: { version: 2 } } });
    expect(await plane.audited(tenant.workspace.id)).toEqual(expect.arrayContaining(['test']));
    const entries = await database.db.selectFrom('flag_history').select('version').execute();
    expect(entries).toEqual([{ version: 1 }]);
  });

  it('serializes writes without a version: loses none and counts none twice', async () => {
    await addFlag('f');
    await addFlag('g');
    // Each differs: what changes nothing is not written.
    const served = (i: number) => ({ ...on, targets: [{ variant: 'true', values: [`unit-${i}`] }] });
    await outcomes(Array.from({ length: 20 }, (_, i) => submit(targetingChange, at(i % 2 ? 'f' : 'g'), served(i))));
    const loaded = await loadRuleset(database.db, tenant.production.id);
    expect(loaded?.ruleset).toMatchObject({ version: 20, flags: { f: { version: 11 }, g: { version: 11 } } });
  });

  it('never allows a cycle of prerequisites in a race', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await addFlag(key);
    const writes = keys.map((key, i) =>
      submit(
        prerequisitesChange,
        { flag: key },
        {
          prerequisites: [{ flag: keys[(i + 1) % keys.length] ?? '', variants: ['true'] }],
        },
      ),
    );
    expect((await outcomes(writes)).sort()).toEqual(['PREREQUISITE_CYCLE', 'written', 'written', 'written']);
  });

  it('takes each ramp step once over two replicas, one of which pauses around each step', async () => {
    const rounds = 100;
    await addFlag('f');
    await submit(targetingChange, at('f'), on);
    const steps = Array.from({ length: rounds }, (_, i) => ({ weight: (i + 1) * 1_000, hold: '1m' }));
    await submit(rampChange, at('f'), { variant: 'true', steps });

    const management = (db: TestDatabase['db']) => flagManagement({ ...plane.dependencies, db }).jobs;
    /** Stops after the claim, like a paused process. */
    let paused = Promise.resolve();
    const pausing = (kind: JobKind): JobKind => ({
      ...kind,
      async run(run) {
        await paused;
        return kind.run(run);
      },
    });
    const replica = (holder: string, db: TestDatabase['db'], kinds: JobKind[]) => {
      const runner = new JobRunner({ db, clock: plane.clock, log: createLog('silent'), holder, kinds, leaseMs });
      runners.push(runner);
      return runner;
    };
    const a = replica('a', database.db, management(database.db).map(pausing));
    const b = replica('b', other.db, management(other.db));
    const ramp = () => database.db.selectFrom('flag_ramps').selectAll().executeTakeFirstOrThrow();
    const versionOf = async () => (await loadRuleset(database.db, tenant.production.id))?.ruleset.version;
    const before = (await versionOf()) ?? 0;

    for (let round = 1; round < rounds; round++) {
      let resume = () => {};
      paused = new Promise((resolve) => {
        resume = resolve;
      });
      plane.clock.ms += minute;
      const first = a.runDue();
      // `a` is paused after it has claimed the step, and its lease expires meanwhile.
      while ((await database.db.selectFrom('jobs').select('holder').where('holder', '=', 'a').execute()).length === 0);
      plane.clock.ms += leaseMs;
      if (round % 3 === 0) resume();
      const second = b.runDue();
      if (round % 3 === 1) resume();
      await second;
      resume();
      await first;
      expect((await ramp()).step).toBe(round);
    }
    expect(await versionOf()).toBe(before + rounds - 1);
    const history = await database.db.selectFrom('flag_history').select('comment').where('kind', '=', 'ramp').execute();
    expect(new Set(history.map(({ comment }) => comment)).size).toBe(rounds);
    expect(history).toHaveLength(rounds);

    plane.clock.ms += minute;
    paused = Promise.resolve();
    await Promise.all([a.runDue(), b.runDue()]);
    expect(await ramp()).toMatchObject({ status: 'completed', step: rounds - 1 });
    const loaded = await loadRuleset(database.db, tenant.production.id);
    expect(loaded?.ruleset.flags.f?.fallthrough).toEqual({ variant: 'true' });
    expect(await database.db.selectFrom('jobs').select('name').execute()).toEqual([]);
  }, 120_000);
});
