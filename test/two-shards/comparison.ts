import type { QueryAnswer } from '../../packages/server/src/platform/clickhouse/client.ts';

/** The read within an insert; undefined: the statement reads nothing. */
export function selectOf(sql: string): string | undefined {
  return /^\s*INSERT INTO \w+\s*(?:\([^)]*\))?\s*((?:SELECT|WITH)\b[\s\S]*)$/.exec(sql)?.[1];
}

/**
 * Whether a statement asks a server about itself, which is not distributed: its `system` tables, or how it would read. Names of
 * attributes in strings, such as `'db.system.name'`, are not tables.
 */
export function isAboutServers(sql: string): boolean {
  return /\bsystem\.\w+|\bEXPLAIN\b/.test(withoutStrings(sql));
}

const withoutStrings = (sql: string) => sql.replace(/'(?:[^'\\]|\\.)*'/g, "''");

/** Columns with any few of the rows that are counted: which ones depends on how they are read, also on one server. */
const ANY_ROWS: ReadonlySet<string> = new Set(['examples']);

/** What two answers have in common: the rows, in order if the statement asks for one. */
export function comparable(sql: string, { columns, rows }: QueryAnswer): unknown {
  const isCompared = columns.map(({ name }) => !ANY_ROWS.has(name));
  const texts = rows.map((row) =>
    JSON.stringify(
      row.filter((_value, at) => isCompared[at]),
      rounded,
    ),
  );
  return { columns: columns.map(({ name }) => name), rows: isOrdered(sql) ? texts : texts.sort() };
}

/** Sums of floats depend on the order in which they are added up. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(10)) : value;
}

/** Whether the outermost statement has an ORDER BY. */
export function isOrdered(sql: string): boolean {
  let outer = withoutStrings(sql);
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\([^()]*\)/g, '');
  }
  return /\bORDER BY\b/.test(outer);
}
