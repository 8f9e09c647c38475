import type { Definition } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';
import type { Fresh } from './relation.ts';
import { tagged, taggedValue } from './tagged.ts';
import type { Dynamic, RawId, ReadType, Value } from './value.ts';

export interface Stored {
  readonly definition: Definition;
  /** The same value, read from the column. */
  readonly value: Value;
}

/** What of a value is kept in a column, and the value that such a column is. */
export interface Kept {
  readonly sql: Sql;
  readonly restore: (read: Sql) => Value;
}

/**
 * What a column of a value holds: ids stay bytes and members stay codes, so that they compare and group as such;
 * attributes of any type become text behind a letter for their type.
 */
export function keep(value: Value): Kept {
  const { id, enumeration, nullable, type, elements, dynamic } = value;
  if (id) return { sql: id.sql, restore: (read) => idValue({ ...id, sql: read }, nullable) };
  if (enumeration) {
    const { of, code } = enumeration;
    const restore = (read: Sql): Value => ({ type, sql: of.text(read), nullable, enumeration: { of, code: read } });
    return { sql: of.key(code), restore };
  }
  if (type === 'any') return { sql: tagged(value), restore: (read) => taggedValue(read, dynamic?.untyped) };
  return { sql: value.sql, restore: (read) => ({ type, sql: read, nullable, ...(elements ? { elements } : {}) }) };
}

/** Makes a column of a value. */
export function store(value: Value, fresh: Fresh): Stored {
  const { sql, restore } = keep(value);
  const id = fresh();
  return { definition: { id, value: sql }, value: restore(column(id)) };
}

/** The same value where there may be no row for it. A list or map is then an empty one. */
export function optional(kept: Kept, value: Value): Kept {
  if (value.type === 'array' || value.type === 'map') return kept;
  // Ids tell by themselves that they are missing: they are zeros.
  if (value.id)
    return {
      sql: kept.sql,
      restore: (read) => ({ ...kept.restore(read), ...idValue({ sql: read, bytes: value.id?.bytes ?? 8 }, true) }),
    };
  return { sql: sql`toNullable(${kept.sql})`, restore: (read) => ({ ...kept.restore(read), nullable: true }) };
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

/** Text whose type nobody has told, as that of a parsed line: read as a number where it is one. */
export function textValue(text: Sql): Value {
  return { type: 'any', sql: text, nullable: true, dynamic: dynamicText(text) };
}

export function dynamicText(text: Sql): Dynamic {
  const conversions: Readonly<Record<ReadType, Sql>> = {
    string: text,
    int: sql`toInt64OrNull(${text})`,
    float: sql`toFloat64OrNull(${text})`,
    fraction: sql`toFloat64OrNull(${text})`,
    bool: sql`multiIf(${text} = 'true', true, ${text} = 'false', false, NULL)`,
    array: text,
    map: text,
  };
  return {
    text,
    tagged: sql`concat('s', ${text})`,
    untyped: true,
    exists: sql`isNotNull(${text})`,
    read: (type, missing) => (missing ? sql`ifNull(${conversions[type]}, ${missing})` : conversions[type]),
  };
}
