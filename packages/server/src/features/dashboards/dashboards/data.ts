import {
  type DashboardPanel,
  type DashboardVariable,
  FlagKey,
  type QueryLanguage,
  queryPanelTypes,
  type VariableValues,
} from '@fanion/contract';
import { automaticWidth, type BoundVariable, splitByFlag } from '@fanion/oql';
import type { Config } from '../../../config.ts';
import type { WorkspaceRef } from '../../../http/caller.ts';
import { errorBody } from '../../../http/envelope.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { type Compiler, EncodedRows } from '../../../platform/gateway/index.ts';
import type { Log } from '../../../platform/log.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { asFinished } from './as-finished.ts';
import { type Bind, createBind, longestWithVariables } from './bound-text.ts';
import { namedSeries, stacked } from './joined-rules.ts';
import { bindPromql } from './promql-rules.ts';
import { type BoundValue, boundVariables } from './variable-rules.ts';
import { alignedWindow } from './window-rules.ts';

/** The variables of a dashboard with their values, and the window. */
export interface VariableRequest {
  readonly definitions: readonly DashboardVariable[];
  readonly variables: VariableValues;
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
}

export interface DataRequest extends VariableRequest {
  readonly panels: readonly DashboardPanel[];
  /** For the log. */
  readonly requestId: string;
  /** How old an answer may be; by default as long as the window stays the same. */
  readonly maxAgeMs?: number | undefined;
}

interface DataParts {
  readonly queries: Pick<QueryService, 'run'>;
  readonly compiler: Pick<Compiler, 'bindVariables'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly limits: Config['dashboards']['data'];
}

export type DashboardData = ReturnType<typeof createDashboardData>;

/** Runs panel queries. */
export function createDashboardData(parts: DataParts) {
  const { compiler, clock, limits } = parts;
  const preparedFor = (request: VariableRequest) => prepared(request, clock.now());

  const bindFor = (scope: QueryScope, signal: AbortSignal) =>
    createBind(compiler, { workspace: scope.workspace.number, signal });

  return {
    preparedFor,
    bindFor,

    /**
     * One line of NDJSON per panel with a query, each as soon as it is answered. Panels with the same query are asked once. A
     * panel that fails has a line with its error.
     */
    async *lines(
      scope: QueryScope & { readonly workspace: WorkspaceRef },
      request: DataRequest,
      signal: AbortSignal,
    ): AsyncGenerator<string | Uint8Array, void, undefined> {
      const { asked, stepMs, boundFor } = preparedFor(request);
      const breath = createBreath();
      const bind = bindFor(scope, signal);
      const wanted = new Map<string, Wanted>();
      for (const panel of request.panels.filter(hasQuery)) {
        const asked = await questionOf(panel, boundFor(panel), bind);
        if (asked instanceof Failure) yield failedLine(panel.id, asked);
        else {
          const key = JSON.stringify(asked);
          wanted.set(key, { ...asked, panels: [...(wanted.get(key)?.panels ?? []), panel.id] });
        }
        await breath();
      }
      const facts = { asked, maxAgeMs: request.maxAgeMs ?? stepMs, requestId: request.requestId };
      const ask = (one: Wanted) => outcomeOf(parts, scope, one, facts, signal);
      for await (const outcome of asFinished([...wanted.values()], limits.atOnce, ask))
        for (const panel of outcome.panels) {
          if ('failure' in outcome) yield failedLine(panel, outcome.failure);
          else yield* lineOf(panel, outcome.question, outcome.answer);
        }
    },
  };
}

/** The window of a request, and what its variables stand for. */
function prepared({ definitions, variables, from, to }: VariableRequest, nowMs: number) {
  const window = alignedWindow(parseWindow({ from, to }, nowMs), { from, to });
  const { fromNs, toNs, stepMs } = window;
  const boundWith = (values: VariableValues) =>
    boundVariables(definitions, values, {
      rangeMs: Number((toNs - fromNs) / 1_000_000n),
      stepMs: Number(automaticWidth(toNs - fromNs) / 1_000_000n),
    });
  const bound = boundWith(variables);
  /** With the panel's own values. */
  const boundFor = (panel: Pick<DashboardPanel, 'variables'>) =>
    panel.variables === undefined ? bound : boundWith({ ...variables, ...panel.variables });
  return { asked: { from: formatNs(fromNs), to: formatNs(toNs) }, stepMs, bound, boundFor };
}

/** The query of a panel with the values of variables. */
interface PanelQuestion {
  readonly text: string;
  /** The column with the variant, if the panel is split by a flag. */
  readonly split: string | undefined;
  readonly language?: QueryLanguage | undefined;
  /** Of PromQL. */
  readonly evaluate?: 'range' | 'instant';
  /** All queries of a panel that names its series, or has several queries. */
  readonly series?: readonly { readonly text: string; readonly name: string | undefined }[];
}
type Wanted = PanelQuestion & { readonly panels: readonly string[] };

/** What a panel asks, or why it cannot be asked. */
export async function questionOf(
  panel: DashboardPanel,
  bound: ReadonlyMap<string, BoundValue>,
  bind: Bind,
): Promise<PanelQuestion | Failure> {
  if (panel.query_language === 'promql') return promqlQuestion(panel, bound);
  const { query = '', split } = panel;
  const asked = async (text: string, column?: string): Promise<PanelQuestion | Failure> => {
    try {
      const written = await bind(text, bound);
      return typeof written === 'string' ? { text: written, split: column } : written;
    } catch (error) {
      // A query that takes too long fails alone, and not the whole dashboard.
      if (error instanceof Failure) return error;
      throw error;
    }
  };
  if (split === undefined) return asked(query);
  if (query.length > longestWithVariables)
    return fail('PANEL_NOT_SPLIT', { reason: `its query has more than ${longestWithVariables} characters` });
  const flag = flagOf(split.flag, bound);
  if (flag instanceof Failure) return flag;
  if (flag === undefined) return asked(query);
  const result = splitByFlag(query, flag);
  return result.ok ? asked(result.text, result.column) : fail('PANEL_NOT_SPLIT', { reason: result.reason });
}

function promqlQuestion(
  { type, query = '', series_name, more_queries = [], split }: DashboardPanel,
  bound: ReadonlyMap<string, BoundValue>,
): PanelQuestion | Failure {
  if (split !== undefined)
    return fail('PANEL_NOT_SPLIT', { reason: 'its query is in PromQL, and samples of metrics belong to no trace' });
  const series = [];
  for (const one of [{ query, series_name }, ...more_queries]) {
    const text = bindPromql(one.query, bound);
    if (typeof text !== 'string') return text;
    series.push({ text, name: one.series_name });
  }
  return {
    text: series[0]?.text ?? '',
    split: undefined,
    language: 'promql',
    evaluate: type === 'time_series' || type === 'heat_map' ? 'range' : 'instant',
    ...((series.length > 1 || (series_name !== undefined && type !== 'table')) && { series }),
  };
}

/** The answers of a panel's queries as one. */
function joinedAnswer({ series, evaluate }: PanelQuestion, answers: readonly Answer[]): Answer {
  const [first] = answers;
  if (first === undefined) throw new Error('a panel has a query');
  if (series === undefined) return first;
  const parts = answers.map(({ data: { columns, rows } }, at) => {
    if (rows instanceof EncodedRows) throw new Error('answers of PromQL are not encoded');
    return { columns, rows, seriesName: series[at]?.name };
  });
  const isNamed = evaluate === 'range' || series.some(({ name }) => name !== undefined);
  const joined = isNamed ? namedSeries(parts) : stacked(parts);
  const warnings = answers.flatMap(({ meta }) => (Array.isArray(meta.warnings) ? meta.warnings : []));
  const truncated = answers.some(({ meta }) => meta.truncated === true);
  const kind = evaluate === 'range' ? 'timeseries' : 'table';
  return { data: { ...joined, kind }, meta: { ...first.meta, truncated, warnings: [...new Set(warnings)] } };
}

/** The flag that a panel is split by; undefined while its variable has no value. */
export function flagOf(named: string, bound: ReadonlyMap<string, BoundVariable>): string | Failure | undefined {
  if (!named.startsWith('$')) return named;
  const variable = bound.get(named.slice(1));
  if (variable === undefined) return fail('PANEL_NOT_SPLIT', { reason: `there is no variable ${named}` });
  if (variable.kind === 'any') return undefined;
  const values = variable.kind === 'values' ? variable.values : [variable.text];
  const [only] = values;
  if (values.length > 1 || only === undefined)
    return fail('PANEL_NOT_SPLIT', { reason: `${named} has several values: choose one flag` });
  // Another text could name a variable, which would be written into it.
  return FlagKey.safeParse(only).success
    ? String(only)
    : fail('PANEL_NOT_SPLIT', { reason: `the value of ${named} is not the key of a flag` });
}

type Outcome = { readonly panels: readonly string[] } & (
  | { readonly failure: Failure }
  | { readonly question: PanelQuestion; readonly answer: Answer }
);
type Answer = Awaited<ReturnType<QueryService['run']>>;

interface AskedFacts {
  /** The window. */
  readonly asked: { readonly from: string; readonly to: string };
  readonly maxAgeMs: number;
  readonly requestId: string;
}

/** Asks what panels have in common. */
async function outcomeOf(
  { queries, log, limits }: DataParts,
  scope: QueryScope,
  { panels, ...question }: Wanted,
  { asked, maxAgeMs, requestId }: AskedFacts,
  signal: AbortSignal,
): Promise<Outcome> {
  const { language, evaluate } = question;
  try {
    const answers = [];
    for (const { text } of question.series ?? [question]) {
      const input = { query: text, query_language: language, evaluate, ...asked, limit: limits.rows };
      answers.push(await queries.run(scope, input, signal, { maxAgeMs, lane: 'dashboard' }));
    }
    return { question, panels, answer: joinedAnswer(question, answers) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure) return { panels, failure: error };
    log.error({ err: error, request_id: requestId }, 'a panel of a dashboard failed');
    return { panels, failure: fail('INTERNAL', { request_id: requestId }) };
  }
}

function failedLine(panel: string, failure: Failure): string {
  return `${JSON.stringify({ panel, error: errorBody(failure) })}\n`;
}

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);

export function hasQuery({ type, query }: DashboardPanel): boolean {
  return withQuery.has(type) && query !== undefined && query.trim() !== '';
}

function* lineOf(
  panel: string,
  { text, split, language }: PanelQuestion,
  { data, meta }: Answer,
): Generator<string | Uint8Array> {
  const { rows, columns, kind } = data;
  const told = {
    ...meta,
    query: text,
    ...(split !== undefined && { split }),
    ...(language && { query_language: language }),
  };
  yield `${JSON.stringify({ panel, columns, kind, meta: told }).slice(0, -1)},"rows":`;
  if (rows instanceof EncodedRows) yield* rows.chunks;
  else yield JSON.stringify(rows);
  yield '}\n';
}
