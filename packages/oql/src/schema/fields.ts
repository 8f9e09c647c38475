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

/** A map of texts with the types that its values were sent with, which are put together when a row is decoded. */
export function typedMap(map: string, types: string, doc: string): Intrinsic {
  return { doc, value: (read) => ({ type: 'map', sql: sql`(${read(map)}, ${read(types)})`, nullable: false }) };
}

export const RESOURCE: Intrinsic = typedMap('resource', 'resource_types', 'All attributes of the resource.');

/** Of spans and log records, which have the resource as one text too: a list of the map, the types and more. */
export const RESOURCE_WITH_TEXT: Intrinsic = {
  doc: 'All attributes of the resource.',
  value: (read) => ({
    ...RESOURCE.value(read),
    // Asked for only by answers, so that others do not read the column.
    get answer() {
      return read('resource_text');
    },
  }),
};

/** What came with the resource and the instrumentation scope beside their attributes. */
export const ABOUT: Readonly<Record<string, Intrinsic>> = {
  'resource.schema_url': optionalText('resource_schema_url', 'The schema URL of the resource.'),
  'resource.dropped_attributes_count': plain(
    'resource_dropped_attributes_count',
    'int',
    'How many attributes of the resource the SDK dropped.',
  ),
  'scope.name': optionalText('scope_name', 'The instrumentation library.'),
  'scope.version': optionalText('scope_version', 'Its version.'),
  'scope.attributes': typedMap(
    'scope_attributes',
    'scope_types',
    'All attributes of the instrumentation scope; `scope.NAME` is one of them.',
  ),
  'scope.schema_url': optionalText('scope_schema_url', 'The schema URL of the scope and its rows.'),
  'scope.dropped_attributes_count': plain(
    'scope_dropped_attributes_count',
    'int',
    'How many attributes of the scope the SDK dropped.',
  ),
};

/** All attributes of a row at once; the maps of each type side by side, put together when the row is decoded. */
export const ATTRIBUTES: Intrinsic = {
  doc: 'All attributes of the row.',
  value: (read) => ({
    type: 'map',
    nullable: false,
    sql: sql`(${read('string_attributes')}, ${read('int_attributes')}, ${read('float_attributes')}, ${read('bool_attributes')}, ${read('json_attributes')})`,
  }),
};
