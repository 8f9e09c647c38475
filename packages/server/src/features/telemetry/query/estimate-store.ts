import type { ClickHouse } from '../../../platform/clickhouse/index.ts';

/** What of a table its indexes leave to be read, and the bytes of a row in the columns that are. */
export interface TableEstimate {
  readonly rows: number;
  readonly parts: number;
  readonly row_bytes: number;
}

export interface Estimate {
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
}

/**
 * Asks the store what a statement would read: rows and parts by its indexes, and the width of a row by what its columns
 * take uncompressed. A map counts as a whole, though less of it may be read, so bytes are an upper bound.
 */
export async function readEstimate(
  clickhouse: Pick<ClickHouse, 'queryRows'>,
  sql: string,
  params: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
): Promise<TableEstimate[]> {
  const tables = await clickhouse.queryRows<{ table: string; rows: string; parts: string }>(`EXPLAIN ESTIMATE ${sql}`, {
    params,
    settings,
    signal,
  });
  if (tables.length === 0) return [];
  // Small parts do not tell of their columns; a row of theirs counts as a whole.
  const widths = await clickhouse.queryRows<{ table: string; name: string; width: number; row: number }>(
    `SELECT table, column AS name, sumIf(column_data_uncompressed_bytes, part_type = 'Wide') / sumIf(rows, part_type = 'Wide') AS width,
       sum(data_uncompressed_bytes) / greatest(sum(rows), 1) AS row FROM system.parts_columns
     WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY table, name`,
    { params: { tables: [...new Set(tables.map(({ table }) => table))] }, signal },
  );
  const words = new Set(sql.match(/\b[a-z_]+\b/g));
  return tables.map(({ table, rows, parts }) => {
    const columns = widths.filter((column) => column.table === table);
    const read = columns.filter(({ name }) => words.has(name)).reduce((sum, { width }) => sum + width, 0);
    return { rows: Number(rows), parts: Number(parts), row_bytes: read > 0 ? read : (columns[0]?.row ?? 0) };
  });
}

export function estimateOf(tables: readonly TableEstimate[]): Estimate {
  const sum = (of: (table: TableEstimate) => number) => tables.reduce((total, table) => total + of(table), 0);
  return {
    rows: sum(({ rows }) => rows),
    bytes: Math.round(sum(({ rows, row_bytes }) => rows * row_bytes)),
    parts: sum(({ parts }) => parts),
  };
}
