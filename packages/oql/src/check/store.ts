import type { Definition } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';
import { missable, ofPair } from './integers.ts';
import type { Fresh } from './relation.ts';
import { tagged, taggedValue } from './tagged.ts';
import type { Dynamic, RawId, ReadType, Value } from './value.ts';

export interface Stored {
  readonly definition: Definition;
  /** The same value, read from the column. */
  readonly value: Value;
}

/** What a column stores of a value, and how to restore the value from the column. */
export interface Kept {
  readonly sql: Sql;
  readonly restore: (read: Sql) => Value;
}

/**
 * What a column stores of a value: ids as bytes and members as codes, so that they are compared and grouped in that form;
 * attributes of any type as text with a letter for their type in front; a float with the integer that it may round.
 */
export function keep(value: Value): Kept {
  const { id, enumeration, nullable, type, elements, dynamic, integer } = value;
  if (id) return { sql: id.sql, restore: (read) => idValue({ ...id, sql: read }, nullable) };
  if (enumeration) {
    const { of, code } = enumeration;
    const restore = (read: Sql): Value => ({ type, sql: of.text(read), nullable, enumeration: { of, code: read } });
    return { sql: of.key(code), restore };
  }
  if (typeof integer === 'object' && integer.isExpected) {
    const pair = integer.pair ?? sql`tuple(${value.sql}, ${integer.sql})`;
    return { sql: pair, restore: (read) => ({ type, nullable, ...ofPair(read) }) };
  }
  if (type === 'any') return { sql: tagged(value), restore: (read) => taggedValue(read, dynamic?.untyped) };
  return { sql: value.sql, restore: (read) => ({ type, sql: read, nullable, ...(elements ? { elements } : {}) }) };
}

/** Stores a value in a column. */
export function store(value: Value, fresh: Fresh): Stored {
  const { sql, restore } = keep(value);
  const id = fresh();
  return { definition: { id, value: sql }, value: restore(column(id)) };
}

/** The same value if its row may be missing. A missing list or map is empty. */
export function optional(kept: Kept, value: Value): Kept {
  if (value.type === 'array' || value.type === 'map') return kept;
  const pair = missable(value);
  if (pair) return keep(pair);
  // A missing id is all zeros.
  if (value.id)
    return {
      sql: kept.sql,
      restore: (read) => ({ ...kept.restore(read), ...idValue({ sql: read, bytes: value.id?.bytes ?? 8 }, true) }),
    };
  return { sql: sql`toNullable(${kept.sql})`, restore: (read) => ({ ...kept.restore(read), nullable: true }) };
}

/** An id column: lower-case hexadecimal in OQL. In OTLP, all zeros means that there is no id. */
export function idValue(raw: RawId, nullable: boolean): Value {
  const hex = sql`lower(hex(${raw.sql}))`;
  if (!nullable) return { type: 'string', sql: hex, nullable, id: raw };
  return { type: 'string', sql: sql`if(${raw.sql} = ${zeroId(raw.bytes)}, NULL, ${hex})`, nullable, id: raw };
}

export function zeroId(bytes: 8 | 16): Sql {
  return bytes === 16 ? sql`toFixedString('', 16)` : sql`toFixedString('', 8)`;
}

/** Text of unknown type, as in a parsed line: read as a number if it looks like one. */
export function textValue(text: Sql): Value {
  return { type: 'any', sql: text, nullable: true, dynamic: dynamicText(text) };
}

export function dynamicText(text: Sql): Dynamic {
  const conversions: Readonly<Record<ReadType, Sql>> = {
    string: text,
    int: sql`toInt64OrNull(${text})`,
    float: sql`toFloat64OrNull(${text})`,
    fraction: sql`toFloat64OrNull(${text})`,
    whole: sql`toInt64OrNull(${text})`,
    rest: sql`if(isNull(toInt64OrNull(${text})), toFloat64OrNull(${text}), NULL)`,
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
