import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { simulate } from './testing/simulation.ts';

describe('a simulation of an hour with replicas that die and stores that are away', () => {
  let store: TestStore;
  let database: TestDatabase;
  beforeAll(async () => {
    store = await startTestPglite();
    database = await store.fresh();
  });
  afterAll(async () => {
    await database?.close();
    await store?.close();
  });

  it('misses no notification, and repeats one only with the same key', async () => {
    const report = await simulate(database.db, {
      rules: 120,
      minutes: 60,
      seed: 7,
      deathsPerCommit: 0.005,
      minutesAway: 8,
      firingsPerHour: 2,
    });
    expect(report).toMatchObject({ missedPeriods: [], missedFirings: [], missedEnds: [], wrong: [], survived: [] });
    expect(report.commits).toBeGreaterThan(5);
    expect(report.repeated).toBeGreaterThan(0);
    for (const seen of [report.periods, report.firings, report.ends]) expect(seen).toBeGreaterThan(10);
  });
});
