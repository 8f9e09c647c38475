import {
  type Evaluation,
  type EvaluationOptions,
  type Expression,
  evaluate,
  formatPromql,
  PromqlError,
  parsePromql,
} from '@fanion/promql';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { runInSlices } from '../../../platform/breath.ts';
import { type Failure, fail } from '../../../platform/fail.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import { enveloped } from './answer.ts';
import type { Store } from './condition-store.ts';
import { durationOf, limitOf, lookbackOf, type Parameters, rangeOf, timeOf } from './parameter-rules.ts';
import { resultJson } from './result-json.ts';
import type { SourceLimits } from './selecting.ts';
import { createSource } from './source.ts';

/** Whose telemetry a request reads. */
export interface Place {
  readonly workspace: WorkspaceRef;
  readonly narrowed: { readonly project: ProjectRef | undefined; readonly environment: string | undefined };
  readonly caller: UserCaller;
  readonly signal: AbortSignal;
}

export interface QueryParts {
  readonly store: Store;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly limits: SourceLimits & { readonly steps: number };
  /** Longest time of a query. */
  readonly seconds: number;
}

/** @throws `PROMETHEUS_PARAMETER_INVALID` in the words of Prometheus */
export function parsed(text: string | undefined): Expression {
  try {
    return parsePromql(text ?? '');
  } catch (error) {
    if (error instanceof PromqlError)
      throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'query', reason: error.message }, { cause: error });
    throw error;
  }
}

export function formatted(text: string | undefined): string {
  return formatPromql(parsed(text));
}

/** The JSON of an instant query's answer. */
export function instant(parts: QueryParts, place: Place, parameters: Parameters, now: number): Promise<string> {
  const time = parameters.one('time');
  const at = time === undefined ? now : timeOf('time', time);
  return answered(parts, place, parameters, { start: at, end: at, step: 0 });
}

/** The JSON of a range query's answer. */
export function range(parts: QueryParts, place: Place, parameters: Parameters): Promise<string> {
  return answered(parts, place, parameters, rangeOf(parameters, parts.limits.steps));
}

async function answered(
  { store, history, limits, seconds }: QueryParts,
  place: Place,
  parameters: Parameters,
  range: Pick<EvaluationOptions, 'start' | 'end' | 'step'>,
): Promise<string> {
  const query = parameters.one('query');
  const expression = parsed(query);
  const options = { ...range, lookback: lookbackOf(parameters), limits };
  const limit = limitOf(parameters);
  const source = createSource(store, scopeOf(place), limits);
  const { signal, seconds: allowed } = limited(place.signal, parameters, seconds);
  const run = async () => {
    const evaluation = await evaluate(expression, options, source, signal).catch((error: unknown) => {
      throw explained(error, signal, place.signal, allowed);
    });
    return {
      data: { rows: { length: sizeOf(evaluation) } },
      meta: { from: isoOf(range.start), to: isoOf(range.end) },
      evaluation,
    };
  };
  const fact = { ...place, query: query ?? '' };
  const { evaluation } = await history.observe(fact, run);
  return jsonOf(shortened(evaluation, limit));
}

/** Ends with the client, and after the time that it or the configuration allows. */
function limited(
  client: AbortSignal,
  parameters: Parameters,
  seconds: number,
): { readonly signal: AbortSignal; readonly seconds: number } {
  const text = parameters.one('timeout');
  const asked = text === undefined ? seconds : durationOf('timeout', text) / 1000;
  const allowed = Math.min(seconds, Math.max(0.001, asked));
  return { signal: AbortSignal.any([client, AbortSignal.timeout(allowed * 1000)]), seconds: allowed };
}

function explained(error: unknown, signal: AbortSignal, client: AbortSignal, seconds: number): unknown {
  if (signal.aborted && !client.aborted)
    return fail('QUERY_TOO_EXPENSIVE', { reason: `it ran longer than ${seconds} s` }, { cause: error });
  if (client.aborted) return client.reason as Failure;
  return error instanceof PromqlError ? fail('PROMQL_FAILED', { reason: error.message }, { cause: error }) : error;
}

function isoOf(ms: number): string {
  return new Date(Math.min(8.64e15, Math.max(0, ms))).toISOString();
}

function sizeOf({ result }: Evaluation): number {
  return result.type === 'vector' ? result.samples.length : result.type === 'matrix' ? result.series.length : 1;
}

function shortened(evaluation: Evaluation, limit: number | undefined): Evaluation {
  const { result, warnings } = evaluation;
  if (limit === undefined || sizeOf(evaluation) <= limit) return evaluation;
  const more = { infos: evaluation.infos, warnings: [...warnings, 'results truncated due to limit'] };
  if (result.type === 'vector') return { ...more, result: { ...result, samples: result.samples.slice(0, limit) } };
  if (result.type === 'matrix') return { ...more, result: { ...result, series: result.series.slice(0, limit) } };
  return evaluation;
}

async function jsonOf(evaluation: Evaluation): Promise<string> {
  const pieces: string[] = [];
  await runInSlices(
    (function* () {
      for (const piece of resultJson(evaluation)) {
        pieces.push(piece);
        yield;
      }
    })(),
  );
  return enveloped(pieces.join(''), evaluation);
}
