/**
 * Rows of a granule of the tables of which single rows are read, where the engine's own is 8192. To read a row, all rows of its granule
 * before it are read too, in each of its columns: `docs/decisions/0041`.
 *
 * The engine refuses to alter it. So a table gets it when it is created, and the embedded store gives it to tables that exist, before
 * its engine starts.
 */
export const granuleRows: Readonly<Record<string, number>> = { spans: 2048, logs: 2048 };

/** The statement of a migration, with its own size of granules where it creates one of these tables. */
export function withGranules(statement: string): string {
  const [, table = ''] = /^CREATE TABLE IF NOT EXISTS (\w+) \(/.exec(statement) ?? [];
  const rows = granuleRows[table];
  return rows === undefined ? statement : `${statement}, index_granularity = ${rows}`;
}
