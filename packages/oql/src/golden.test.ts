import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { GOLDEN } from './testing/golden/index.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

function alike(actual: ResultValue, expected: ResultValue, within: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * within);
  } else {
    expect(actual).toEqual(expected);
  }
}

test.each(GOLDEN)('$query', async ({ query, rows, within = 1e-12 }) => {
  const answer = await engine.ask(query);
  expect(answer.rows.length, JSON.stringify(answer.rows)).toBe(rows.length);
  answer.rows.forEach((row, i) => {
    row.forEach((value, j) => {
      alike(value, rows[i]?.[j] ?? null, within);
    });
  });
});
