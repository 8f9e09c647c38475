import type { Relation, Rows } from './relation.ts';
import { BROKEN, type Value } from './value.ts';

/**
 * The rows of a relation, with `lift` applied to each value that is read: it moves the value to the part of the plan that
 * needs it. Values that are not read are not lifted.
 */
export function liftRows(rows: Rows, lift: (value: Value) => Value): Rows {
  const known = new Map<string, Value | undefined>();
  const once = (key: string, make: () => Value | undefined): Value | undefined => {
    if (!known.has(key)) {
      const value = make();
      known.set(key, value && lift(value));
    }
    return known.get(key);
  };
  const { points: _, inner: __, attribute, ...rest } = rows;
  return {
    ...rest,
    intrinsic: (name) => once(`field ${name}`, () => rows.intrinsic(name)),
    ...(attribute
      ? {
          attribute: (scope, keys) => once(`${scope} ${JSON.stringify(keys)}`, () => attribute(scope, keys)) ?? BROKEN,
        }
      : {}),
  };
}

/** A relation whose columns and rows are lifted. Columns keep their names. */
export function liftRelation(relation: Relation, lift: (value: Value) => Value): Relation {
  const { rows, beside: _, ...rest } = relation;
  const columns = relation.columns.map(({ name, value }) => ({
    name,
    get value() {
      return lift(value);
    },
  }));
  return { ...rest, columns, ...(rows ? { rows: liftRows(rows, lift) } : {}) };
}
