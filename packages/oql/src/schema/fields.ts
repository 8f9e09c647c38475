import type { Enumeration } from '../check/enumeration.ts';
import { idValue } from '../check/store.ts';
import type { OqlType } from '../check/types.ts';
import { sql } from '../sql/sql.ts';
import type { Intrinsic } from './rows.ts';

/** A column as it is. */
export function plain(column: string, type: OqlType, doc: string, index?: string): Intrinsic {
  return { doc, ...(index ? { index } : {}), value: (read) => ({ type, sql: read(column), nullable: false }) };
}

/** A text column in which empty means that there is none. */
export function optionalText(column: string, doc: string): Intrinsic {
  return { doc, value: (read) => ({ type: 'string', sql: sql`nullIf(${read(column)}, '')`, nullable: true }) };
}

export function id(column: string, bytes: 8 | 16, nullable: boolean, doc: string, index?: string): Intrinsic {
  return { doc, ...(index ? { index } : {}), value: (read) => idValue({ sql: read(column), bytes }, nullable) };
}

export function enumerated(column: string, of: Enumeration, doc: string): Intrinsic {
  return {
    doc,
    value: (read) => {
      const code = read(column);
      return { type: 'string', sql: of.text(code), nullable: false, enumeration: { of, code } };
    },
  };
}

/** The attributes of the resource: a map of text. */
export const RESOURCE: Intrinsic = plain('resource', 'map', 'All attributes of the resource.');

/** All attributes of a row at once; the maps of each type side by side, put together when the row is decoded. */
export const ATTRIBUTES: Intrinsic = {
  doc: 'All attributes of the row.',
  value: (read) => ({
    type: 'map',
    nullable: false,
    sql: sql`(${read('string_attributes')}, ${read('int_attributes')}, ${read('float_attributes')}, ${read('bool_attributes')}, ${read('json_attributes')})`,
  }),
};
