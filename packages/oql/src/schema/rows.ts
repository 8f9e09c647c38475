import type { Context } from '../check/context.ts';
import type { Relation, Rows, SignalName } from '../check/relation.ts';
import type { Value } from '../check/value.ts';
import { type Scan, scanColumn, type Table, type Window } from '../plan/plan.ts';
import { column, type Sql } from '../sql/sql.ts';
import { type AttributeStore, attributeValue } from './attributes.ts';

/** Reads a column of the scanned table by its name in the schema. */
export type Read = (name: string) => Sql;

export interface Intrinsic {
  readonly doc: string;
  /** Which order or index of the table serves a condition on it. */
  readonly index?: string;
  readonly value: (read: Read) => Value;
}

/** A signal that is one table of rows with typed attribute maps. */
export interface SignalSchema {
  readonly signal: SignalName;
  readonly table: Table;
  readonly intrinsics: Readonly<Record<string, Intrinsic>>;
  readonly defaults: readonly string[];
  readonly weight?: (read: Read) => Sql;
  readonly subject?: string;
}

/** Rows of a table, with the table's columns at hand. */
export interface TableRelation extends Relation {
  readonly read: Read;
  readonly rows: Rows;
}

/** All rows of a signal in a window. */
export function signalRelation(schema: SignalSchema, window: Window, ctx: Context): TableRelation {
  const scan: Scan = { op: 'scan', table: schema.table, window, columns: new Map() };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const rows = rowsOf(schema, read, ctx);
  const time = rows.intrinsic('time');
  return {
    plan: scan,
    read,
    columns: [],
    rows,
    window,
    sorted: false,
    ...(time ? { time } : {}),
    ...(schema.weight ? { weight: schema.weight(read) } : {}),
  };
}

/** The fields that every row of a signal has, by their names. */
export function intrinsicsOf(
  intrinsics: Readonly<Record<string, Intrinsic>>,
  read: Read,
): Pick<Rows, 'intrinsic' | 'intrinsics' | 'indexOf' | 'docOf'> {
  return {
    intrinsics: Object.keys(intrinsics),
    indexOf: (name) => intrinsics[name]?.index ?? null,
    docOf: (name) => intrinsics[name]?.doc ?? '',
    intrinsic: (name) => (Object.hasOwn(intrinsics, name) ? intrinsics[name]?.value(read) : undefined),
  };
}

function rowsOf(schema: SignalSchema, read: Read, { texts }: Context): Rows {
  const { signal } = schema;
  const reads = { assumed: texts.assumed, note: (key: string) => texts.names.add(`${signal} ${key}`) };
  return {
    signal,
    ...intrinsicsOf(schema.intrinsics, read),
    defaults: schema.defaults,
    attribute(scope, keys) {
      return attributeValue(typedStore(read), scope, keys, reads);
    },
    ...(schema.subject ? { subject: schema.subject } : {}),
  };
}

/** Columns are asked for when a read needs them, so that only these are read from the table. */
function typedStore(read: Read): AttributeStore {
  return {
    signal: {
      kind: 'typed',
      get string() {
        return read('string_attributes');
      },
      get int() {
        return read('int_attributes');
      },
      get float() {
        return read('float_attributes');
      },
      get bool() {
        return read('bool_attributes');
      },
      get json() {
        return read('json_attributes');
      },
      get empty() {
        return read('empty_attributes');
      },
    },
    resource: {
      kind: 'text',
      get map() {
        return read('resource');
      },
      get empty() {
        return read('empty_resource');
      },
      get types() {
        return read('resource_types');
      },
    },
    scope: {
      kind: 'text',
      get map() {
        return read('scope_attributes');
      },
      get types() {
        return read('scope_types');
      },
    },
    indexed: true,
  };
}
