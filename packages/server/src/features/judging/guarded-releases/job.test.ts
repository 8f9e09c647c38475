import type { GuardedContrast } from '@fanion/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { JobRunner } from '../../../platform/jobs/index.ts';
import { createLog } from '../../../platform/log.ts';
import { connectDatabase, type Database, type DatabaseConnection } from '../../../platform/postgres/database.ts';
import { startTestPostgres, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { createChanges } from '../../flags/changes/index.ts';
import { type ChangeKind, loadRuleset, targetingChange } from '../../flags/flags/index.ts';
import { type Tenant, type TestControlPlane, testControlPlane, testOrigin } from '../../testing/control-plane.ts';
import type { ArmSums } from '../metrics/index.ts';
import { armChange } from './change.ts';
import type { ContrastFailing } from './failing.ts';
import { lookJobWith } from './job.ts';
import type { LookMeasure } from './look.ts';
import * as guarded from './service.ts';
import { lookMs } from './slots-rules.ts';
import { findRelease, listEvents } from './store.ts';

const log = createLog('silent');
const leaseMs = 60_000;
const hour = 3_600_000;

let store: TestStore;
let database: TestDatabase;
let other: DatabaseConnection;
let plane: TestControlPlane;
let tenant: Tenant;
beforeAll(async () => {
  store = await startTestPostgres();
  database = await store.fresh();
  other = connectDatabase(database.connection, { maxConnections: 5, timeoutMs: 20_000, onError: () => {} });
  plane = testControlPlane(database.db);
  tenant = await plane.addTenant('acme');
});
afterAll(async () => {
  await other?.close();
  await database?.close();
  await store?.close();
});

// What a test leaves armed would be looked at in every later one.
afterEach(async () => {
  await database.db
    .updateTable('guarded_releases')
    .set({ state: 'disarmed' })
    .where('state', 'in', ['armed', 'monitoring'])
    .execute();
});

const announce = async () => {};
const announced: string[] = [];
/** Written, but not sent before somebody wakes the notifications. */
const unsent: string[] = [];
const notifications = {
  tell: async (_trx: unknown, { summary }: { summary: string }) => void unsent.push(summary),
  wake: () => void announced.push(...unsent.splice(0)),
};

const failing: GuardedContrast = {
  metric: 'error_rate',
  failing: 'status == error',
  attributes: [{ field: 'name', value: 'GET /pay', failing: 1, others: 0.1 }],
};

async function submit<P, R>(kind: ChangeKind<P, R>, flag: string, payload: P): Promise<R> {
  const submitted = await createChanges({ ...plane.dependencies, announce }).submit({
    place: tenant,
    caller: tenant.caller,
    origin: testOrigin,
    action: 'test',
    kind,
    subject: { flag, environmentId: tenant.production.id },
    payload,
  });
  if (submitted.status !== 'applied') throw new Error('the change waits');
  return submitted.result;
}

const asked = (key: string) => ({
  place: tenant,
  environment: tenant.production,
  key,
  caller: tenant.caller,
  origin: testOrigin,
});
const steps = [
  { weight: 10_000, hold: '1h', min_units: 100 },
  { weight: 50_000, hold: '1h', min_units: 100 },
];

async function addFlag(key: string): Promise<void> {
  const variants = [
    { key: 'true', value: true },
    { key: 'false', value: false },
  ];
  const words = { name: key, description: '', kind: 'boolean', default_variant: 'true', off_variant: 'false' } as const;
  await database.db
    .insertInto('flags')
    .values({
      ...words,
      id: newId(),
      project_id: tenant.project.id,
      key,
      variants: JSON.stringify(variants),
      tags: [],
      temporary: false,
      metadata: '{}',
      client_visible: true,
      created_at: new Date(plane.clock.ms),
      created_by: tenant.caller.user.id,
      updated_at: new Date(plane.clock.ms),
    })
    .execute();
}

let flags = 0;
/** A flag with a guarded release that was armed now. */
async function armed(metric = 'error_rate', watch = '0s', planned = steps): Promise<string> {
  const key = `flag-${++flags}`;
  await addFlag(key);
  await submit(targetingChange, key, { enabled: true, fallthrough: { variant: 'false' } });
  const { version } = await guarded.put({ ...plane.dependencies, announce }, asked(key), undefined, {
    variant: 'true',
    steps: planned,
    guards: [{ metric, direction: 'down_is_good', tolerance: 0.01, min_units: 50, on_regression: 'rollback' }],
    bucket_by: null,
    when_unsure: 'hold',
    hold_at_most: '1d',
    watch,
    alpha: 0.05,
    channels: [],
  });
  await submit(armChange, key, { definition_version: version });
  return key;
}

const zeros = { p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0, quantile: null };
const arm = (variant: string, failed: number, n = 2_000): ArmSums => {
  const numbers = { x: failed, xx: failed, y: n, yy: n, xy: failed, active: n, events: failed, rows: n, skipped: 0 };
  return { variant, slice: '', n, ...numbers, ...zeros };
};
/** What telemetry says; `wait` holds a look up, as a pause of its replica would. */
function measuring(failed: number, wait: () => Promise<void> = async () => {}, n = 2_000): LookMeasure {
  return {
    async units() {
      await wait();
      return { arms: { true: 400, false: 400 }, crossed: 0, slices: [] };
    },
    all: async () => [{ sums: [arm('false', 0, n), arm('true', failed, n)] }],
  };
}
const storeAway: LookMeasure = {
  units: async () => {
    throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' });
  },
  all: async () => [],
};

const running: JobRunner[] = [];
function replica(db: Database, measure: LookMeasure, ask: ContrastFailing = async () => failing): JobRunner {
  const kinds = [lookJobWith(() => measure, { db, log, announce, notifications, contrast: ask })];
  const runner = new JobRunner({ db, clock: plane.clock, log, holder: 'test', kinds, leaseMs });
  running.push(runner);
  return runner;
}

async function stateOf(key: string) {
  const flag = await database.db.selectFrom('flags').select('id').where('key', '=', key).executeTakeFirstOrThrow();
  const release = await findRelease(database.db, flag.id, tenant.production.id);
  if (release === undefined) throw new Error('no release');
  const events = await listEvents(database.db, release.id, { decisions: true, after: undefined, limit: 50 });
  const ruleset = await loadRuleset(database.db, tenant.production.id);
  return {
    release,
    events: events.map(({ kind }) => kind).toReversed(),
    fallthrough: ruleset?.ruleset.flags[key]?.fallthrough,
  };
}

describe('a guarded release', () => {
  it('takes each step after its time, and serves everybody at its end', async () => {
    const key = await armed();
    const runner = replica(database.db, measuring(0));
    expect((await stateOf(key)).fallthrough).toMatchObject({
      rollout: {
        tracked: true,
        weights: [{ variant: 'true', weight: 10_000 }, { untracked: true }, { weight: 10_000 }, {}],
      },
    });
    plane.clock.ms += lookMs;
    await runner.runDue();
    expect((await stateOf(key)).release).toMatchObject({ state: 'monitoring', step: 0, looks: 1 });
    plane.clock.ms += hour;
    await runner.runDue();
    expect((await stateOf(key)).release).toMatchObject({ step: 1, looks: 2 });
    plane.clock.ms += hour;
    await runner.runDue();
    const { release, events, fallthrough } = await stateOf(key);
    expect(release).toMatchObject({ state: 'completed' });
    expect(events).toEqual(['armed', 'step', 'completed']);
    expect(fallthrough).toEqual({ variant: 'true' });
    plane.clock.ms += hour;
    await runner.runDue();
    expect((await stateOf(key)).release.looks).toBe(3);
  });

  it('compares a step above a half with the rest of everybody, by the same ratio in each step', async () => {
    const key = await armed('error_rate', '0s', [
      { weight: 10_000, hold: '1h', min_units: 50 },
      { weight: 80_000, hold: '1h', min_units: 50 },
    ]);
    const quarter: LookMeasure = {
      units: async () => ({ arms: { true: 400, false: 100 }, crossed: 0, slices: [] }),
      all: async () => [{ sums: [arm('false', 0, 500), arm('true', 0)] }],
    };
    const runner = replica(database.db, quarter);
    const weightsNow = async () => (await stateOf(key)).fallthrough;
    expect(await weightsNow()).toMatchObject({
      rollout: {
        weights: [{ weight: 10_000 }, { weight: 70_000, untracked: true }, { weight: 2_500 }, { untracked: true }],
      },
    });
    plane.clock.ms += hour;
    await runner.runDue();
    const { release } = await stateOf(key);
    expect(release).toMatchObject({
      step: 1,
      last_look: { sample_ratio: { ok: true, expected: { true: 400, false: 100 } } },
    });
    expect(await weightsNow()).toMatchObject({
      rollout: {
        weights: [
          { variant: 'true', weight: 80_000 },
          { variant: 'false', weight: 20_000 },
        ],
      },
    });
  });

  it('watches the variant that everybody gets, and rolls back then too', async () => {
    const asked = new Map<string, number>();
    const noting = (failed: number, units = 2_000): LookMeasure => ({
      async units(exposed, signal) {
        asked.set(exposed.flag, exposed.fromMs);
        return measuring(failed).units(exposed, signal);
      },
      all: async () => [{ sums: [arm('false', 0, 0), arm('true', failed, units)] }],
    });
    const watched = async () => {
      const key = await armed('error_rate', '1d');
      for (const ms of [lookMs, hour, hour]) {
        plane.clock.ms += ms;
        await replica(database.db, measuring(0)).runDue();
      }
      const { release, events, fallthrough } = await stateOf(key);
      expect(release).toMatchObject({
        state: 'monitoring',
        step: 1,
        frozen: { baseline: [{ variant: 'false', n: 2_000 }] },
      });
      expect(events).toEqual(['armed', 'step', 'watch']);
      expect(fallthrough).toMatchObject({
        rollout: { tracked: true, weights: [{ variant: 'true', weight: 100_000 }] },
      });
      return key;
    };
    const harmless = await watched();
    const since = (await stateOf(harmless)).release.watched_since?.getTime() ?? 0;
    plane.clock.ms += hour;
    await replica(database.db, noting(0)).runDue();
    expect(asked.get(harmless)).toBe(since);
    expect((await stateOf(harmless)).release).toMatchObject({
      state: 'monitoring',
      last_look: { compared_with: 'control_before', guards: [{ tolerance: 0.02, control: { n: 2_000 } }] },
    });
    plane.clock.ms += 23 * hour;
    await replica(database.db, noting(0)).runDue();
    expect(asked.get(harmless)).toBe(since + 18 * hour);
    const done = await stateOf(harmless);
    expect([done.release.state, done.fallthrough]).toEqual(['completed', { variant: 'true' }]);
    expect(done.release.ended_reason).toMatch(/no guard has found harm against the control before 100 %\.$/);

    const harmful = await watched();
    plane.clock.ms += lookMs;
    await Promise.all([replica(database.db, noting(200)).runDue(), replica(other.db, noting(200)).runDue()]);
    const ended = await stateOf(harmful);
    expect(ended.events).toEqual(['armed', 'step', 'watch', 'rolled_back']);
    expect([ended.release.state, ended.fallthrough]).toEqual(['rolled_back', { variant: 'false' }]);
    expect(ended.release.ended_reason).toMatch(/of the control before 100 %/);
  });

  it('does not compare what adds up over time with the control of the steps', async () => {
    const key = await armed('requests', '1d');
    const at = plane.clock.ms;
    await database.db
      .updateTable('guarded_releases')
      .set({ watched_since: new Date(at), state: 'monitoring' })
      .where('id', '=', (await stateOf(key)).release.id)
      .execute();
    const { release } = await stateOf(key);
    const user = {
      ...release.frozen?.metrics[0],
      definition: { ...release.frozen?.metrics[0]?.definition, unit: 'user.id' },
    };
    const frozen = { ...release.frozen, metrics: [user], baseline: [arm('false', 0)] };
    await database.db
      .updateTable('guarded_releases')
      .set({ frozen: JSON.stringify(frozen) })
      .where('id', '=', release.id)
      .execute();
    plane.clock.ms += lookMs;
    await replica(database.db, measuring(2_000)).runDue();
    expect((await stateOf(key)).release).toMatchObject({
      state: 'monitoring',
      last_look: { guards: [{ verdict: 'not_sure', error: expect.stringMatching(/adds up over time/) }] },
    });
  });

  it('holds while a guard is not sure, tells people once, asks them after a day, and goes on when somebody says so', async () => {
    const key = await armed();
    announced.length = 0;
    const told = () => announced.filter((text) => text.includes(` ${key} `));
    const runner = replica(database.db, measuring(8, undefined, 200));
    const look = async (ms: number) => {
      plane.clock.ms += ms;
      await runner.runDue();
      return (await stateOf(key)).release;
    };
    expect((await look(hour + lookMs)).unsure_since).not.toBeNull();
    expect(await look(hour)).toMatchObject({ step: 0, asked_at: null });
    expect(told()).toEqual([`The guarded release of ${key} in production is held.`]);
    expect((await look(24 * hour)).asked_at).not.toBeNull();
    await look(hour);
    expect(told().slice(1)).toEqual([
      `The guarded release of ${key} in production is held for 1d and needs a decision.`,
    ]);
    const { release } = await stateOf(key);
    await submit(armChange, key, { definition_version: release.version });
    expect(await look(hour)).toMatchObject({ step: 1, unsure_since: null, asked_at: null });
    // It holds again in the step after that.
    expect(await look(2 * hour)).toMatchObject({ step: 1, state: 'monitoring' });
    expect((await stateOf(key)).events).toEqual(['armed', 'continued', 'step']);
  });

  it('keeps with its rollback what the failing rows have in common, and rolls back if that cannot be asked', async () => {
    const contrasts = async (key: string) => {
      const { release } = await stateOf(key);
      const [last] = await listEvents(database.db, release.id, { decisions: true, after: undefined, limit: 1 });
      return [last?.kind, last?.contrast];
    };
    const key = await armed();
    plane.clock.ms += lookMs;
    await replica(database.db, measuring(200)).runDue();
    expect(await contrasts(key)).toEqual(['rolled_back', failing]);
    const blind = await armed();
    plane.clock.ms += lookMs;
    const down = async () => {
      throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' });
    };
    await replica(database.db, measuring(200), down).runDue();
    expect(await contrasts(blind)).toEqual(['rolled_back', null]);
  });

  it('tells people once of each thing that holds a step', async () => {
    const key = await armed();
    announced.length = 0;
    const told = () => announced.filter((text) => text.includes(` ${key} `));
    const few: LookMeasure = {
      units: async () => ({ arms: { true: 40, false: 40 }, crossed: 0, slices: [] }),
      all: measuring(0).all,
    };
    plane.clock.ms += lookMs;
    await replica(database.db, few).runDue();
    expect(told()).toEqual([]);
    for (const ms of [hour, lookMs, lookMs]) {
      plane.clock.ms += ms;
      await replica(database.db, few).runDue();
    }
    expect(told()).toEqual([`The guarded release of ${key} in production is held.`]);
    for (const ms of [2 * lookMs, 2 * lookMs]) {
      plane.clock.ms += ms;
      await replica(database.db, storeAway).runDue();
    }
    expect(told()).toHaveLength(2);
    expect((await stateOf(key)).release.told_holds).toEqual(['units', 'unmeasured']);
    plane.clock.ms += hour;
    await replica(database.db, measuring(0)).runDue();
    expect((await stateOf(key)).release).toMatchObject({ step: 1, told_holds: [] });
  });

  it('holds while telemetry cannot be read, and continues later', async () => {
    const key = await armed();
    plane.clock.ms += 2 * hour;
    await replica(database.db, storeAway).runDue();
    const held = await stateOf(key);
    expect(held.release).toMatchObject({ state: 'armed', step: 0, looks: 1, last_look: null });
    const [last] = await listEvents(database.db, held.release.id, { decisions: false, after: undefined, limit: 1 });
    expect([last?.kind, last?.reason]).toEqual(['hold', expect.stringMatching(/Nothing could be measured/)]);
    plane.clock.ms += lookMs;
    await replica(database.db, measuring(0)).runDue();
    expect((await stateOf(key)).release).toMatchObject({ step: 1 });
  });

  it('holds while the traces that saw the flag have no request, although nothing fails in them', async () => {
    const key = await armed('exceptions');
    plane.clock.ms += 2 * hour;
    const seeing = (requests: number): LookMeasure => ({
      units: measuring(0).units,
      all: async (_exposed, [definition]) => {
        const rows = definition?.source.startsWith('events') ? 0 : requests;
        const sums = ['false', 'true'].map((variant) => ({ ...arm(variant, 0), y: 0, yy: 0, active: rows, rows }));
        return [{ sums }];
      },
    });
    await replica(database.db, seeing(0)).runDue();
    const { release } = await stateOf(key);
    expect(release).toMatchObject({ step: 0, looks: 1 });
    const [last] = await listEvents(database.db, release.id, { decisions: false, after: undefined, limit: 1 });
    expect([last?.kind, last?.reason]).toEqual(['hold', expect.stringMatching(/have no request yet/)]);
    plane.clock.ms += lookMs;
    await replica(database.db, seeing(400)).runDue();
    expect((await stateOf(key)).release).toMatchObject({ step: 1 });
  });

  it('does not undo what a person changes during a look', async () => {
    const key = await armed();
    plane.clock.ms += lookMs;
    const { units, all } = measuring(200);
    const edited: LookMeasure = {
      all,
      async units(exposed, signal) {
        if (exposed.flag === key) await submit(targetingChange, key, { fallthrough: { variant: 'true' } });
        return units(exposed, signal);
      },
    };
    await replica(database.db, edited).runDue();
    const { release, events, fallthrough } = await stateOf(key);
    expect(release).toMatchObject({ state: 'disarmed', looks: 0 });
    expect(events).toEqual(['armed', 'disarmed']);
    expect(fallthrough).toEqual({ variant: 'true' });
  });

  it('looks no more when its environment was removed', async () => {
    const key = await armed();
    const mark = (deleted_at: Date | null) =>
      database.db.updateTable('environments').set({ deleted_at }).where('id', '=', tenant.production.id).execute();
    plane.clock.ms += lookMs;
    await mark(new Date(plane.clock.ms));
    try {
      const looked: string[] = [];
      const { units, all } = measuring(0);
      const noting: LookMeasure = {
        all,
        units: (exposed, signal) => {
          looked.push(exposed.flag);
          return units(exposed, signal);
        },
      };
      await replica(database.db, noting).runDue();
      expect(looked).not.toContain(key);
    } finally {
      await mark(null);
    }
    expect((await stateOf(key)).release).toMatchObject({ state: 'armed', looks: 0 });
  });

  it('ends when a person edits the targeting, and looks no more', async () => {
    const key = await armed();
    await submit(targetingChange, key, { targets: [{ variant: 'true', values: ['ada'] }] });
    const { release, events, fallthrough } = await stateOf(key);
    expect(release).toMatchObject({ state: 'disarmed', ended_reason: 'Tester edited the targeting.' });
    expect(events).toEqual(['armed', 'disarmed']);
    expect(fallthrough).toEqual({ variant: 'false' });
    plane.clock.ms += lookMs;
    await replica(database.db, measuring(400)).runDue();
    expect((await stateOf(key)).release).toMatchObject({ state: 'disarmed', looks: 0 });
  });

  it('rolls back once and never loses it, however replicas are paused and killed around the decision', {
    timeout: 600_000,
  }, async () => {
    const rounds = 100;
    let random = 7;
    const next = (n: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % n;
    };
    for (let round = 0; round < rounds; round++) {
      const key = await armed();
      announced.length = 0;
      plane.clock.ms += lookMs;
      let resume = () => {};
      const paused = new Promise<void>((resolve) => {
        resume = resolve;
      });
      let claimed = () => {};
      const isClaimed = new Promise<void>((resolve) => {
        claimed = resolve;
      });
      const slow = replica(
        other.db,
        measuring(200, () => {
          claimed();
          return paused;
        }),
      );
      const fast = replica(database.db, measuring(200));
      const first = slow.runDue();
      await isClaimed;
      const how = next(3);
      // The leader wakes up before its lease is over, after another one took over, or both write at the same moment.
      if (how === 0) resume();
      plane.clock.ms += leaseMs + 1;
      const second = fast.runDue();
      if (how === 1) await second;
      resume();
      await Promise.all([first, second]);
      const { release, events, fallthrough } = await stateOf(key);
      expect([round, release.state, events]).toEqual([round, 'rolled_back', ['armed', 'rolled_back']]);
      expect(fallthrough).toEqual({ variant: 'false' });
      expect(announced).toEqual([`The guarded release of ${key} in production was rolled back.`]);
      const audited = await database.db
        .selectFrom('audit_entries')
        .select('after')
        .where('action', '=', 'guarded_releases.rollback')
        .where('resource_name', '=', key)
        .execute();
      expect(audited).toMatchObject([{ after: { state: 'rolled_back', verdicts: { error_rate: 'harm' } } }]);
      await Promise.all(running.splice(0).map((runner) => runner.stop()));
    }
  });
});
