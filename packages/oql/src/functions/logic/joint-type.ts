import { tagged } from '../../check/tagged.ts';
import type { OqlType } from '../../check/types.ts';
import { isNumber } from '../../check/types.ts';
import { readAs, type Value } from '../../check/value.ts';
import { identifier, list, type Sql, some, sql } from '../../sql/sql.ts';

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
    if (value.type === 'int' && joint === 'float') return sql`toFloat64(${value.sql})`;
    // Counts, lengths and durations are unsigned in the store, which has no common type for them and literals.
    return WHOLE.has(value.type) ? sql`toInt64(${value.sql})` : value.sql;
  });
}

const WHOLE: ReadonlySet<OqlType> = new Set(['int', 'duration', 'bytes']);

/** The values in their joint type as one value, null if one of them is: the engine's `least` and `greatest` skip nulls. */
export function ofAll(values: readonly Value[], of: (values: readonly Sql[]) => Sql): Sql {
  const joint = asJoint(values);
  if (!values.some((value) => value.nullable)) return of(joint);
  // By names, since each level of nested calls would otherwise double the text.
  const names = joint.map((_, i) => identifier(`v${i}`));
  const isMissing = some(names.map((name) => sql`isNull(${name})`));
  const lists = joint.map((one) => sql`[${one}]`);
  return sql`arrayMap((${list(names)}) -> if(${isMissing}, NULL, ${of(names)}), ${list(lists)})[1]`;
}
