import { tagged } from '../../check/tagged.ts';
import type { OqlType } from '../../check/types.ts';
import { isNumber } from '../../check/types.ts';
import { readAs, type Value } from '../../check/value.ts';
import { type Sql, sql } from '../../sql/sql.ts';

/** The common type of several values; float for ints and floats, or for numbers of any type. */
export function jointType(values: readonly (Value | undefined)[]): OqlType {
  const types = new Set(values.flatMap((value) => (value && value.type !== 'null' ? [value.type] : [])));
  const isMixed = types.delete('any') && types.size > 0;
  const [only = isMixed ? 'any' : undefined] = types;
  if (only === undefined) return values.some((value) => value?.type === 'any') ? 'any' : 'null';
  return types.size === 1 && !(isMixed && isNumber(only)) ? only : 'float';
}

/** The values converted to their joint type, which the store does not infer. */
export function asJoint(values: readonly Value[]): readonly Sql[] {
  const joint = jointType(values);
  return values.map((value) => {
    // A tagged attribute keeps its type, and is not null if it was sent as a number.
    if (joint === 'any') return tagged(value);
    if (value.type === 'any' && joint === 'string') return value.dynamic?.text ?? value.sql;
    if (value.type === 'any' && (joint === 'float' || joint === 'bool')) return readAs(value, joint)?.sql ?? value.sql;
    return value.type === 'int' && joint === 'float' ? sql`toFloat64(${value.sql})` : value.sql;
  });
}
