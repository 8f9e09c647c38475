import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { FieldCounts } from './rules.ts';

/** A compiled query whose columns are `in_selection`, `in_baseline`, fields of every row, `attributes` and `resource`. */
export interface CompiledRows {
  readonly sql: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly columns: readonly { readonly name: string }[];
}

const valuesShown = 20;
const valueCharacters = 200;

interface Counts {
  readonly total: { readonly selection: number; readonly baseline: number };
  readonly fields: FieldCounts[];
}

/** Counts of the rows on both sides, without fields. */
export async function countSides(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  signal: AbortSignal,
): Promise<Counts> {
  const [answer] = await telemetry.rows<{ selection: number; baseline: number }>(
    scope,
    `SELECT toFloat64(countIf(r1 = 1)) AS selection, toFloat64(countIf(r1 != 1)) AS baseline FROM (${rows.sql})`,
    rows.values,
    signal,
    { settings: rows.settings },
  );
  return { total: { selection: answer?.selection ?? 0, baseline: answer?.baseline ?? 0 }, fields: [] };
}

/** Counts of each field on both sides. */
export async function countFields(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  rows: CompiledRows,
  signal: AbortSignal,
): Promise<Counts> {
  const column = (name: string) => `r${rows.columns.findIndex((one) => one.name === name) + 1}`;
  const own = rows.columns.filter(
    ({ name }) => !['in_selection', 'in_baseline', 'attributes', 'resource'].includes(name),
  );
  const typed = (at: number) =>
    `arrayMap((k, v) -> (toString(k), substringUTF8(toString(v), 1, ${valueCharacters})), mapKeys(${column('attributes')}.${at}), mapValues(${column('attributes')}.${at}))`;
  const pairs = [
    // Safe: the names are those of OQL's own fields.
    `[${own.map(({ name }) => `('${name}', ifNull(toString(${column(name)}), ''))`).join(', ')}]`,
    ...[1, 2, 3, 4].map(typed),
    `arrayMap((k, v) -> (concat('resource.', toString(k)), substringUTF8(v, 1, ${valueCharacters})), mapKeys(${column('resource')}.1), mapValues(${column('resource')}.1))`,
  ];
  const difference = 'abs(value_.2 / greatest(total_selection, 1) - value_.3 / greatest(total_baseline, 1))';
  const [answer] = await telemetry.rows<{
    selection: number;
    baseline: number;
    fields: [string, number, number, number, number, [string, number, number][]][];
  }>(
    scope,
    `WITH rows AS (
       SELECT ${column('in_selection')} = 1 AS selected, arrayFilter(p -> p.2 != '', arrayConcat(${pairs.join(', ')})) AS pairs
       FROM (${rows.sql})),
     (SELECT toFloat64(countIf(selected)) FROM rows) AS total_selection,
     (SELECT toFloat64(countIf(NOT selected)) FROM rows) AS total_baseline
     SELECT total_selection AS selection, total_baseline AS baseline,
       groupArray((field, distinct_values, with_selection, with_baseline, squares, shown)) AS fields
     FROM (
       SELECT field, toFloat64(count()) AS distinct_values, sum(a) AS with_selection, sum(b) AS with_baseline, sum(a * a / (a + b)) AS squares,
         arraySlice(arrayReverseSort(value_ -> ${difference}, groupArray((value, a, b))), 1, ${valuesShown}) AS shown
       FROM (
         SELECT pair.1 AS field, pair.2 AS value, toFloat64(countIf(selected)) AS a, toFloat64(countIf(NOT selected)) AS b
         FROM rows ARRAY JOIN pairs AS pair GROUP BY field, value)
       GROUP BY field)`,
    rows.values,
    signal,
    { settings: rows.settings },
  );
  return {
    total: { selection: answer?.selection ?? 0, baseline: answer?.baseline ?? 0 },
    fields: (answer?.fields ?? []).map(([field, distinct, selection, baseline, squares, values]) => ({
      field,
      distinct,
      selection,
      baseline,
      squares,
      values,
    })),
  };
}

/** Returns the single number of a compiled query. */
export async function countRows(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  query: Pick<CompiledRows, 'sql' | 'values'>,
  signal: AbortSignal,
): Promise<number> {
  const [row] = await telemetry.rows<{ r1: number | string }>(scope, query.sql, query.values, signal);
  return Number(row?.r1 ?? 0);
}
