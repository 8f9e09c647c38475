import type { Definition } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';
import type { Fresh } from './relation.ts';
import type { Dynamic, RawId, ReadType, Value } from './value.ts';

export interface Stored {
  readonly definition: Definition;
  /** The same value, read from the column. */
  readonly value: Value;
}

/**
 * Makes a column of a value: ids stay bytes and members stay codes, so that they compare and group as such. Attributes
 * of any type become text.
 */
export function store(value: Value, fresh: Fresh): Stored {
  const id = fresh();
  const read = column(id);
  if (value.id)
    return { definition: { id, value: value.id.sql }, value: idValue({ ...value.id, sql: read }, value.nullable) };
  if (value.enumeration) {
    const { of } = value.enumeration;
    const stored: Value = { type: 'string', sql: of.text(read), nullable: false, enumeration: { of, code: read } };
    return { definition: { id, value: of.key(value.enumeration.code) }, value: stored };
  }
  if (value.type === 'any') {
    const text = value.dynamic?.text ?? value.sql;
    return { definition: { id, value: text }, value: textValue(read) };
  }
  return { definition: { id, value: value.sql }, value: { type: value.type, sql: read, nullable: value.nullable } };
}

/** An id column: lower-case hexadecimal in OQL; all zeros is OTLP's way of having none. */
export function idValue(raw: RawId, nullable: boolean): Value {
  const hex = sql`lower(hex(${raw.sql}))`;
  if (!nullable) return { type: 'string', sql: hex, nullable, id: raw };
  return { type: 'string', sql: sql`if(${raw.sql} = ${zeroId(raw.bytes)}, NULL, ${hex})`, nullable, id: raw };
}

export function zeroId(bytes: 8 | 16): Sql {
  return bytes === 16 ? sql`toFixedString('', 16)` : sql`toFixedString('', 8)`;
}

/** A value of any type that is kept as text: read as a number where it is one. */
export function textValue(text: Sql): Value {
  return { type: 'any', sql: text, nullable: true, dynamic: dynamicText(text) };
}

export function dynamicText(text: Sql): Dynamic {
  const conversions: Readonly<Record<ReadType, Sql>> = {
    string: text,
    int: sql`toInt64OrNull(${text})`,
    float: sql`toFloat64OrNull(${text})`,
    bool: sql`multiIf(${text} = 'true', true, ${text} = 'false', false, NULL)`,
    array: text,
    map: text,
  };
  return {
    text,
    exists: sql`isNotNull(${text})`,
    read: (type, missing) => (missing ? sql`ifNull(${conversions[type]}, ${missing})` : conversions[type]),
  };
}
