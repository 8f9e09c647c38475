import { expected } from '../check/integers.ts';
import type { Relation } from '../check/relation.ts';
import { carried } from '../check/tagged.ts';
import type { Value } from '../check/value.ts';
import type { Order } from '../plan/plan.ts';

/** The order of rows by a value: ids as bytes, members in their own order, attributes as numbers first and then as text. */
export function ordersOf(value: Value, descending: boolean): readonly Order[] {
  if (value.id) return [{ value: value.id.sql, descending }];
  if (value.enumeration) return [{ value: value.enumeration.code, descending }];
  if (value.type === 'any' && value.dynamic) {
    return [
      { value: value.dynamic.read('float'), descending },
      { value: value.sql, descending },
    ];
  }
  const integer = expected(value);
  return [value.sql, ...(integer ? [integer.sql] : [])].map((one) => ({ value: one, descending }));
}

/**
 * The default order. Rows of a signal are newest first, so that `limit` keeps the newest. Groups are ordered by their
 * keys, time first, so that the same query returns the same answer.
 */
export function inUsualOrder(relation: Relation): Relation {
  const { time, rows, sorted, keys, bucket } = relation;
  if (sorted) return relation;
  if (keys) return ordered(relation, keyOrders(relation, keys));
  if (!time || (!rows && bucket)) return relation;
  return ordered(relation, [{ value: time.sql, descending: true }]);
}

function keyOrders({ bucket, columns }: Relation, keys: readonly string[]): readonly Order[] {
  const first = [bucket?.column ?? '', ...keys.filter((key) => key !== bucket?.column)];
  return first.flatMap((name) => {
    const column = columns.find((one) => one.name === name);
    return column ? ordersOf(column.value, false) : [];
  });
}

/** Orders groups by their keys in stored form: a unique order that costs only comparisons. */
export function storedOrders({ keys = [], columns }: Relation): readonly Order[] {
  return columns
    .filter(({ name }) => keys.includes(name))
    .map(({ value }) => ({ value: value.id?.sql ?? value.enumeration?.code ?? carried(value), descending: false }));
}

function ordered(relation: Relation, orders: readonly Order[]): Relation {
  if (orders.length === 0) return relation;
  return { ...relation, plan: { op: 'sort', input: relation.plan, orders }, sorted: true };
}
