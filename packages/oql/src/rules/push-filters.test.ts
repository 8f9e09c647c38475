import { expect, test } from 'vitest';
import type { Plan, Scan } from '../plan/plan.ts';
import { aggregate, all, column, sql } from '../sql/sql.ts';
import { pushFilters } from './push-filters.ts';

const window = { fromNs: 0n, toNs: 1n };
const scan: Scan = {
  op: 'scan',
  table: 'metric_series',
  window,
  columns: new Map([
    ['series', 1],
    ['attributes', 2],
    ['attribute_types', 3],
  ]),
};
const grouped = (input: Plan): Extract<Plan, { op: 'aggregate' }> => ({
  op: 'aggregate',
  input,
  keys: [{ id: 10, value: column(1) }],
  aggregates: [
    { id: 11, value: aggregate('any', [column(2)]) },
    { id: 12, value: aggregate('max', [column(3)]) },
  ],
  alike: new Set([11]),
});
const where = (predicate: ReturnType<typeof sql>, input: Plan): Plan => ({ op: 'filter', input, predicate });

test('asks for a label before the rows of a series are grouped', () => {
  const plan = where(sql`(${column(11)}['job'] = 'a')`, grouped(scan));
  expect(pushFilters(plan)).toEqual(grouped(where(sql`(${column(2)}['job'] = 'a')`, scan)));
});

test('asks about a key before grouping', () => {
  const plan = where(sql`(${column(10)} > 5)`, grouped(scan));
  expect(pushFilters(plan)).toEqual(grouped(where(sql`(${column(1)} > 5)`, scan)));
});

test('asks about an aggregate that differs between rows after grouping', () => {
  const plan = where(sql`(${column(12)} = '')`, grouped(scan));
  expect(pushFilters(plan)).toEqual(plan);
});

test('divides a condition between rows and groups', () => {
  const [ofRows, ofGroups] = [sql`(${column(11)}['job'] = 'a')`, sql`(${column(12)} = '')`];
  const plan = where(all([ofRows, ofGroups]), grouped(scan));
  expect(pushFilters(plan)).toEqual(where(ofGroups, grouped(where(sql`(${column(2)}['job'] = 'a')`, scan))));
});

test('asks about a renamed column before others are computed, and about a computed one after', () => {
  const extended = (input: Plan): Plan => ({
    op: 'extend',
    input,
    columns: [
      { id: 20, value: column(1) },
      { id: 21, value: sql`length(${column(2)})` },
    ],
  });
  const computed = where(sql`(${column(21)} > 0)`, extended(scan));
  expect(pushFilters(computed)).toEqual(computed);
  const renamed = where(sql`(${column(20)} > 0)`, extended(scan));
  expect(pushFilters(renamed)).toEqual(extended(where(sql`(${column(1)} > 0)`, scan)));
});
