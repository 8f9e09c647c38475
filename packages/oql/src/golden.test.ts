import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CatalogueField, FieldCatalogue } from './check/catalogue.ts';
import type { ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { GOLDEN } from './testing/golden/index.ts';

let engine: Engine;
let types: FieldCatalogue;
beforeAll(async () => {
  engine = await startEngine();
  const seen = await engine.select(
    "SELECT signal, scope, name, groupUniqArray(type) FROM field_usage WHERE signal IN ('spans', 'logs') AND scope != 'field' GROUP BY signal, scope, name",
  );
  types = { fields: seen.map(([signal, scope, name, types]) => ({ signal, scope, name, types }) as CatalogueField) };
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
  // The types that its attributes have had spare work and change nothing.
  const narrowed = await engine.ask(query, { types });
  expect(narrowed.columns).toEqual(answer.columns);
  if (narrowed.sql !== answer.sql) expect(narrowed.rows).toEqual(answer.rows);
});
