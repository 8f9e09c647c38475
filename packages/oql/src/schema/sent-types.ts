import type { Context } from '../check/context.ts';
import { type Plan, type Scan, scanColumn, type Table, type Window } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';

/** Attributes that are stored as text, with a text of the types of their values beside them. */
const STORED_AS_TEXT: readonly { signal: Sql; scope: Sql; table: Table; types: string }[] = [
  { signal: sql`'spans'`, scope: sql`'resource'`, table: 'spans', types: 'resource_types' },
  { signal: sql`'logs'`, scope: sql`'resource'`, table: 'logs', types: 'resource_types' },
  { signal: sql`'metric'`, scope: sql`'attribute'`, table: 'metric_series', types: 'attribute_types' },
  { signal: sql`'metric'`, scope: sql`'resource'`, table: 'metric_series', types: 'resource_types' },
  { signal: sql`'profiles'`, scope: sql`'attribute'`, table: 'profile_samples', types: 'attribute_types' },
  { signal: sql`'profiles'`, scope: sql`'resource'`, table: 'profile_samples', types: 'resource_types' },
];
/** Of each source and scope. */
const MAX_ROWS = 1_000_000;
const QUARTER_NS = 900_000_000_000n;

/**
 * The letters of the types that attributes were sent with, apart from `s` for text (`n` a number, `f` a float that is
 * not finite or beyond 2^53, `b` true or false, `j` a list or map): a row for each signal, scope and name that has any.
 */
export function sentLetters({ fromNs, toNs }: Window, ctx: Context) {
  // The roll-up of fields also begins with a quarter of an hour.
  const window = { fromNs: fromNs - (fromNs % QUARTER_NS), toNs };
  const inputs = STORED_AS_TEXT.map(({ table, types }) => {
    const scan: Scan = { op: 'scan', table, window, columns: new Map() };
    const text = column(scanColumn(scan, types, ctx.fresh));
    const [once, entry] = [ctx.fresh(), ctx.fresh()];
    // Rows with the same resource share one text, so only few texts are taken apart.
    const texts: Plan = {
      op: 'aggregate',
      input: { op: 'limit', input: scan, count: MAX_ROWS, offset: 0 },
      keys: [{ id: once, value: sql`toString(${text})` }],
      aggregates: [],
    };
    const entries = { id: entry, value: sql`splitByChar('\\0', ${column(once)})` };
    const plan: Plan = { op: 'unnest', input: texts, columns: [entries] };
    return { plan, entry: column(entry) };
  });
  const [ofSignal, ofScope, entry] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const all: Plan = {
    op: 'union',
    inputs: inputs.map(({ plan }) => plan),
    columns: [
      { id: ofSignal, values: STORED_AS_TEXT.map(({ signal }) => signal) },
      { id: ofScope, values: STORED_AS_TEXT.map(({ scope }) => scope) },
      { id: entry, values: inputs.map((input) => input.entry) },
    ],
  };
  const part = (of: number) => sql`splitByChar('\\x01', ${column(entry)})[${of}]`;
  const [signal, scope, name, letters] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: all, predicate: sql`(${part(2)} != '')` },
    keys: [
      { id: signal, value: column(ofSignal) },
      { id: scope, value: column(ofScope) },
      { id: name, value: part(1) },
    ],
    aggregates: [{ id: letters, value: aggregate('groupUniqArray', [part(2)]) }],
  };
  return { plan, signal: column(signal), scope: column(scope), name: column(name), letters: column(letters) };
}

/**
 * The types of a field that is stored as text, the most frequent first. The letters say which types it can have; the text
 * of a value says which of them it has. `n` stands for whole numbers and fractions, so one fraction makes all of its numbers
 * floats. A value that fits no letter was sent as text. A text that reads like a value of another type counts as one of
 * that type. A type with a letter is in the answer even if its values are rare.
 * @param letters of {@link sentLetters}, not empty
 * @param values the most frequent values with their counts, as tuples
 */
export function sentTypes(letters: Sql, values: Sql): Sql {
  const has = (letter: Sql) => sql`has(letters, ${letter})`;
  const [n, f, b, j] = [has(sql`'n'`), has(sql`'f'`), has(sql`'b'`), has(sql`'j'`)];
  const isNumber = sql`(((${n} OR ${f}) AND match(v.1, '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$')) OR (${f} AND match(v.1, '^(NaN|-?Infinity)$')))`;
  const typed = sql`multiIf(${b} AND v.1 IN ('true', 'false'), 'bool', ${j} AND substring(v.1, 1, 1) IN ('[', '{'), 'json', ${isNumber}, 'number', 'string')`;
  const isWhole = sql`(NOT ${f} AND arrayExists(v -> ${isNumber}, vs) AND arrayAll(v -> NOT ${isNumber} OR match(v.1, '^-?[0-9]+$'), vs))`;
  const lettered = sql`arrayMap(l -> multiIf(l = 'b', 'bool', l = 'j', 'json', 'number'), letters)`;
  return sql`arrayMap((letters, vs) -> arrayMap(t -> if(t = 'number', if(${isWhole}, 'int', 'float'), t),
    arrayMap(found -> arraySort(t -> (-arraySum(v -> if(v.1 = t, toInt64(v.2), 0), found), t), arrayDistinct(arrayConcat(arrayMap(v -> v.1, found), ${lettered}))),
      [arrayMap(v -> (${typed}, v.2), vs)])[1]),
    [${letters}], [arrayFilter(v -> v.1 != '', ${values})])[1]`;
}
