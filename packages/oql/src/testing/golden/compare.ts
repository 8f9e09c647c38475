import { expect } from 'vitest';
import type { ResultValue } from '../../result.ts';
import type { Golden } from './expected.ts';

/** Expects the rows of a golden query, numbers within its tolerance. */
export function expectRows(actual: readonly (readonly ResultValue[])[], { rows, within = 1e-12 }: Golden): void {
  expect(actual.length, JSON.stringify(actual)).toBe(rows.length);
  for (const [i, row] of actual.entries())
    for (const [j, value] of row.entries()) alike(value, rows[i]?.[j] ?? null, within);
}

function alike(actual: ResultValue, expected: ResultValue, within: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * within);
  } else {
    expect(actual).toEqual(expected);
  }
}
