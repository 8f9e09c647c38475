import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** What the server knows about the fixture's histograms. */
const catalogue = {
  fields: [],
  metrics: [
    { name: 'latency', kind: 'histogram' },
    { name: 'size', kind: 'exponential_histogram' },
  ],
} as const;

test.each(['latency', 'size'])('computes sum and mean of %s from its observations', async (metric) => {
  const { rows } = await engine.ask(`metric ${metric} | increase | stats s=sum(sum), c=sum(count)`);
  const [sum, count] = (rows[0] ?? []).map(Number);
  expect(count).toBeGreaterThan(0);
  const short = async (fn: string) =>
    Number((await engine.ask(`metric ${metric} | increase | ${fn}`, { catalogue })).rows[0]?.[0]);
  expect(await short('sum')).toBeCloseTo(sum ?? Number.NaN, 9);
  expect(await short('avg')).toBeCloseTo((sum ?? Number.NaN) / (count ?? Number.NaN), 9);
  const points = await engine.ask(`metric ${metric} | stats s=sum(sum), m=sum(sum)/sum(count)`);
  const same = await engine.ask(`metric ${metric} | stats s=sum(value), m=avg(value)`, { catalogue });
  expect(same.rows[0]?.[0]).toBeCloseTo(Number(points.rows[0]?.[0]), 9);
  expect(same.rows[0]?.[1]).toBeCloseTo(Number(points.rows[0]?.[1]), 9);
});
