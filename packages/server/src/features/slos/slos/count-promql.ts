import { fail } from '../../../platform/fail.ts';
import type { Budget } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { holds } from '../../alerting/alert-rules/index.ts';
import { lackOf, type PromqlEvaluator, parseQuery, ruleSeries } from '../../telemetry/promql/index.ts';
import type { Minute, Range } from '../budget/index.ts';
import { stepOf } from './indicator-rules.ts';
import { countsOf, type PromqlIndicator, type StepValues } from './promql-rules.ts';

/** Steps of one evaluation, so that the samples of a busy counter fit into memory. */
const stepsAtOnce = 240;

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
  for (let startMs = fromMs; startMs < toMs; startMs += stepsAtOnce * stepMs) {
    const range = { fromMs: startMs, toMs: Math.min(toMs, startMs + stepsAtOnce * stepMs) };
    const values = (text: string) => stepValues(promql, scope, { text, stepMs, kind: indicator.kind }, range, how);
    if (indicator.kind === 'slices') {
      const { query, op, threshold } = indicator;
      for (const [ms, value] of await values(query))
        if (!Number.isNaN(value)) minutes.push({ at: ms / 1_000, good: holds(op, value, threshold) ? 1 : 0, total: 1 });
    } else minutes.push(...countsOf(await values(indicator.good), await values(indicator.total)));
  }
  return minutes;
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
