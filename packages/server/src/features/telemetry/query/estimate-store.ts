import type { Compiled } from '@fanion/oql';
import { boundParameters } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';

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

/** A step of the store's plan, as `EXPLAIN json = 1` gives it. */
interface Step {
  readonly 'Node Type'?: string;
  /** Of a step that reads: the table with its database. */
  readonly Description?: string;
  /** Columns that the step gives. A key of a map is `column.key_name`. */
  readonly Header?: readonly { readonly Name: string }[];
  readonly Plans?: readonly Step[];
}

/** Planning alone; a statement that takes longer has no estimate. */
const limits = { maxSeconds: 5 };

/**
 * Asks the store what a statement would read: rows and parts by its indexes, and the width of a row by what its columns
 * take uncompressed. A map counts as a whole, though less of it may be read, so bytes are an upper bound.
 */
export async function readEstimate(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { sql, params, settings }: Compiled,
  signal: AbortSignal,
): Promise<TableEstimate[]> {
  const values = boundParameters(params);
  const tables = await telemetry.rows<{ table: string; rows: string; parts: string }>(
    scope,
    `EXPLAIN ESTIMATE ${sql}`,
    values,
    signal,
    { settings, limits },
  );
  if (tables.length === 0) return [];
  const [plan, widths] = await Promise.all([
    // A condition that is moved before the reading takes its columns out of the step's own.
    telemetry.rows<{ explain: string }>(scope, `EXPLAIN json = 1, header = 1 ${sql}`, values, signal, {
      settings: { ...settings, query_plan_optimize_prewhere: 0, optimize_move_to_prewhere: 0 },
      limits,
    }),
    // Small parts do not tell of their columns; a row of theirs counts as a whole.
    telemetry.rows<{ table: string; name: string; width: number; row: number }>(
      scope,
      `SELECT table, column AS name, sumIf(column_data_uncompressed_bytes, part_type = 'Wide') / sumIf(rows, part_type = 'Wide') AS width,
         sum(data_uncompressed_bytes) / greatest(sum(rows), 1) AS row FROM system.parts_columns
       WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY table, name`,
      { tables: [...new Set(tables.map(({ table }) => table))] },
      signal,
    ),
  ]);
  const read = columnsRead(plan.map(({ explain }) => explain).join('\n'));
  return tables.map(({ table, rows, parts }) => {
    const columns = widths.filter((column) => column.table === table);
    const own = read.get(table) ?? new Set();
    const width = columns.filter(({ name }) => own.has(name)).reduce((sum, column) => sum + column.width, 0);
    return { rows: Number(rows), parts: Number(parts), row_bytes: width > 0 ? width : (columns[0]?.row ?? 0) };
  });
}

/** The columns of each table that a plan reads. */
function columnsRead(json: string): ReadonlyMap<string, ReadonlySet<string>> {
  const read = new Map<string, Set<string>>();
  const visit = (step: Step): void => {
    if (step['Node Type'] === 'ReadFromMergeTree') {
      const table = step.Description?.split('.').at(-1) ?? '';
      const columns = read.get(table) ?? new Set();
      for (const { Name } of step.Header ?? []) columns.add(Name.split('.')[0] ?? Name);
      read.set(table, columns);
    }
    for (const inner of step.Plans ?? []) visit(inner);
  };
  const steps: readonly { readonly Plan: Step }[] = JSON.parse(json);
  for (const { Plan } of steps) visit(Plan);
  return read;
}

export function estimateOf(tables: readonly TableEstimate[]): Estimate {
  const sum = (of: (table: TableEstimate) => number) => tables.reduce((total, table) => total + of(table), 0);
  return {
    rows: sum(({ rows }) => rows),
    bytes: Math.round(sum(({ rows, row_bytes }) => rows * row_bytes)),
    parts: sum(({ parts }) => parts),
  };
}
