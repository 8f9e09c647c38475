import { type Checked, type CheckOptions, check } from './check/check.ts';
import { type Diagnostic, toDiagnostic } from './diagnostics/diagnostic.ts';
import { foreignText } from './foreign/index.ts';
import type { Plan } from './plan/plan.ts';
import { type Output, print, type Scope, type Statement } from './print/print.ts';
import { columnsOf } from './rules/columns.ts';
import { optimise } from './rules/index.ts';
import type { Query } from './syntax/ast.ts';
import { LIMITS } from './syntax/guard.ts';
import { type Parsed, parse } from './syntax/parse.ts';

export interface Analysed {
  /** Absent if not even the source is known. */
  readonly query?: Query;
  readonly checked?: Checked;
  /** Errors, warnings and hints, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** Parses and checks a text. Never throws. */
export function analyse(text: string, options: CheckOptions, observe?: Parameters<typeof check>[2]): Analysed {
  const { query, findings } = parsed(text, options);
  const checked: Checked | undefined = query && check(query, options, observe);
  const all = [...findings, ...(checked?.findings ?? [])].map((finding) => toDiagnostic(text, finding));
  const diagnostics = all.sort((a, b) => a.span.start - b.span.start);
  const warnings = diagnostics.filter((diagnostic) => diagnostic.severity !== 'error');
  return { ...(query ? { query } : {}), ...(checked ? { checked } : {}), diagnostics, warnings };
}

/** The translation of a text in another language is shown only if it is valid OQL. */
function parsed(text: string, options: CheckOptions): Parsed {
  const found = parse(text);
  const shown = found.findings.find(({ name }) => name === 'FOREIGN_LANGUAGE')?.suggestion;
  const asked = shown && parse(shown.edit.text).query;
  if (!asked || check(asked, options).findings.every(({ severity }) => severity !== undefined && severity !== 'error'))
    return found;
  const unshown = foreignText(text, () => undefined);
  return unshown ? { findings: [unshown] } : found;
}

/**
 * Whole numbers beyond 2^53 are sent as JSON text, and NaN as `NaN`; `decodeRow` reads both. `promrate` uses Prometheus functions.
 * The engine would take factors out of sums, and refuse a factor that it finds to be null, as of `sum_if(x, p and "" contains "a")`.
 */
const SETTINGS = {
  optimize_arithmetic_operations_in_aggregate_functions: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  allow_experimental_time_series_aggregate_functions: 1,
};

/** ClickHouse settings of a statement, by their names. */
export type Settings = Readonly<Record<string, string | number>>;

/** Otherwise the engine makes `maxIf(x, p)` of `max(if(p, x, NULL))`, and computes `x` where `p` does not hold too. */
const LAZY_CONDITIONS = { optimize_rewrite_aggregate_function_with_if: 0 };

/**
 * Points of exponential histograms have up to 160 buckets and more. A query for their quantiles over a day took 213 MiB with the engine's blocks of
 * 16,384 rows, of which several wait between its steps, and takes 101 MiB with these (2 cores, 23,000 points, 2026-11-24).
 */
const SMALL_BLOCKS = { max_block_size: 4096 };

const TEXT_INDEXES = 'by_value,by_resource,by_word';

/**
 * Words and values are indexed when their day is over. On days that are not, the engine would search for words before it
 * checks cheaper conditions, in every text: four times the work, for a search for errors with a word. It would also plan with
 * the indexes, which no part has: up to 3 ms.
 */
export function settingsFor(
  { reach: { fromNs, toNs }, aggregatesChecks, readsExponential }: Statement,
  nowNs: bigint,
): Settings {
  const today = nowNs - (nowNs % 86_400_000_000_000n);
  const settings = {
    ...SETTINGS,
    ...(aggregatesChecks && LAZY_CONDITIONS),
    ...(readsExponential && SMALL_BLOCKS),
  };
  if (toNs <= today) return settings;
  return {
    ...settings,
    query_plan_direct_read_from_text_index: 0,
    ...(fromNs >= today ? { ignore_data_skipping_indices: TEXT_INDEXES } : {}),
  };
}

/** The cheapest statement for a plan; a diagnostic if it is larger than the store accepts. */
export function statementOf(
  text: string,
  plan: Plan,
  columns: readonly Output[],
  { checked, scope, prefix }: { readonly checked: Checked; readonly scope: Scope; readonly prefix?: string },
): Statement | Diagnostic {
  const read = new Set(columns.flatMap(({ value }) => [...columnsOf(value)]));
  const statement = print(optimise(plan, read, checked.fresh), columns, scope, prefix);
  if (statement && statement.sql.length <= LIMITS.statement) return statement;
  const message =
    'This query compiles to a statement of more than 256 KiB: compute fewer columns, or join and combine fewer sources.';
  return toDiagnostic(text, { name: 'TOO_LARGE', message, range: { start: 0, end: text.length } });
}
