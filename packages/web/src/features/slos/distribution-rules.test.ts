import { validate } from '@fanion/oql';
import { expect, it } from 'vitest';
import { bandsAround, bandsOf, distributionQuery, placeOf, valueAt } from './distribution-rules.ts';

const rows = [
  { band: 40, n: 5 },
  { band: 42, n: 1 },
  { band: null, n: 9 },
];

it('fills the bands between those with requests, and leaves room beside them', () => {
  expect(bandsOf(rows)).toEqual({ low: 39, high: 44, counts: [0, 5, 0, 1, 0] });
  expect(bandsOf([]).counts).toEqual([]);
});

it('makes room for a threshold that no request reaches', () => {
  expect(bandsAround(bandsOf(rows), 1e9)).toEqual({ low: 39, high: 49, counts: [0, 5, 0, 1, 0, 0, 0, 0, 0, 0] });
  expect(bandsAround(bandsOf(rows), 50e6).low).toBe(37);
});

it('finds the duration at the place of a duration', () => {
  const bands = bandsAround(bandsOf(rows), 1e9);
  expect(placeOf(bands, valueAt(bands, 0.3))).toBeCloseTo(0.3);
  expect(placeOf(bands, 1e9)).toBeCloseTo(0.9);
});

it('asks a valid query', () => {
  expect(validate(distributionQuery('spans | where kind == server')).diagnostics).toEqual([]);
});
