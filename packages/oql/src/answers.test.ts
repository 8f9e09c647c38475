import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultValue } from './result.ts';
import { FUNCTION_ANSWERS } from './testing/answers/functions.ts';
import { STAGE_ANSWERS } from './testing/answers/stages.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import type { Golden } from './testing/golden/index.ts';

/** More queries, with answers computed from the fixture in plain TypeScript. Their SQL may change. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

function alike(actual: ResultValue | undefined, expected: ResultValue | undefined, within: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    expect(Math.abs(actual - expected), `${actual}, not ${expected}`).toBeLessThanOrEqual(Math.abs(expected) * within);
  } else {
    expect(actual).toEqual(expected);
  }
}

async function answers({ query, rows, within = 1e-12 }: Golden): Promise<void> {
  const answer = await engine.ask(query);
  expect(answer.rows.length, JSON.stringify(answer.rows)).toBe(rows.length);
  answer.rows.forEach((row, i) => {
    expect(row.length, JSON.stringify(row)).toBe(rows[i]?.length);
    row.forEach((value, j) => {
      alike(value, rows[i]?.[j], within);
    });
  });
}

describe('functions', () => {
  test.each(FUNCTION_ANSWERS)('$query', answers);
});

describe('stages and aggregates', () => {
  test.each(STAGE_ANSWERS)('$query', answers);
});
