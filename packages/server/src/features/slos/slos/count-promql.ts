import { PromqlError } from '@fanion/promql';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Budget } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { holds } from '../../alerting/alert-rules/index.ts';
import { lackOf, type PromqlEvaluator, parseQuery, ruleSeries } from '../../telemetry/promql/index.ts';
import type { Minute, Range } from '../budget/index.ts';
import { stepOf } from './indicator-rules.ts';
import { countsOf, type PromqlIndicator, type StepValues } from './promql-rules.ts';

/** Steps of one evaluation, unless their samples do not fit into memory. */
const stepsAtOnce = 240;
/** A range of at most so many steps is not divided again. */
const fewestSteps = 15;

type Evaluator = Pick<PromqlEvaluator, 'evaluate'>;
type How = Pick<Budget, 'lane' | 'signal'>;

/**
 * The events of an indicator in PromQL by minute, or its slices, of each step that ends in a range.
 * Throws `SLO_INVALID` for an answer that does not count, and what the evaluator throws.
 */
export async function countExpressions(
  promql: Evaluator,
  scope: TelemetryScope,
  indicator: PromqlIndicator,
  { fromMs, toMs }: Range,
  how: How,
): Promise<readonly Minute[]> {
  const stepMs = stepOf(indicator);
  const minutes: Minute[] = [];
  const ranges: Range[] = [];
  for (let startMs = fromMs; startMs < toMs; startMs += stepsAtOnce * stepMs)
    ranges.push({ fromMs: startMs, toMs: Math.min(toMs, startMs + stepsAtOnce * stepMs) });
  for (let range = ranges.shift(); range !== undefined; range = ranges.shift()) {
    try {
      minutes.push(...(await countRange(promql, scope, indicator, range, how)));
    } catch (error) {
      const steps = (range.toMs - range.fromMs) / stepMs;
      if (!isAtLimit(error) || steps <= fewestSteps) throw error;
      const middleMs = range.fromMs + Math.ceil(steps / 2) * stepMs;
      ranges.unshift({ fromMs: range.fromMs, toMs: middleMs }, { fromMs: middleMs, toMs: range.toMs });
    }
  }
  return minutes;
}

/** Whether an evaluation needed more samples or series than one may hold. */
function isAtLimit(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof PromqlError && error.cause.kind === 'limit';
}

async function countRange(
  promql: Evaluator,
  scope: TelemetryScope,
  indicator: PromqlIndicator,
  range: Range,
  how: How,
): Promise<readonly Minute[]> {
  const stepMs = stepOf(indicator);
  const values = (text: string) => stepValues(promql, scope, { text, stepMs, kind: indicator.kind }, range, how);
  if (indicator.kind === 'ratio') return countsOf(await values(indicator.good), await values(indicator.total));
  const { query, op, threshold } = indicator;
  return [...(await values(query))].flatMap(([ms, value]) =>
    Number.isNaN(value) ? [] : [{ at: ms / 1_000, good: holds(op, value, threshold) ? 1 : 0, total: 1 }],
  );
}

async function stepValues(
  promql: Evaluator,
  scope: TelemetryScope,
  { text, stepMs, kind }: { readonly text: string; readonly stepMs: number; readonly kind: PromqlIndicator['kind'] },
  { fromMs, toMs }: Range,
  how: How,
): Promise<StepValues> {
  const question = { expression: parseQuery(text), start: fromMs + stepMs, end: toMs, step: stepMs };
  const answer = await promql.evaluate(scope, { ...question, ...(kind === 'ratio' && { increases: 'exact' }) }, how);
  const lack = lackOf(answer);
  if (lack !== undefined) throw fail('SLO_INVALID', { reason: lack });
  const [series, another] = ruleSeries(answer);
  if (another !== undefined)
    throw fail('SLO_INVALID', {
      reason: 'The expression returns several series. Aggregate them, as in `sum(…)`.',
    });
  const { times = [], values = [] } = series ?? {};
  return new Map(Array.from(times, (end, i) => [end - stepMs, values[i] ?? Number.NaN]));
}
