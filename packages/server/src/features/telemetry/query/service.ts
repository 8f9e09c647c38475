import type { QueryLanguage } from '@fanion/contract';
import type { Diagnostic } from '@fanion/oql';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import {
  assumptionsOf,
  type Gateway,
  type JsonAnswer,
  type Question,
  type ReadChanges,
  type StreamedAnswer,
} from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { PromqlEvaluator, PromqlRelation, ReadAlerts } from '../promql/index.ts';
import { estimateOf, readEstimate } from './estimate-store.ts';
import { askPromql } from './promql.ts';

/** The scope of a query: the narrowest place that the caller named or is pinned to. */
export interface QueryScope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
  /** Who asks; absent: nobody whose permissions say which `changes` may be read. */
  readonly caller?: UserCaller | undefined;
}
export interface QueryInput {
  readonly query: string;
  /** By default OQL. */
  readonly query_language?: QueryLanguage | undefined;
  /** Of PromQL. */
  readonly evaluate?: 'range' | 'instant' | undefined;
  readonly step?: string | undefined;
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly limit?: number | undefined;
  readonly when_shards_away?: 'fail' | 'skip' | undefined;
}

const defaultResultRows = 1_000;
/** Of PromQL: fifty series of a thousand steps. */
const defaultSamples = 50_000;
const defaultStreamRows = 100_000;
export const maxJsonRows = 100_000;

/** An answer as a stream of rows, with its window. */
export interface StreamedResult extends StreamedAnswer {
  readonly from: string;
  readonly to: string;
}

export interface QueryService {
  /** @param how the age that the answer may have (0: never cached), and the lane, by default `interactive` */
  run(
    scope: QueryScope,
    input: QueryInput,
    signal: AbortSignal,
    how: { readonly maxAgeMs: number; readonly lane?: 'interactive' | 'dashboard' },
  ): Promise<{
    data: {
      columns: readonly { readonly name: string; readonly type: string }[];
      rows: JsonAnswer['rows'];
      kind: 'table' | 'timeseries' | 'scalar' | 'flamegraph';
    };
    meta: Record<string, unknown>;
  }>;
  /** The same as a stream of rows. Throws as `run` does until the first row or the end; later the iteration throws. */
  stream(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<StreamedResult>;
  validate(
    scope: QueryScope,
    query: string,
    signal: AbortSignal,
  ): Promise<{ valid: boolean; diagnostics: readonly Diagnostic[] }>;
  explain(scope: QueryScope, input: QueryInput, signal: AbortSignal): Promise<Record<string, unknown>>;
}

interface QueryParts {
  readonly gateway: Gateway;
  readonly promql: PromqlEvaluator;
  readonly clock: Clock;
  /** Reads OQL's source `changes`. */
  readonly changes: (scope: QueryScope, caller: UserCaller) => ReadChanges;
  /** Reads PromQL's metrics `ALERTS` and `ALERTS_FOR_STATE`. */
  readonly alerts: (scope: QueryScope, caller: UserCaller) => ReadAlerts;
}

export function createQueryService(parts: QueryParts): QueryService {
  const { gateway, clock } = parts;

  return {
    async run(scope, input, signal, { maxAgeMs, lane = 'interactive' }) {
      if (input.query_language === 'promql') return sampled(parts, scope, input, signal, lane);
      const began = clock.now();
      const question = questionOf(parts, scope, input, input.limit ?? defaultResultRows);
      const whenShardsAway = input.when_shards_away;
      const answer = await gateway.askJson(placeOf(scope), question, { lane, signal, maxAgeMs, whenShardsAway });
      return {
        data: { columns: answer.columns, rows: answer.rows, kind: answer.kind },
        meta: {
          took_ms: clock.now() - began,
          rows_read: answer.cost.rowsRead,
          bytes_read: answer.cost.bytesRead,
          truncated: answer.truncated,
          warnings: [...answer.plan.warnings, ...answer.warnings],
          completeness: answer.completeness,
          from: formatNs(question.window.fromNs),
          to: formatNs(question.window.toNs),
          ...(answer.ageMs > 0 && { age_ms: answer.ageMs }),
        },
      };
    },

    async stream(scope, input, signal) {
      if (input.query_language === 'promql') {
        const { data, meta } = await sampled(
          parts,
          scope,
          { limit: defaultStreamRows, ...input },
          signal,
          'interactive',
        );
        return streamOf(data, meta);
      }
      const question = questionOf(parts, scope, input, input.limit ?? defaultStreamRows);
      const whenShardsAway = input.when_shards_away;
      const budget = { lane: 'interactive', signal, whenShardsAway } as const;
      const answer = await gateway.stream(placeOf(scope), question, budget);
      const { fromNs, toNs } = question.window;
      return { ...answer, from: formatNs(fromNs), to: formatNs(toNs) };
    },

    validate: (scope, query, signal) => gateway.validate(placeOf(scope), query, signal),

    explain: (scope, input, signal) => explained(parts, scope, input, signal),
  };
}

function questionOf(
  { clock, changes }: QueryParts,
  scope: QueryScope,
  { query, params, ...input }: QueryInput,
  limit: number,
): Question {
  return {
    oql: query,
    window: parseWindow(input, clock.now()),
    limit,
    params,
    hints: true,
    changes: scope.caller && changes(scope, scope.caller),
  };
}

/** A query in PromQL. Its answers are not cached. */
async function sampled(
  { promql, clock, alerts }: QueryParts,
  scope: QueryScope,
  input: QueryInput,
  signal: AbortSignal,
  lane: 'interactive' | 'dashboard',
) {
  const began = clock.now();
  const window = parseWindow(input, began);
  const { query, evaluate, step, limit = defaultSamples } = input;
  const budget = { lane, signal, alerts: scope.caller && alerts(scope, scope.caller) };
  const answer = await askPromql(promql, placeOf(scope), { query, evaluate, step, window, limit }, budget);
  const { columns, rows, kind, truncated, warnings, completeness } = answer;
  const [from, to] = [formatNs(window.fromNs), formatNs(window.toNs)];
  return {
    data: { columns, rows, kind },
    meta: { took_ms: clock.now() - began, truncated, warnings, completeness, from, to },
  };
}

async function explained(parts: QueryParts, scope: QueryScope, input: QueryInput, signal: AbortSignal) {
  const { gateway } = parts;
  const question = questionOf(parts, scope, input, defaultResultRows);
  const planned = await gateway.plan(placeOf(scope), question, signal);
  const { plan } = planned;
  // It reads indexes only. If it fails (the store is down), the plan is still returned.
  const estimate = await readEstimate(gateway.lane('lookup'), placeOf(scope), plan, signal)
    .then(estimateOf)
    .catch(() => null);
  return {
    ...plan.explain,
    sql: plan.sql,
    params: Object.fromEntries(
      Object.entries(plan.params).map(([name, { value }]) => [name, typeof value === 'bigint' ? String(value) : value]),
    ),
    estimate,
    rollup: plan.rollUps
      .filter(({ read }) => read.length > 0)
      .map(({ metric, width, read }) => ({
        metric,
        step_seconds: width,
        ranges: read.map(({ fromNs, toNs }) => ({ from: formatNs(fromNs), to: formatNs(toNs) })),
      })),
    assumes: assumptionsOf(planned),
    memory: gateway.mayAnswerFromMemory(plan),
    scope: {
      workspace: scope.workspace.id,
      project: scope.project?.id ?? null,
      environment: scope.environment ?? null,
    },
    window: { from: formatNs(question.window.fromNs), to: formatNs(question.window.toNs) },
    limits: {
      seconds: gateway.limits.maxSeconds,
      rows_read: gateway.limits.maxRowsToRead,
      memory_bytes: gateway.limits.maxMemoryBytes,
      result_rows: defaultResultRows,
      result_bytes: gateway.limits.maxResultBytes,
      row_bytes: gateway.limits.maxRowBytes,
    },
    warnings: plan.warnings,
  };
}

/** A whole answer as a stream. */
function streamOf(
  { columns, rows }: Pick<PromqlRelation, 'columns' | 'rows'>,
  { truncated, completeness, from, to }: Pick<StreamedResult, 'from' | 'to'> & Omit<StreamedResult['told'], 'rows'>,
): StreamedResult {
  async function* batches() {
    yield rows.map((row) => [...row]);
  }
  const told = { rows: rows.length, truncated, ...(completeness && { completeness }) };
  return { columns, batches: batches(), told, close: () => {}, from, to };
}

function placeOf({ workspace, project, environment }: QueryScope): TelemetryScope {
  return { workspace: workspace.number, project: project?.number, environment };
}
