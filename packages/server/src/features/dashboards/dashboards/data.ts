import { type DashboardPanel, type DashboardVariable, queryPanelTypes, type VariableValues } from '@fanion/contract';
import { automaticWidth, type BoundVariable, bindVariables } from '@fanion/oql';
import type { WorkspaceRef } from '../../../http/caller.ts';
import { errorBody } from '../../../http/envelope.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { EncodedRows } from '../../../platform/gateway/index.ts';
import type { Log } from '../../../platform/log.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { asFinished } from './as-finished.ts';
import { boundVariables } from './variable-rules.ts';
import { alignedWindow } from './window-rules.ts';

/** Longer texts are not searched for variables: a pass over 16 KiB takes about 10 ms. */
const longestWithVariables = 16_384;

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

export interface DataLimits {
  /** Rows of one panel. */
  readonly rows: number;
  /** Panels of one request that are asked at once: a dashboard is one guest of its lane. */
  readonly atOnce: number;
}

export type DashboardData = ReturnType<typeof createDashboardData>;

/** Asks the queries of panels. */
export function createDashboardData({
  queries,
  clock,
  log,
  limits,
}: {
  readonly queries: Pick<QueryService, 'run'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly limits: DataLimits;
}) {
  /** The window of a request, and what its variables stand for. */
  function preparedFor({ definitions, variables, from, to }: VariableRequest) {
    const window = alignedWindow(parseWindow({ from, to }, clock.now()), { from, to });
    const { fromNs, toNs, stepMs } = window;
    const bound = boundVariables(definitions, variables, {
      rangeMs: Number((toNs - fromNs) / 1_000_000n),
      stepMs: Number(automaticWidth(toNs - fromNs) / 1_000_000n),
    });
    return { asked: { from: formatNs(fromNs), to: formatNs(toNs) }, stepMs, bound };
  }

  return {
    preparedFor,

    /**
     * One line of NDJSON per panel with a query, each as soon as it is answered. Panels with the same query are asked once. A
     * panel that fails has a line with its error.
     */
    async *lines(
      scope: QueryScope & { readonly workspace: WorkspaceRef },
      request: DataRequest,
      signal: AbortSignal,
    ): AsyncGenerator<string | Uint8Array, void, undefined> {
      const { asked, stepMs, bound } = preparedFor(request);
      const breath = createBreath();
      const wanted = new Map<string, string[]>();
      for (const panel of request.panels.filter(hasQuery)) {
        const query = panel.query ?? '';
        const text = boundText(query, bound);
        if (typeof text === 'string') wanted.set(text, [...(wanted.get(text) ?? []), panel.id]);
        else yield failedLine(panel.id, text);
        await breath();
      }
      const maxAgeMs = request.maxAgeMs ?? stepMs;
      const ask = async ([query, panels]: readonly [string, readonly string[]]): Promise<Outcome> => {
        try {
          const input = { query, ...asked, limit: limits.rows };
          return { query, panels, answer: await queries.run(scope, input, signal, { maxAgeMs, lane: 'dashboard' }) };
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof Failure) return { panels, failure: error };
          log.error({ err: error, request_id: request.requestId }, 'a panel of a dashboard failed');
          return { panels, failure: fail('INTERNAL', { request_id: request.requestId }) };
        }
      };
      for await (const outcome of asFinished([...wanted], limits.atOnce, ask))
        for (const panel of outcome.panels) {
          if ('failure' in outcome) yield failedLine(panel, outcome.failure);
          else yield* lineOf(panel, outcome.query, outcome.answer);
        }
    },
  };
}

/** The text that is asked, or why it cannot be. */
export function boundText(query: string, bound: ReadonlyMap<string, BoundVariable>): string | Failure {
  if (!query.includes('$')) return query;
  if (query.length > longestWithVariables)
    return fail('VARIABLE_INVALID', {
      reason: `a query with variables has at most ${longestWithVariables} characters`,
    });
  const result = bindVariables(query, bound);
  return result.ok ? result.text : fail('VARIABLE_INVALID', { reason: result.reason });
}

type Outcome = { readonly panels: readonly string[] } & (
  | { readonly failure: Failure }
  | { readonly query: string; readonly answer: Answer }
);
type Answer = Awaited<ReturnType<QueryService['run']>>;

function failedLine(panel: string, failure: Failure): string {
  return `${JSON.stringify({ panel, error: errorBody(failure) })}\n`;
}

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);

function hasQuery({ type, query }: DashboardPanel): boolean {
  return withQuery.has(type) && query !== undefined && query.trim() !== '';
}

function* lineOf(panel: string, query: string, { data, meta }: Answer): Generator<string | Uint8Array> {
  const { rows, columns, kind } = data;
  yield `${JSON.stringify({ panel, columns, kind, meta: { ...meta, query } }).slice(0, -1)},"rows":`;
  if (rows instanceof EncodedRows) yield* rows.chunks;
  else yield JSON.stringify(rows);
  yield '}\n';
}
