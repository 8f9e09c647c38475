import type { Config } from '../../../config.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Completeness, Lane } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import {
  lackOf,
  type PromqlEvaluator,
  type PromqlQuestion,
  parseQuery,
  type RuleSeries,
  ruleSeries,
} from '../../telemetry/promql/index.ts';
import type { EvaluatedRule } from './evaluated-rule.ts';
import { alertsForRule } from './periods.ts';
import { distinctRows, type Row } from './sample-rules.ts';
import { requireDistinct, Unanswerable } from './unanswerable.ts';

/** More instances fail the evaluation: an alert that names a thousand things names none. */
export type EvaluationLimits = Pick<Config['alerts'], 'instances' | 'querySeconds'>;

export interface PromqlParts {
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
  readonly lane: Lane;
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: EvaluationLimits;
}

/** The rows of an expression by the times of its evaluations. */
export interface PromqlRows {
  /** @throws `Unanswerable` if no rule can use them */
  rowsAt(atMs: number): readonly Row[];
  readonly completeness: Completeness;
}

/** Asks the expressions of rules, each at one time or at several, which say themselves how far they look back. */
export function createPromqlRows({ promql, lane, db, clock, limits }: PromqlParts) {
  return async (
    { query, scope, place, definition }: EvaluatedRule,
    times: Pick<PromqlQuestion, 'start' | 'end' | 'step'>,
    signal: AbortSignal,
  ): Promise<PromqlRows> => {
    const alerts = alertsForRule({ db, clock }, { ...place, environment: scope.environment });
    const budget = { lane, signal, alerts, seconds: limits.querySeconds };
    const answer = await promql.evaluate(scope, { expression: parseQuery(query), ...times }, budget);
    const lack = lackOf(answer);
    if (lack !== undefined) throw new Unanswerable(lack);
    const byTime = valuesByTime(ruleSeries(answer));
    return {
      completeness: answer.completeness,
      rowsAt(atMs) {
        const found = byTime.get(atMs) ?? [];
        if (found.length > limits.instances)
          throw new Unanswerable(
            `The expression returns more than ${limits.instances} series. Aggregate by fewer labels, or keep only the series that matter with \`topk\`.`,
          );
        return requireDistinct(distinctRows(found, definition.labels));
      },
    };
  };
}

type Found = Parameters<typeof distinctRows>[0][number];

function valuesByTime(series: readonly RuleSeries[]): ReadonlyMap<number, readonly Found[]> {
  const found = new Map<number, Found[]>();
  for (const one of series) {
    const labels = Object.entries(one.labels);
    for (let i = 0; i < one.times.length; i++) {
      const [time, value] = [one.times[i] ?? 0, one.values[i] ?? null];
      const others = found.get(time) ?? [];
      found.set(time, others);
      others.push({ labels, value });
    }
  }
  return found;
}
