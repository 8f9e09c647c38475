import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { simulate } from './testing/simulation.ts';

describe('a simulation of 40 minutes with replicas that die', () => {
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
    const report = await simulate(database.db, { rules: 20, minutes: 40, seed: 7, deathsPerCommit: 0.05 });
    expect(report).toMatchObject({ missedFirings: [], missedEnds: [], wrong: [] });
    expect(report.deaths).toBeGreaterThan(2);
    expect(report.repeated).toBeGreaterThan(0);
    expect(report.firings).toBeGreaterThan(10);
    expect(report.ends).toBeGreaterThan(10);
  });
});
