import type { Compiled } from '@fanion/oql';
import { boundParameters } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';

/**
 * What a statement reads of a table after its indexes are applied, and the width of a row in the columns that it reads.
 */
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

/** A step of the store's plan, as `EXPLAIN json = 1` returns it. */
interface Step {
  readonly 'Node Type'?: string;
  /** For a reading step: the table with its database. */
  readonly Description?: string;
  /** Columns that the step returns. A key of a map is `column.key_name`. */
  readonly Header?: readonly { readonly Name: string }[];
  readonly Plans?: readonly Step[];
}

/** Limits planning; a statement that takes longer has no estimate. */
const limits = { maxSeconds: 5 };

/**
 * Estimates what a statement reads: rows and parts after its indexes are applied, and the width of a row from the
 * uncompressed size of its columns. A map counts as a whole, even if only a part of it is read, so bytes are an upper
 * bound.
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
    // A condition that the planner moves into PREWHERE removes its columns from the step's header.
    telemetry.rows<{ explain: string }>(scope, `EXPLAIN json = 1, header = 1 ${sql}`, values, signal, {
      settings: { ...settings, query_plan_optimize_prewhere: 0, optimize_move_to_prewhere: 0 },
      limits,
    }),
    // Small parts do not report their columns; their rows count as a whole.
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
