import { zeroId } from '../../check/store.ts';
import { carried } from '../../check/tagged.ts';
import type { Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';

/** A value in its stored form, which is cheaper to compare than the displayed one; null if there is none. */
export function stored(value: Value | undefined): Sql {
  if (!value) return NULL;
  if (value.id) return value.nullable ? sql`nullIf(${value.id.sql}, ${zeroId(value.id.bytes)})` : value.id.sql;
  if (value.enumeration) return value.enumeration.of.key(value.enumeration.code);
  return value.type === 'float' ? oneFloat(value.sql) : carried(value);
}

/** The engine tells zeros and NaNs of both signs apart, which no answer shows. */
export function oneFloat(value: Sql): Sql {
  return sql`if(isNaN(${value}), nan, ${value} + 0.)`;
}
