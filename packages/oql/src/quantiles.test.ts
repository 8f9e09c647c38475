import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from './testing/engine.ts';
import { GROUPS, QUANTILE_TABLES, type Weighted } from './testing/quantile-fixture.ts';

/** One definition of a quantile for every source: position `level * (W - 1)` of the values, each as often as its weight. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(QUANTILE_TABLES);
});
afterAll(() => engine.stop());

const LEVELS = [0, 0.01, 0.25, 0.5, 0.9, 0.99, 1] as const;
const QUERY = `spans | stats ${LEVELS.map((level, i) => `q${i}=quantile(x, ${level})`).join(', ')} by name`;

const sorted = (of: readonly Weighted[]) => [...of].sort((a, b) => a.x - b.x || a.weight - b.weight);

/** The quantile of a list that contains each value as often as its weight; weights may have a fraction. */
function reference(of: readonly Weighted[], level: number): number {
  const all = sorted(of);
  const position = level * (all.reduce((sum, { weight }) => sum + weight, 0) - 1);
  let before = 0;
  for (const [i, { x, weight }] of all.entries()) {
    const last = before + weight - 1;
    before += weight;
    if (before <= position && i < all.length - 1) continue;
    return position <= last ? x : x + ((all[i + 1]?.x ?? x) - x) * (position - last);
  }
  return Number.NaN;
}

test('the reference repeats a value by its integer weight', () => {
  const of = [
    { x: 0, weight: 3 },
    { x: 100, weight: 1 },
  ];
  expect([0.25, 0.5, 0.75, 1].map((level) => reference(of, level))).toEqual([0, 0, 25, 100]);
});

test('interpolates quantiles of 0 and 100 as for logs', async () => {
  const { rows } = await engine.ask('spans | where name == "two" | stats a=p99(x), b=quantile(x, 0.25), c=p50(x)');
  expect(rows).toEqual([[99, 25, 50]]);
});

test('counts a sampled span by its weight', async () => {
  const { rows } = await engine.ask('spans | where name == "sampled" | stats a=p75(x), b=p50(x)');
  expect(rows).toEqual([[25, 0]]);
});

test('computes exact quantiles for groups of up to 1000 values', async () => {
  const { rows } = await engine.ask(QUERY);
  expect(rows.length).toBe(GROUPS.size);
  for (const [name, ...quantiles] of rows.filter(([name]) => !String(name).startsWith('large'))) {
    LEVELS.forEach((level, i) => {
      const expected = reference(GROUPS.get(String(name)) ?? [], level);
      // The position is a float, which is inexact for a large weight.
      expect(Math.abs(Number(quantiles[i]) - expected), `${name} at ${level}`).toBeLessThanOrEqual(
        1e-6 * Math.max(1, Math.abs(expected)),
      );
    });
  }
});

test('computes quantiles of larger groups to within one row and one part in 1024', async () => {
  const { rows } = await engine.ask(QUERY);
  for (const [name, ...quantiles] of rows.filter(([name]) => String(name).startsWith('large'))) {
    const of = sorted(GROUPS.get(String(name)) ?? []);
    const total = of.reduce((sum, { weight }) => sum + weight, 0);
    LEVELS.forEach((level, i) => {
      const step = 1 / (total - 1);
      const [low, high] = [-step, step].map((by) => reference(of, Math.min(1, Math.max(0, level + by))));
      const value = Number(quantiles[i]);
      expect(value, `${name} at ${level}`).toBeGreaterThanOrEqual((low ?? 0) - Math.abs(low ?? 0) / 1024);
      expect(value, `${name} at ${level}`).toBeLessThanOrEqual((high ?? 0) + Math.abs(high ?? 0) / 1024);
    });
  }
});

test('returns null as the quantile of a group without values', async () => {
  const { rows } = await engine.ask('spans | where name == "two" | stats a=p99(missing), b=p50(float("x"))');
  expect(rows).toEqual([[null, null]]);
});

test('computes the quantile of `other` from its rows', async () => {
  const { rows } = await engine.ask(
    'spans | where name in ("two", "one", "sampled") | stats n=count(), q=p75(x) by name | top 1 by n other',
  );
  const [top, ...rest] = ['sampled', 'one', 'two'].map((name) => GROUPS.get(name) ?? []);
  expect(rows).toEqual([
    ['sampled', 4, reference(top ?? [], 0.75)],
    ['(other)', 5, reference(rest.flat(), 0.75)],
  ]);
});
