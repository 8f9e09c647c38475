import type { Relation } from '../check/relation.ts';
import type { Value } from '../check/value.ts';
import type { Order } from '../plan/plan.ts';

/** What rows are ordered by: ids as bytes, members in their own order, attributes as numbers first and then as text. */
export function ordersOf(value: Value, descending: boolean): readonly Order[] {
  if (value.id) return [{ value: value.id.sql, descending }];
  if (value.enumeration) return [{ value: value.enumeration.code, descending }];
  if (value.type === 'any' && value.dynamic) {
    return [
      { value: value.dynamic.read('float'), descending },
      { value: value.sql, descending },
    ];
  }
  return [{ value: value.sql, descending }];
}

/** Rows of a signal come newest first where nothing else is said, so that `limit` keeps the newest. */
export function inUsualOrder(relation: Relation): Relation {
  const { time, rows, sorted, keys } = relation;
  if (sorted || keys || !time) return relation;
  if (!rows && relation.bucket) return relation;
  return {
    ...relation,
    plan: { op: 'sort', input: relation.plan, orders: [{ value: time.sql, descending: true }] },
    sorted: true,
  };
}
