import { expect, test } from 'vitest';
import type { Join, Plan } from '../plan/plan.ts';
import { aggregate, column, sql } from '../sql/sql.ts';
import { deriveAtLookups } from './derive-at-lookups.ts';

const scan = (names: Readonly<Record<string, number>>): Plan => ({
  op: 'scan',
  table: 'metric_series',
  window: { fromNs: 0n, toNs: 1n },
  columns: new Map(Object.entries(names)),
});
const join = (changed: Partial<Join> = {}): Join => ({
  op: 'join',
  mode: 'inner',
  lookup: true,
  left: scan({ series: 1, value: 2 }),
  right: scan({ series: 3, attributes: 4 }),
  on: [{ left: column(1), right: column(3) }],
  ...changed,
});
const grouped = (input: Plan, key: ReturnType<typeof sql>): Plan => ({
  op: 'aggregate',
  input,
  keys: [{ id: 10, value: key }],
  aggregates: [{ id: 11, value: aggregate('sum', [column(2)]) }],
});
const derived = (plan: Plan) => deriveAtLookups(plan, () => 99);

const label = sql`${column(4)}['route']`;

test('computes a key at the lookup that alone determines it', () => {
  const over: Plan = { op: 'filter', input: join(), predicate: sql`(${column(2)} > 0)` };
  const right: Plan = { op: 'extend', input: join().right, columns: [{ id: 99, value: label }] };
  expect(derived(grouped(over, label))).toEqual(grouped({ ...over, input: join({ right }) }, column(99)));
});

test.each([
  ['of the rows themselves', grouped(join(), sql`toString(${column(2)})`)],
  ['of both', grouped(join(), sql`${column(4)}[toString(${column(2)})]`)],
  ['that is a column as it stands', grouped(join(), column(4))],
  ['of nothing', grouped(join(), sql`1`)],
  ['of a join with several partners', grouped(join({ mode: 'left' }), label)],
  ['of what was grouped again', grouped(grouped(join(), column(4)), label)],
])('a key %s stays where it is', (_, plan) => {
  expect(derived(plan)).toEqual(plan);
});
