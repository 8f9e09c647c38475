import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPglite, type TestDatabase, type TestStore } from '../../../testing/test-database.ts';
import { simulateDay } from './testing/day.ts';
import { prometheusAlert } from './testing/prometheus-model.ts';

describe('a quarter of an hour beside Prometheus', () => {
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

  // bench/alert-day.ts simulates 24 hours.
  it('has the same alerts, at most 2 s later at the median and 5 s at the worst', async () => {
    const { firing, resolved, differences } = await simulateDay(database.db, { hours: 0.25, seed: 1, restarts: 1 });
    expect(differences).toEqual([]);
    for (const { compared, median, worst, missed, wrong } of [firing, resolved]) {
      expect(compared).toBeGreaterThan(60);
      expect([missed, wrong]).toEqual([0, 0]);
      expect(median).toBeLessThanOrEqual(2);
      expect(worst).toBeLessThanOrEqual(5);
    }
  });
});

describe('the model of Prometheus', () => {
  it.each([
    [0, [0, 1, 1, 0, 0, 1], [undefined, 'firing', undefined, 'resolved', undefined, 'firing']],
    [20, [1, 1, 1, 1, 0], [undefined, undefined, 'firing', undefined, 'resolved']],
    [20, [1, 1, 0, 1, 1, 1], [undefined, undefined, undefined, undefined, undefined, 'firing']],
    [15, [1, 1, 1], [undefined, undefined, 'firing']],
  ])('with for: %d s fires and resolves as documented for %j', (forSeconds, active, expected) => {
    const alert = prometheusAlert(forSeconds);
    expect(active.map((one, i) => alert.evaluate(i * 10, one === 1))).toEqual(expected);
  });
});
