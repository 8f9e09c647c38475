import { type Sql, sql } from '../sql/sql.ts';
import type { OqlType } from './types.ts';
import type { Dynamic, ReadType, Value } from './value.ts';

/**
 * A value of any type as one text: a letter, then the value. `s` a string, `n` a number, `f` a float that is not finite or
 * beyond 2^53, `b` true or false, `j` a list or map as JSON. Equal values have equal texts: 5 and 5.0 are both `n5`. So these
 * texts can be grouped, joined and counted, and an answer still returns the values as sent.
 */
export function tagged(value: Value): Sql {
  if (value.dynamic) return value.dynamic.tagged;
  switch (value.type) {
    case 'null':
    case 'any':
      return value.sql;
    case 'int':
    case 'duration':
    case 'bytes':
      return sql`concat('n', toString(${value.sql}))`;
    case 'float':
      return taggedFloat(value.sql);
    case 'bool':
      return taggedBool(value.sql);
    default:
      return sql`concat('s', toString(${value.sql}))`;
  }
}

/** The form of a value in an answer or an aggregate: tagged if it is of any type, otherwise as it is. */
export function carried(value: Value): Sql {
  return value.type === 'any' ? tagged(value) : value.sql;
}

/** The result of a function whose arguments are in {@link carried} form. */
export function resultValue(type: OqlType, of: Sql, nullable: boolean, elements?: OqlType): Value {
  if (type === 'any') return taggedValue(of);
  return { type, sql: of, nullable, ...(type === 'array' && elements ? { elements } : {}) };
}

export function taggedFloat(of: Sql): Sql {
  return sql`concat(if(abs(${of}) < 9007199254740992, 'n', 'f'), toString(${of}))`;
}

export function taggedBool(of: Sql): Sql {
  return sql`multiIf(${of}, 'btrue', NOT ${of}, 'bfalse', NULL)`;
}

/** One JSON value, tagged; null if there is none. */
export function taggedJson(raw: Sql): Sql {
  return sql`multiIf(${raw} IN ('', 'null'), NULL, startsWith(${raw}, '"'), concat('s', JSONExtractString(${raw})), ${raw} IN ('true', 'false'), concat('b', ${raw}), substring(${raw}, 1, 1) IN ('{', '['), concat('j', ${raw}), concat('n', ${raw}))`;
}

/** The elements of a JSON list, each tagged. */
export function taggedElements(json: Sql): Sql {
  return sql`arrayMap(x -> ${taggedJson(sql`x`)}, JSONExtractArrayRaw(ifNull(${json}, '')))`;
}

/**
 * A value of any type that is stored as a tagged text.
 * @param untyped the type is unknown at the source, so a text that looks like a number is read as one
 */
export function taggedValue(of: Sql, untyped = false): Value {
  return { type: 'any', sql: untagged(of), nullable: true, dynamic: taggedDynamic(of, untyped) };
}

function untagged(of: Sql): Sql {
  return sql`substring(${of}, 2)`;
}

/** How such a text is read. */
export function taggedDynamic(of: Sql, untyped: boolean): Dynamic {
  const text = untagged(of);
  const typed = (tags: Sql, value: Sql) =>
    untyped ? value : sql`if(substring(${of}, 1, 1) IN (${tags}), ${value}, NULL)`;
  const bool = sql`multiIf(${text} = 'true', true, ${text} = 'false', false, NULL)`;
  const conversions: Readonly<Record<ReadType, () => Sql>> = {
    string: () => typed(sql`'s'`, text),
    int: () => typed(sql`'n'`, sql`toInt64OrNull(${text})`),
    float: () => typed(sql`'n', 'f'`, sql`toFloat64OrNull(${text})`),
    fraction: () => typed(sql`'n', 'f'`, sql`toFloat64OrNull(${text})`),
    whole: () => typed(sql`'n'`, sql`toInt64OrNull(${text})`),
    rest: () => {
      const isWhole = sql`isNotNull(${typed(sql`'n'`, sql`toInt64OrNull(${text})`)})`;
      return sql`if(${isWhole}, NULL, ${typed(sql`'n', 'f'`, sql`toFloat64OrNull(${text})`)})`;
    },
    bool: () => typed(sql`'b'`, bool),
    array: () => typed(sql`'j'`, text),
    map: () => typed(sql`'j'`, text),
  };
  return {
    text,
    tagged: of,
    ...(untyped ? { untyped } : {}),
    // An attribute that is taken to be a text is never null for the engine, which would not compute it to find whether it is one.
    exists: sql`isNotNull(toNullable(${of}))`,
    read: (type, missing) => (missing ? sql`ifNull(${conversions[type]()}, ${missing})` : conversions[type]()),
  };
}
