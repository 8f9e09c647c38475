import type { AlertDefinition } from '@fanion/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { promptArrivals } from '../../../platform/arrivals/testing/prompt-arrivals.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { type TestDatabase, type TestStore, testStores } from '../../../testing/test-database.ts';
import { type Tenant, type TestControlPlane, testControlPlane } from '../../testing/control-plane.ts';
import { perSecond } from './definition-rules.ts';
import { type Evaluate, Unanswerable } from './evaluate.ts';
import { listInstances, listTransitions } from './instances-store.ts';
import { AlertRunner } from './runner.ts';
import { identityOf } from './sample-rules.ts';
import { shardOf } from './spread.ts';
import * as store from './store.ts';

const second = 1_000;
const definition: AlertDefinition = {
  kind: 'threshold',
  condition: { op: '>', threshold: 5, for: '0s', keep_firing_for: '0s' },
  change: null,
  every: '10s',
  offset: '0s',
  window: '1m',
  labels: {},
  annotations: {},
  runbook_url: null,
  no_data: 'ok',
  missing_series: 'resolve',
  on_error: 'keep',
};

describe.each(testStores)('the alert runner on %s', (_name, startStore) => {
  let testStore: TestStore;
  let database: TestDatabase;
  let plane: TestControlPlane;
  let ada: Tenant;
  const runners: AlertRunner[] = [];
  /** What the query of a rule answers now, by series; an error is thrown. */
  let answer: Readonly<Record<string, number>> | Error;
  /** The times that were asked about. */
  let asked: number[];
  /** Up to when the rows are stored, by servers that run and by all. */
  let stored: { running: number; all: number };
  /** How late telemetry arrives. */
  let lateMs: number;
  let isClockTrusted: boolean;

  const evaluate: Evaluate = async (rule, at) => {
    asked.push(at);
    if (answer instanceof Error) throw answer;
    const { threshold = 0 } = rule.definition.condition;
    return {
      samples: Object.entries(answer).map(([name, value]) => ({
        identity: identityOf({ name }),
        labels: { name },
        value,
        holds: value > threshold,
      })),
      cost: { queries: 1, rowsRead: 1, bytesRead: 1 },
      completeness: [],
    };
  };

  beforeAll(async () => {
    testStore = await startStore();
  });
  afterAll(() => testStore?.close());
  beforeEach(async () => {
    database = await testStore.fresh();
    plane = testControlPlane(database.db);
    ada = await plane.addTenant('ada');
    answer = {};
    asked = [];
    stored = { running: Infinity, all: Infinity };
    lateMs = 100;
    isClockTrusted = true;
  });
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop();
    await database.close();
  });

  function runner(holder = 'one', evaluateWith = evaluate): AlertRunner {
    const { db } = database;
    const made = new AlertRunner({
      db,
      clock: plane.clock,
      log: createLog('silent'),
      holder,
      evaluate: evaluateWith,
      notifications: { fired: async () => {}, wake: () => {} },
      arrivals: { ...promptArrivals, lateMs: () => lateMs, storedTo: () => stored },
      isClockTrusted: () => isClockTrusted,
    });
    runners.push(made);
    return made;
  }

  async function addRule(
    changes: Partial<AlertDefinition> = {},
    query = 'spans | stats value=count() by name',
  ): Promise<string> {
    const id = newId(plane.clock.ms);
    await store.insertRule(database.db, {
      id,
      workspace_id: ada.workspace.id,
      project_id: ada.project.id,
      environment: null,
      shard: shardOf(id),
      name: 'rule',
      query,
      definition: { ...definition, ...changes },
      enabled: true,
      created_by: ada.caller.user.id,
      created_at: new Date(plane.clock.ms),
    });
    await store.bumpShard(database.db, shardOf(id));
    return id;
  }

  async function states(): Promise<Record<string, string>> {
    const filter = { ruleId: undefined, state: undefined, label: undefined, resolvedAfter: new Date(0) };
    const rows = await listInstances(database.db, ada.workspace.id, filter, { after: undefined, limit: 100 });
    return Object.fromEntries(rows.map(({ labels, state }) => [labels.name ?? 'rule', state]));
  }

  /** Lets so many slots of ten seconds pass, and runs what is due in each. */
  async function pass(slots: number, ...by: readonly AlertRunner[]): Promise<void> {
    for (let i = 0; i < slots; i++) {
      plane.clock.ms += 10 * second;
      for (const one of by) await one.runDue();
    }
  }

  it('fires and resolves an instance, and keeps its timeline', async () => {
    const one = runner();
    await addRule();
    await one.runDue();
    answer = { a: 9, b: 1 };
    await pass(2, one);
    expect(await states()).toEqual({ a: 'firing' });
    answer = { a: 2, b: 1 };
    await pass(1, one);
    expect(await states()).toEqual({ a: 'resolved' });
    const [row] = await database.db
      .selectFrom('alert_instances')
      .select('id')
      .where('state', '=', 'resolved')
      .execute();
    const timeline = await listTransitions(database.db, row?.id ?? '', 10);
    expect(timeline.map(({ from_state, to_state, value }) => [from_state, to_state, value])).toEqual([
      ['firing', 'resolved', 2],
      ['inactive', 'firing', 9],
    ]);
  });

  it('asks once in each slot, at the slot less the offset', async () => {
    const one = runner();
    await addRule({ offset: '30s' });
    await one.runDue();
    await pass(3, one, one);
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map((at) => at % (10 * second))).size).toBe(1);
    expect(plane.clock.ms - (asked[2] ?? 0)).toBeGreaterThanOrEqual(30 * second);
  });

  it('asks at the slot less the time that telemetry takes to arrive, where the rule has no offset', async () => {
    const one = runner();
    await addRule({ offset: null });
    await one.runDue();
    await pass(2, one);
    lateMs = 5_000;
    await pass(2, one);
    const [first = 0, second_ = 0, third = 0, fourth = 0] = asked;
    expect([second_ - first, third - second_, fourth - third]).toEqual([10_000, 6_000, 10_000]);
  });

  it('asks for almost the present where a rule is evaluated each second and telemetry arrives at once', async () => {
    const one = runner();
    await addRule({ every: '1s', offset: null });
    await one.runDue();
    const behind: number[] = [];
    for (let i = 0; i < 30; i++) {
      plane.clock.ms += 100;
      await one.runDue();
      if (asked.length > behind.length) behind.push(plane.clock.ms - (asked.at(-1) ?? 0));
    }
    expect(behind).toHaveLength(3);
    for (const ms of behind) expect(ms).toBeLessThan(200);
  });

  it('does not ask for a time again when telemetry begins to arrive later', async () => {
    const one = runner();
    const id = await addRule({ offset: null });
    await one.runDue();
    await pass(2, one);
    lateMs = 30_000;
    await pass(5, one);
    expect(asked).toEqual([...asked].sort((a, b) => a - b));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toHaveLength(5);
    expect(Number((await store.alertRules.find(database.db, ada.workspace.id, id))?.missed)).toBe(0);
  });

  it('evaluates a rule of each second at the latest slot whose rows are stored', async () => {
    const one = runner();
    const id = await addRule({ every: '1s', offset: null });
    await one.runDue();
    answer = { a: 9 };
    for (let i = 0; i < 20; i++) {
      plane.clock.ms += second;
      stored = { running: plane.clock.ms - 3 * second, all: plane.clock.ms - 3 * second };
      await one.runDue();
    }
    // Rows of the first slot are stored when the fourth one is due.
    expect(asked).toHaveLength(17);
    expect(new Set(asked.slice(1).map((at, i) => at - (asked[i] ?? 0)))).toEqual(new Set([second]));
    expect(await states()).toEqual({ a: 'firing' });
    expect(await store.alertRules.find(database.db, ada.workspace.id, id)).toMatchObject({ delayed: false });
  });

  it.each([
    ['spans | stats value=count() by name', ['firing', 'resolved']],
    ['spans | stats value=count() by name | where value > 5', ['resolved', 'resolved']],
  ])('ends an alert without a row, for %s', async (query, expected) => {
    const one = runner();
    await addRule({}, query);
    await one.runDue();
    answer = { a: 9, b: 9 };
    await pass(1, one);
    answer = { b: 9 };
    const seen = [];
    for (let i = 0; i < 2; i++) {
      await pass(1, one);
      seen.push((await states()).a);
    }
    expect(seen).toEqual(expected);
  });

  it('asks the queries of equal rules for the same windows', async () => {
    const one = runner();
    for (let n = 0; n < 5; n++) await addRule();
    await one.runDue();
    await pass(2, one);
    expect(asked).toHaveLength(10);
    expect(new Set(asked).size).toBe(2);
  });

  it('asks queries that differ in a literal for the same windows, and knows them of each other', async () => {
    const together: number[] = [];
    const one = runner('one', (rule, at, signal) => {
      together.push(rule.together?.().length ?? 0);
      return evaluate(rule, at, signal);
    });
    const queryOf = (service: string) => `spans | where service.name == "${service}" | stats value=count()`;
    const ids = [];
    for (const service of ['a', 'b', 'b', 'c']) ids.push(await addRule({}, queryOf(service)));
    await one.runDue();
    await pass(1, one);
    expect(together).toEqual([3, 3, 3, 3]);
    expect(new Set(asked).size).toBe(1);
    const [first = ''] = ids;
    await database.db.updateTable('alert_rules').set({ enabled: false }).where('id', '=', first).execute();
    await store.bumpShard(database.db, shardOf(first));
    await pass(1, one);
    expect(together.slice(4)).toEqual([2, 2, 2]);
  });

  it('writes nothing while nothing changes', async () => {
    const one = runner();
    const id = await addRule();
    await one.runDue();
    answer = { b: 1 };
    await pass(2, one);
    const before = await database.db.selectFrom('alert_rules').selectAll().where('id', '=', id).execute();
    await pass(3, one);
    expect(await database.db.selectFrom('alert_rules').selectAll().where('id', '=', id).execute()).toEqual(before);
  });

  it('waits for rows that are still in the log of a server, and misses no slot for that', async () => {
    const one = runner();
    const id = await addRule({ every: '1m' });
    await one.runDue();
    stored = { running: plane.clock.ms, all: plane.clock.ms };
    await pass(6, one);
    expect(asked).toHaveLength(0);
    stored = { running: plane.clock.ms, all: plane.clock.ms };
    await one.runDue();
    expect(asked).toHaveLength(1);
    await pass(5, one);
    stored = { running: plane.clock.ms, all: plane.clock.ms };
    await pass(1, one);
    const rule = await store.alertRules.find(database.db, ada.workspace.id, id);
    expect([asked.length, Number(rule?.missed), rule?.delayed]).toEqual([2, 0, false]);
  });

  it('fires, but resolves nothing while rows are still in a log after a minute', async () => {
    const one = runner();
    const id = await addRule({ every: '1m' });
    await one.runDue();
    answer = { a: 9 };
    await pass(6, one);
    expect(await states()).toEqual({ a: 'firing' });
    stored = { running: plane.clock.ms, all: plane.clock.ms };
    answer = { a: 1, b: 9 };
    for (let i = 0; i < 130; i++) {
      plane.clock.ms += second;
      await one.runDue();
    }
    expect(await states()).toEqual({ a: 'firing', b: 'firing' });
    expect(await store.alertRules.find(database.db, ada.workspace.id, id)).toMatchObject({ delayed: true, missed: 0 });
    stored = { running: Infinity, all: Infinity };
    await pass(6, one);
    expect(await states()).toEqual({ a: 'resolved', b: 'firing' });
    expect(await store.alertRules.find(database.db, ada.workspace.id, id)).toMatchObject({ delayed: false });
  });

  it('does not wait for a server that has ended, but resolves nothing while its log may have rows', async () => {
    const one = runner();
    await addRule();
    await one.runDue();
    answer = { a: 9 };
    await pass(1, one);
    stored = { running: Infinity, all: plane.clock.ms - 60 * second };
    answer = {};
    await pass(3, one);
    expect(asked).toHaveLength(4);
    expect(await states()).toEqual({ a: 'firing' });
  });

  it('counts evaluations of enabled rules by their intervals, for the limit of a workspace', async () => {
    const ids = [];
    for (const every of ['1s', '1s', '10s', '1m']) ids.push(await addRule({ every }));
    await database.db
      .updateTable('alert_rules')
      .set({ enabled: false })
      .where('id', '=', ids[3] ?? '')
      .execute();
    const others = await store.countIntervals(database.db, ada.workspace.id, ids[0]);
    expect(others.sort((a, b) => a.every.localeCompare(b.every))).toEqual([
      { every: '10s', count: 1 },
      { every: '1s', count: 1 },
    ]);
    expect(perSecond([...others, { every: '1m', count: 6 }])).toBeCloseTo(1.2);
  });

  it('skips missed slots and counts them', async () => {
    const one = runner();
    const id = await addRule();
    await one.runDue();
    await pass(1, one);
    plane.clock.ms += 60 * second;
    await one.runDue();
    expect(asked).toHaveLength(2);
    const rule = await store.alertRules.find(database.db, ada.workspace.id, id);
    expect(Number(rule?.missed)).toBe(5);
  });

  it('tries a query three times, then keeps the states and says why', async () => {
    const one = runner();
    const id = await addRule();
    await one.runDue();
    answer = { a: 9 };
    await pass(1, one);
    answer = new Error('the store is away');
    await pass(1, one);
    for (let attempt = 0; attempt < 2; attempt++) {
      plane.clock.ms += 2 * second;
      await one.runDue();
    }
    expect(asked).toHaveLength(4);
    expect(await states()).toEqual({ a: 'firing' });
    expect((await store.alertRules.find(database.db, ada.workspace.id, id))?.last_error).toBe(
      'The query failed; the server log has more.',
    );
    answer = { a: 9 };
    await pass(1, one);
    expect((await store.alertRules.find(database.db, ada.workspace.id, id))?.last_error).toBeNull();
  });

  it.each([
    ['an answer that no rule can use', new Unanswerable('The query returns no number.'), /returns no number/],
    [
      'a query that ran out of time',
      fail('QUERY_TOO_EXPENSIVE', { reason: 'it ran longer than 20 s; narrow the time window' }),
      /longer than 20 s/,
    ],
  ])('does not try %s again, and fires for the rule itself if that is wanted', async (_name, error, message) => {
    const one = runner();
    const id = await addRule({ on_error: 'alert' });
    await one.runDue();
    answer = error;
    await pass(1, one);
    expect(asked).toHaveLength(1);
    expect(await states()).toEqual({ rule: 'error' });
    expect((await store.alertRules.find(database.db, ada.workspace.id, id))?.last_error).toMatch(message);
  });

  it('continues after a restart where it was, without the time in between', async () => {
    const first = runner();
    await addRule({ condition: { ...definition.condition, for: '30s' } });
    await first.runDue();
    answer = { a: 9 };
    await pass(2, first);
    expect(await states()).toEqual({ a: 'pending' });
    await first.stop();
    plane.clock.ms += 600 * second;
    const second_ = runner('two');
    await second_.runDue();
    expect(await states()).toEqual({ a: 'pending' });
    await pass(2, second_);
    expect(await states()).toEqual({ a: 'firing' });
  });

  it('refuses what a replica wants to write that lost its shards meanwhile', async () => {
    let resume: () => void = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let isSlow = false;
    const slow: Evaluate = async (rule, at, signal) => {
      const result = evaluate(rule, at, signal);
      if (isSlow) await paused;
      return result;
    };
    const one = runner('one', slow);
    await addRule();
    await one.runDue();
    answer = { a: 9 };
    isSlow = true;
    plane.clock.ms += 10 * second;
    const late = one.runDue();
    await expect.poll(() => asked.length).toBe(1);
    // The lease of the first one runs out while its query runs; the series that it has seen firing is fine by now.
    plane.clock.ms += 60 * second;
    answer = { a: 1 };
    const two = runner('two');
    await two.runDue();
    resume();
    await late;
    expect(await states()).toEqual({});
  });

  it('leaves its shards to others while its clock is not trusted, and takes them again later', async () => {
    const one = runner();
    await addRule();
    await one.runDue();
    answer = { a: 9 };
    await pass(2, one);
    expect(await states()).toEqual({ a: 'firing' });
    const before = asked.length;
    isClockTrusted = false;
    plane.clock.ms += 3_600 * second;
    answer = {};
    await one.runDue();
    plane.clock.ms -= 3_600 * second;
    const holders = await database.db.selectFrom('alert_shards').select('holder').distinct().execute();
    expect([asked.length, holders, await states()]).toEqual([before, [{ holder: null }], { a: 'firing' }]);
    isClockTrusted = true;
    await pass(2, one);
    expect(await states()).toEqual({ a: 'resolved' });
  });

  it('drops the answer of a query during which its clock was set', async () => {
    const one = runner('one', async (...given) => {
      const answered = await evaluate(...given);
      isClockTrusted = false;
      return answered;
    });
    await addRule();
    await one.runDue();
    answer = { a: 9 };
    await pass(2, one);
    expect(asked).toHaveLength(1);
    expect(await states()).toEqual({});
  });

  it('shares the shards with a second replica, and evaluates each rule once', async () => {
    const ids = [newId(), newId()] as const;
    await database.db
      .insertInto('replicas')
      .values(
        ids.map((id) => ({
          id,
          roles: 'api,jobs',
          telemetry_store: 'external' as const,
          version: '0.1.0',
          seen_at: new Date(plane.clock.ms + 3600 * second),
        })),
      )
      .execute();
    for (let i = 0; i < 20; i++) await addRule();
    const one = runner(ids[0]);
    const two = runner(ids[1]);
    for (const each of [one, two]) await each.runDue();
    await pass(2, one, two);
    expect(asked).toHaveLength(40);
    const holders = await database.db.selectFrom('alert_shards').select('holder').execute();
    expect(new Set(holders.map(({ holder }) => holder))).toEqual(new Set(ids));
  });

  it('no longer evaluates a rule of a removed project, or one that was switched off', async () => {
    const one = runner();
    const id = await addRule();
    await one.runDue();
    await pass(1, one);
    await database.db.updateTable('alert_rules').set({ enabled: false }).where('id', '=', id).execute();
    await store.bumpShard(database.db, shardOf(id));
    await pass(2, one);
    expect(asked).toHaveLength(1);
    await addRule();
    await one.runDue();
    await database.db
      .updateTable('projects')
      .set({ deleted_at: new Date(plane.clock.ms) })
      .where('id', '=', ada.project.id)
      .execute();
    plane.clock.ms += 31 * second;
    await one.runDue();
    expect(asked).toHaveLength(1);
  });
});
