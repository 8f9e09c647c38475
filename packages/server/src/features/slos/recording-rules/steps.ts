import type { QueryLanguage } from '@fanion/contract';
import { createBreath } from '../../../platform/breath.ts';
import type { Budget, Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { lackOf, type PromqlEvaluator, parseQuery, type RuleSeries, ruleSeries } from '../../telemetry/promql/index.ts';
import { askRelation } from './metric-store.ts';
import { type Found, type Labels, type Point, pointsOf, type Steps, UnwritableAnswer } from './write-rules.ts';

export interface AskedRule {
  readonly query: string;
  readonly query_language?: QueryLanguage | undefined;
  readonly everyMs: number;
  readonly labels: Labels;
  readonly maxSeries: number;
}

export interface StepsParts {
  readonly gateway: Gateway;
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
}

type How = Pick<Budget, 'lane' | 'signal'>;
/** Of PromQL, what is read is not counted. */
const notCounted = { rowsRead: 0, bytesRead: 0 };

/**
 * Asks the query of a rule for each step of a range. Throws what the gateway and the evaluator of PromQL throw, and
 * `UnwritableAnswer`.
 */
export async function askSteps(
  { gateway, promql }: StepsParts,
  scope: TelemetryScope,
  rule: AskedRule,
  steps: Steps,
  how: How,
): Promise<{ readonly points: Point[]; readonly cost: { readonly rowsRead: number; readonly bytesRead: number } }> {
  if (rule.query_language !== 'promql') {
    const { found, cost } = await askRelation(gateway, scope, rule, steps, how);
    return { points: await pointsOf(found, rule), cost };
  }
  const { query, everyMs } = rule;
  // The step before shows which series have ended since.
  const question = { expression: parseQuery(query), start: steps.fromMs, end: steps.toMs, step: everyMs };
  const answer = await promql.evaluate(scope, question, how);
  const lack = lackOf(answer);
  if (lack !== undefined) throw new UnwritableAnswer(lack);
  const found = await withEnds(ruleSeries(answer), steps, everyMs);
  return { points: await pointsOf(found, rule), cost: notCounted };
}

/** The values at the ends of steps, and none at the first step after the last value of a series. */
async function withEnds(series: readonly RuleSeries[], { fromMs, toMs }: Steps, everyMs: number): Promise<Found[]> {
  const found: Found[] = [];
  const breath = createBreath();
  for (const { labels, times, values } of series) {
    const named = Object.entries(labels);
    const known = new Set(Array.from(times));
    for (let i = 0; i < times.length; i++) {
      const [end, value] = [times[i] ?? 0, values[i] ?? Number.NaN];
      if (end > fromMs) found.push({ at: end - everyMs, labels: named, value });
      if (end + everyMs <= toMs && !known.has(end + everyMs)) found.push({ at: end, labels: named, value: null });
    }
    await breath();
  }
  return found;
}
