import { analyse, type Settings, settingsFor, statementOf } from './analyse.ts';
import type { FieldCatalogue, KnownMetrics } from './check/catalogue.ts';
import type { Checked } from './check/check.ts';
import type { FieldUse, RollUpUse } from './check/context.ts';
import { outputColumns } from './check/output.ts';
import { partialBuckets } from './check/partial-buckets.ts';
import type { Column, Relation } from './check/relation.ts';
import { anchorlessOf, type StatementBeside, sampledOf } from './completeness.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { Plan, Table, Window } from './plan/plan.ts';
import type { ChangeRow } from './print/changes.ts';
import type { BoundParameter, ChangesRead, Scope } from './print/print.ts';
import type { RecentQuestion } from './recent/question.ts';
import { recentQuestionOf } from './recent/recognise.ts';
import { answerOf, outputOf, outputType, type ResultColumn } from './result.ts';
import { inUsualOrder } from './stages/order.ts';
import { LIMITS } from './syntax/guard.ts';
import { printTimestamp } from './syntax/literals.ts';
import { printQuery } from './syntax/print.ts';

export interface CompileOptions {
  readonly scope: Scope;
  /** Half-open [from, to). */
  readonly window: { readonly fromNs: bigint; readonly toNs: bigint };
  /** Most rows of an answer. The statement requests one more, to detect that there are more. */
  readonly limit: number;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Recently seen fields and metrics, for warnings and suggestions. The types that are read do not depend on it. */
  readonly catalogue?: FieldCatalogue;
  /**
   * All kinds and temporalities that the metrics in `Compiled.metrics` have had in `Compiled.reach`, from an earlier
   * compilation: tables of other kinds are not read. The answer is the same as without it, provided that it is complete.
   */
  readonly types?: KnownMetrics;
  /** The statement becomes a table of another one: its maps are maps, and `decodeRow` does not get its rows. */
  readonly asTable?: boolean;
  readonly nowNs: bigint;
}

export type ResultKind = 'table' | 'timeseries' | 'scalar' | 'flamegraph';

/** One step of a query: its input and output columns. */
export interface ExplainedStage {
  readonly op: string;
  readonly in: readonly ResultColumn[];
  readonly out: readonly ResultColumn[];
  /** Which rows it keeps of several, where that is not told by its text. */
  readonly keeps?: string;
}

/** How a query is interpreted and run. */
export interface Explanation {
  readonly normalized: string;
  readonly stages: readonly ExplainedStage[];
  readonly fields: readonly FieldUse[];
  readonly scope: Scope;
  readonly window: { readonly from: string; readonly to: string };
  readonly sql: string;
  readonly params: Readonly<Record<string, BoundParameter>>;
  /** Filled in by the server, which asks the engine. */
  readonly estimate: null;
  readonly limits: {
    readonly rows: number;
    readonly characters: number;
    readonly depth: number;
    readonly stages: number;
  };
  readonly warnings: readonly Diagnostic[];
}

export interface Compiled {
  readonly ok: true;
  readonly sql: string;
  readonly params: Readonly<Record<string, BoundParameter>>;
  /**
   * A cheaper statement of a query that groups by attributes of any type: it reads them as texts, and fails with `FUNCTION_THROW_IF_VALUE_IS_NON_ZERO`
   * at a row in which one of them is missing or has another type. Where it succeeds, its answer is the same.
   */
  readonly ofTexts?: {
    readonly sql: string;
    readonly params: Readonly<Record<string, BoundParameter>>;
    /** The attributes, with their signals. */
    readonly names: readonly string[];
  };
  /** ClickHouse settings that the statement requires. */
  readonly settings: Settings;
  readonly columns: readonly ResultColumn[];
  readonly kind: ResultKind;
  /** Columns that the query groups by, including that of the time bucket; null if it returns single rows. */
  readonly keys: readonly string[] | null;
  readonly normalized: string;
  /** Whether the query names its window, which then narrows the one that it is asked for. */
  readonly namesWindow: boolean;
  /** Whether it keeps what a condition has held for (`where … for 5m`). */
  readonly holds: boolean;
  /** Whether it shows the records around matches (`context`). */
  readonly showsContext: boolean;
  /** Metrics that are asked about: `catalogue.metrics` would tell which of them there are, and of what kind. */
  readonly metrics: readonly string[];
  /** The time range of the answer: that of the request, narrowed by the query's own. */
  readonly window: Window;
  /** The time buckets of the answer that contain only part of their time, at most two: cut by its range, or not over. */
  readonly partialBuckets: readonly Window[];
  /** Present if changes are read: their rows have to be bound to a parameter; without them there are none. */
  readonly changes?: ChangesRead;
  /** The tables that are read. */
  readonly tables: readonly Table[];
  /** The time range that is read, including sub-queries and lookbacks. */
  readonly reach: { readonly fromNs: bigint; readonly toNs: bigint };
  /** Whether the statement fails where a series is of another kind than `CompileOptions.types` says, if these are `checked`. */
  readonly checksKinds: boolean;
  /**
   * Metrics whose roll-ups could answer parts of the query: with `CompileOptions.types.rollUps`, they do, and the answer is the same
   * but for the rounding of sums.
   */
  readonly rollUps: readonly RollUpUse[];
  /**
   * A statement that counts the series that have no earlier point to count their growth from, although they began before the range. Absent: there
   * are none, or the statement itself fails where there are.
   */
  readonly anchorless?: StatementBeside;
  /**
   * A statement that returns how many rows the answer counts by weights (`rows`), and the sum of these (`represented`). Unless the query takes
   * the sample, both are the same where no span in `reach` is sampled. Absent: nothing is counted by weights of sampling.
   */
  readonly sampled?: StatementBeside & { readonly bySample: boolean };
  /** Present if number points of one metric are enough: `answerRecent` of them returns the rows of the statement. */
  readonly recent?: RecentQuestion;
  readonly explain: Explanation;
  readonly warnings: readonly Diagnostic[];
}

export type CompileResult = Compiled | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Compiles OQL to one ClickHouse statement, whose text contains no user input. Never throws for a query. */
export function compile(text: string, options: CompileOptions): CompileResult {
  const stages: ExplainedStage[] = [];
  let before: readonly ResultColumn[] = [];
  const { query, checked, diagnostics, warnings } = analyse(text, { params: {}, ...options }, (op, relation) => {
    const out = resultColumns(outputColumns(relation));
    stages.push({ op, in: before, out, ...(op === 'dedup' && relation.keeps ? { keeps: relation.keeps } : {}) });
    before = out;
  });
  if (!query || !checked || warnings.length < diagnostics.length) return { ok: false, diagnostics };

  const { relation, output, statement } = limitedTo(options, text, checked);
  if ('code' in statement) return { ok: false, diagnostics: [statement, ...warnings] };
  const { sql, params, changes, reach, tables, checksKinds } = statement;
  const columns = resultColumns(output, options.asTable);
  const recent = options.asTable ? undefined : recentQuestionOf(query, checked, options);
  const normalized = printQuery(query);
  const anchorless = options.asTable ? undefined : anchorlessOf(text, checked, options.scope);
  const sampled = options.asTable ? undefined : sampledOf(text, checked, options.scope);
  const explain: Explanation = {
    normalized,
    stages,
    fields: checked.fields,
    scope: options.scope,
    window: { from: printTimestamp(checked.window.fromNs), to: printTimestamp(checked.window.toNs) },
    sql,
    params,
    estimate: null,
    limits: { rows: options.limit, characters: LIMITS.characters, depth: LIMITS.depth, stages: LIMITS.stages },
    warnings,
  };
  return {
    ok: true,
    sql,
    params,
    ...(relation.keys?.length && checked.texts.size > 0 ? withTexts(text, options, checked.texts) : {}),
    settings: settingsFor(statement, options.nowNs),
    columns,
    kind: kindOf(relation, columns),
    keys: relation.keys ?? null,
    normalized,
    namesWindow: query.range !== undefined,
    holds: query.pipeline.stages.some(({ kind }) => kind === 'held'),
    showsContext: query.pipeline.stages.some(({ kind }) => kind === 'context'),
    metrics: checked.metrics,
    window: checked.window,
    partialBuckets:
      relation.bucket && !relation.bucket.moments ? partialBuckets(relation.bucket, checked.window, options.nowNs) : [],
    ...(changes && { changes }),
    tables,
    reach,
    checksKinds,
    rollUps: checked.rollUps,
    ...(recent && { recent }),
    ...(anchorless && { anchorless }),
    ...(sampled && { sampled }),
    explain,
    warnings,
  };
}

/** The statement of a query for one row more than its limit, with the columns of its answer. */
function limitedTo({ limit, scope, asTable }: CompileOptions, text: string, checked: Checked) {
  const relation = inUsualOrder(checked.relation);
  const output = outputColumns(relation);
  const plan: Plan = { op: 'limit', input: relation.plan, count: limit + 1, offset: 0 };
  const sqlOf = asTable ? outputOf : answerOf;
  const outputs = output.map(({ value }, i) => ({ name: `r${i + 1}`, value: sqlOf(value) }));
  return { relation, output, statement: statementOf(text, plan, outputs, { checked, scope }) };
}

function withTexts(text: string, options: CompileOptions, names: ReadonlySet<string>): Pick<Compiled, 'ofTexts'> {
  const { checked } = analyse(text, { params: {}, ...options, assumesTexts: true });
  const statement = checked && limitedTo(options, text, checked).statement;
  if (!statement || 'code' in statement) return {};
  return { ofTexts: { sql: statement.sql, params: statement.params, names: [...names] } };
}

/** Checks OQL without running it. Never throws. */
export function validate(
  text: string,
  options: { readonly catalogue?: FieldCatalogue; readonly params?: Readonly<Record<string, unknown>> } = {},
): { valid: boolean; diagnostics: readonly Diagnostic[] } {
  const { diagnostics } = analyse(text, { ...options, ...ANY_TIME });
  return { valid: diagnostics.every((diagnostic) => diagnostic.severity !== 'error'), diagnostics };
}

/** The metrics that a query asks about, as far as it can be read. Never throws. */
export function metricsIn(text: string): readonly string[] {
  return analyse(text, ANY_TIME).checked?.metrics ?? [];
}

/** Validation does not depend on the time, so any window will do: an hour. */
const ANY_TIME = { window: { fromNs: 0n, toNs: 3_600_000_000_000n }, nowNs: 3_600_000_000_000n };

function resultColumns(columns: readonly Column[], asTable = false): ResultColumn[] {
  return columns.map(({ name, value }) => {
    const { elements } = value;
    const type = value.sent && !asTable ? 'any' : value.type;
    return { name, type: outputType(type), ...(type === 'array' && elements ? { elements } : {}) };
  });
}

function kindOf(relation: Relation, columns: readonly ResultColumn[]): ResultKind {
  if (relation.flame) return 'flamegraph';
  if (relation.bucket && columns.some((column) => column.name === relation.bucket?.column)) return 'timeseries';
  return relation.keys?.length === 0 ? 'scalar' : 'table';
}

/** The query with the changes that it reads. Without them it finds none. */
export function bindChanges(compiled: Compiled, rows: readonly ChangeRow[]): Compiled {
  const { changes, ofTexts, sampled } = compiled;
  if (changes === undefined) return compiled;
  const bound = { [changes.parameter]: { type: 'String', value: JSON.stringify(rows) } } as const;
  return {
    ...compiled,
    params: { ...compiled.params, ...bound },
    ...(ofTexts && { ofTexts: { ...ofTexts, params: { ...ofTexts.params, ...bound } } }),
    ...(sampled && { sampled: { ...sampled, params: { ...sampled.params, ...bound } } }),
  };
}
