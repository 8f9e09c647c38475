import { type Evaluation, type Expression, formatPromql, PromqlError, parsePromql } from '@fanion/promql';
import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import type { Asked, PromqlEvaluator, ReadAlerts } from '../../../features/telemetry/promql/index.ts';
import { runInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { enveloped } from './answer.ts';
import { durationOf, limitOf, lookbackOf, type Range, rangeOf, timeOf } from './parameter-rules.ts';
import { resultJson } from './result-json.ts';

export interface QueryParts {
  readonly promql: PromqlEvaluator;
  /** For lists and samples, which are not evaluated. */
  readonly store: Asked['store'];
  /** What the metrics `ALERTS` and `ALERTS_FOR_STATE` are made of. */
  readonly alertsOf: (place: Place) => ReadAlerts;
  readonly history: Pick<QueryHistory, 'observe'>;
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
  return answered(parts, place, parameters, rangeOf(parameters, parts.promql.limits.steps));
}

async function answered(
  { promql, history, alertsOf }: QueryParts,
  place: Place,
  parameters: Parameters,
  range: Range,
): Promise<string> {
  const query = parameters.one('query');
  const expression = parsed(query);
  const question = { expression, ...range, lookback: lookbackOf(parameters) };
  const limit = limitOf(parameters);
  const timeout = parameters.one('timeout');
  const seconds = timeout === undefined ? {} : { seconds: durationOf('timeout', timeout) / 1000 };
  const budget = { lane: 'interactive', signal: place.signal, alerts: alertsOf(place), ...seconds } as const;
  const run = async () => {
    const evaluation = await promql.evaluate(scopeOf(place), question, budget);
    return {
      data: { rows: { length: sizeOf(evaluation) } },
      meta: { from: isoOf(range.start), to: isoOf(range.end) },
      evaluation,
    };
  };
  const fact = { ...place, query: query ?? '', query_language: 'promql' as const };
  const { evaluation } = await history.observe(fact, run);
  return jsonOf(shortened(evaluation, limit));
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
