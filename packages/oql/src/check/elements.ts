import { type Sql, sql } from '../sql/sql.ts';
import { tagged, taggedElements } from './tagged.ts';
import { isNumber } from './types.ts';
import type { Value } from './value.ts';

/** An attribute as a list; an empty list in rows where the attribute is not a list. */
export function asList(value: Value): Value | undefined {
  if (value.type === 'array') return value;
  if (!value.dynamic) return undefined;
  return { type: 'array', sql: taggedElements(value.dynamic.read('array')), nullable: false, elements: 'any' };
}

/** Whether a list contains a value. Elements of an attribute must have the same type; numbers are compared by value. */
export function hasElement(list: Value, sought: Value): Sql {
  if (list.elements !== 'any') {
    return sql`has(arrayMap(x -> toString(x), ${list.sql}), toString(${sought.sql}))`;
  }
  if (isNumber(sought.type)) {
    return sql`arrayExists(x -> startsWith(x, 'n') AND toFloat64OrNull(substring(x, 2)) = ${sought.sql}, ${list.sql})`;
  }
  return sql`has(${list.sql}, ${tagged(sought)})`;
}

/** The elements of a list as texts. */
export function elementTexts({ sql: list, elements }: Value): Sql {
  return elements === 'any' ? sql`arrayMap(x -> substring(x, 2), ${list})` : sql`arrayMap(x -> toString(x), ${list})`;
}
