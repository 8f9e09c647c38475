import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { answered, OPEN, Undetermined } from './testing/evaluator/cells.ts';
import { type Pipeline, pipeline } from './testing/evaluator/pipelines.ts';

import { worldOf } from './testing/evaluator/world.ts';

/**
 * Random queries over random rows, compared with an evaluator in plain TypeScript. `OQL_SEED=7 OQL_ENGINE_RUNS=2000` asks
 * other and more queries over other rows.
 */
const SEED = Number(process.env.OQL_SEED ?? 20_261_122);
const RUNS = Number(process.env.OQL_ENGINE_RUNS ?? 80);

const world = worldOf(SEED, 60);
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(world.tables);
});
afterAll(() => engine.stop());

type Expected = readonly (readonly (ResultValue | typeof OPEN)[])[];

/** Undefined if the evaluator cannot say: then the query may fail. */
function expectedOf({ of, columns }: Pipeline): Expected | undefined {
  try {
    return of(world).map(({ cells }) => columns.map(({ name }) => answered(cells.get(name) ?? null)));
  } catch (error) {
    if (error instanceof Undetermined) return undefined;
    throw error;
  }
}

/** Sums of floats depend on the order in which they are added up. */
function isAlike(actual: ResultValue, expected: ResultValue | typeof OPEN): boolean {
  if (expected === OPEN) return true;
  if (typeof actual !== 'number' || typeof expected !== 'number') return actual === expected;
  return Math.abs(actual - expected) <= 1e-9 * Math.max(Math.abs(actual), Math.abs(expected));
}

test(`answers as the evaluator does (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(pipeline, async (query) => {
      const expected = expectedOf(query);
      if (!expected) return;
      const { rows } = await engine.ask(query.text);
      const isSame =
        rows.length === expected.length &&
        rows.every((row, i) => row.every((value, j) => isAlike(value, expected[i]?.[j] ?? null)));
      if (!isSame) expect(rows, query.text).toEqual(expected);
      if (rows.length > 0) compared++;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // If most answers were empty, the test would prove nothing.
  expect(compared).toBeGreaterThan(RUNS / 2);
});
