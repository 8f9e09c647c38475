import { analyse, type Settings, settingsFor, statementOf } from './analyse.ts';
import { canonical } from './check/canonical.ts';
import type { Checked } from './check/check.ts';
import { type OqlType, withArticle } from './check/types.ts';
import type { Value } from './check/value.ts';
import type { CompileOptions } from './compile.ts';
import { type Diagnostic, toDiagnostic } from './diagnostics/diagnostic.ts';
import { groupedByTime } from './group-by-time.ts';
import type { Plan } from './plan/plan.ts';
import type { BoundParameter, Output } from './print/print.ts';
import { columnsOf } from './rules/columns.ts';
import { optimise } from './rules/index.ts';
import { type Sql, sql } from './sql/sql.ts';
import { printQuery } from './syntax/print.ts';

export interface RelationOptions extends Omit<CompileOptions, 'limit'> {
  /** The prefix of the names of the statement's parameters, so that one statement can contain two relations. */
  readonly prefix: string;
  /**
   * Groups by time in steps of this width too, as `bucket(1m)` does. The query itself then neither groups by time nor names
   * a window. In nanoseconds.
   */
  readonly bucketNs?: bigint;
  /**
   * The query returns single rows of these columns, each with `w`: how many rows it represents (Float64). It then neither
   * groups nor names a window.
   */
  readonly rows?: boolean;
  /** Columns of the query that are read as numbers where their type differs from row to row: a text counts if it is one. */
  readonly numbers?: readonly string[];
  /**
   * With `rows`: a column whose type differs from row to row, and which most rows have as a text. These rows are read apart from the others, so that only one of the seven
   * places is read where it may be. The answer is the same.
   */
  readonly mostlyText?: string;
}

/** A column of a relation: its name in the statement, and its name in the query. */
export interface RelationColumn {
  readonly name: string;
  readonly of: string;
  readonly type: OqlType;
  /** Whether it can be null. */
  readonly nullable: boolean;
}

/**
 * A query as a table for another statement: a SELECT without a limit and without an order. Its columns have fixed names
 * (`t`; `k1`, `k2`, …; `v1`, `v2`, …) and fixed types of the store: `t` is DateTime64(9, 'UTC'), other times are
 * that or null; whole numbers, durations and sizes are Nullable(Int64), floats Nullable(Float64), conditions Nullable(Bool),
 * everything else is Nullable(String).
 */
export interface CompiledRelation {
  readonly ok: true;
  readonly sql: string;
  readonly params: Readonly<Record<string, BoundParameter>>;
  readonly settings: Settings;
  /** The start of the bucket; absent if the query does not group by time. */
  readonly time?: RelationColumn;
  readonly keys: readonly RelationColumn[];
  readonly values: readonly RelationColumn[];
  /** With `rows`: whether a row can represent more than itself. If not, `w` is 1 in every row. */
  readonly weighted: boolean;
  readonly normalized: string;
  readonly metrics: readonly string[];
  readonly reach: { readonly fromNs: bigint; readonly toNs: bigint };
  readonly warnings: readonly Diagnostic[];
}

export type RelationResult = CompiledRelation | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Compiles a query that ends in groups (`stats … by …`), or with `rows` in single rows, to a relation. Never throws for a query. */
export function compileRelation(text: string, options: RelationOptions): RelationResult {
  const analysed = analyse(text, { params: {}, ...options });
  const { query, diagnostics, warnings } = analysed;
  if (!query || !analysed.checked || warnings.length < diagnostics.length) return { ok: false, diagnostics };
  const refused = (message: string) => {
    const range = { start: query.pipeline.start, end: query.pipeline.end };
    return { ok: false, diagnostics: [toDiagnostic(text, { name: 'NOT_AVAILABLE', message, range })] } as const;
  };
  if (query.pipeline.stages.some(({ kind }) => kind === 'context'))
    return refused('`context` adds the records around matches, for people to read. Leave it out here.');
  let { checked } = analysed;
  if (options.bucketNs !== undefined) {
    const grouped = groupedByTime(query, checked.relation, options.bucketNs);
    if ('problem' in grouped) return refused(grouped.problem);
    const again = analyse(printQuery(grouped.query), { params: {}, ...options });
    if (!again.checked || again.warnings.length < again.diagnostics.length)
      return { ok: false, diagnostics: again.diagnostics };
    checked = again.checked;
  }
  const { relation } = checked;
  if (options.rows) {
    if (relation.keys)
      return refused('This query returns groups. End it before `stats`: each of its rows is an event.');
    if (query.range)
      return refused('This query names its own window. Leave out `from …;`: it is asked for other windows.');
  } else if (!relation.keys) return refused('This query returns single rows. End it with `stats … by …`.');

  const outputs: Output[] = [];
  const keys: RelationColumn[] = [];
  const values: RelationColumn[] = [];
  let time: RelationColumn | undefined;
  for (const { name: of, value } of relation.columns) {
    const isTime = of === relation.bucket?.column;
    const { type, sql: read, nullable } = options.numbers?.includes(of) ? asNumber(value) : value;
    const cast = isTime ? sql`toDateTime64(${read}, 9, 'UTC')` : canonical(type, read);
    if (!cast) return refused(`\`${of}\` is ${withArticle(type)}: leave it out, or take one value of it.`);
    const isKey = relation.keys?.includes(of) ?? false;
    const name = isTime ? 't' : isKey ? `k${keys.length + 1}` : `v${values.length + 1}`;
    const column: RelationColumn = { name, of, type, nullable };
    outputs.push({ name, value: cast });
    if (isTime) time = column;
    else (isKey ? keys : values).push(column);
  }
  if (options.bucketNs !== undefined && time === undefined)
    return refused('The time is lost after `stats`. Keep all columns of its groups.');
  if (values.length === 0)
    return refused('This query returns no values. Add an aggregate, as in `stats n=count() by …`.');

  if (options.rows) outputs.push({ name: 'w', value: sql`toFloat64(${relation.weight ?? sql`1`})` });

  const { scope, prefix } = options;
  const print = (asked: Asked) => statementOf(text, asked.plan, asked.outputs, { checked, scope, prefix });
  const apart = textsApart(checked, outputs, options);
  const inTwo = apart && print(apart);
  // Two scans are twice the text, which may be more than the store accepts.
  const statement = inTwo && !('code' in inTwo) ? inTwo : print({ plan: relation.plan, outputs });
  if ('code' in statement) return { ok: false, diagnostics: [statement] };
  if (statement.changes)
    return refused('`changes` shows each person what they may read, so only people can query it. Leave it out here.');
  const { sql: written, params, reach } = statement;
  return {
    ok: true,
    sql: written,
    params,
    settings: settingsFor(statement, options.nowNs),
    ...(time ? { time } : {}),
    keys,
    values,
    weighted: relation.weight !== undefined,
    normalized: printQuery(query),
    metrics: checked.metrics,
    reach,
    warnings,
  };
}

function asNumber(value: Value): Pick<Value, 'type' | 'sql' | 'nullable'> {
  if (value.type !== 'any') return value;
  return { type: 'float', nullable: true, sql: value.dynamic?.number ?? sql`toFloat64OrNull(${value.sql})` };
}

interface Asked {
  readonly plan: Plan;
  readonly outputs: readonly Output[];
}

/** The rows that have a text, and the others, as two scans; undefined where that is not worth it, since more than the rows themselves is read. */
function textsApart(
  { relation, fresh }: Checked,
  outputs: readonly Output[],
  { rows, mostlyText }: RelationOptions,
): Asked | undefined {
  const at = relation.columns.findIndex(({ name }) => name === mostlyText);
  const column = relation.columns[at];
  const ofText = column?.value.type === 'any' ? column.value.dynamic?.ofText : undefined;
  const read = new Set(outputs.flatMap(({ value }) => [...columnsOf(value)]));
  if (!rows || !ofText || !isScanOfRows(optimise(relation.plan, read, fresh))) return undefined;
  const apart = (predicate: Sql): Plan => ({ op: 'filter', input: relation.plan, predicate });
  const columns = outputs.map(({ value }, i) => {
    const text = i === at ? canonical('any', ofText.value) : value;
    return { id: fresh(), values: [text ?? value, value] };
  });
  return {
    plan: { op: 'union', inputs: [apart(ofText.holds), apart(sql`(NOT ${ofText.holds})`)], columns },
    outputs: outputs.map(({ name }, i) => ({ name, value: { kind: 'column', id: columns[i]?.id ?? 0 } })),
  };
}

function isScanOfRows(plan: Plan): boolean {
  if (plan.op === 'scan') return true;
  return (plan.op === 'filter' || plan.op === 'extend') && isScanOfRows(plan.input);
}
