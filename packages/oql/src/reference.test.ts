import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from './testing/engine.ts';
import { REFERENCES } from './testing/reference/answers.ts';
import { REFERENCE_TABLES } from './testing/reference/world.ts';

/** The queries that guided the design of the language, over data from a seeded generator. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(REFERENCE_TABLES);
});
afterAll(() => engine.stop());

test.each(REFERENCES)('$query', async ({ query, rows, within = 0, slack = 1e-12 }) => {
  const answer = await engine.ask(query);
  expect(rows.length, 'an empty answer proves nothing').toBeGreaterThan(0);
  expect(answer.rows.length, JSON.stringify(answer.rows.slice(0, 9))).toBe(rows.length);
  answer.rows.forEach((row, i) => {
    expect(row.length).toBe(rows[i]?.length);
    row.forEach((value, j) => {
      const expected = rows[i]?.[j];
      const where = `row ${i}, column ${j}: ${String(value)}, not ${String(expected)}`;
      if (typeof value === 'number' && typeof expected === 'number') {
        expect(Math.abs(value - expected), where).toBeLessThanOrEqual(Math.abs(expected) * within + slack);
      } else expect(value, where).toEqual(expected);
    });
  });
});
