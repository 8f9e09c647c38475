import type { Expression } from '@fanion/promql';
import { partsOf } from '@fanion/promql';
import { durationMs } from '../../../platform/durations.ts';
import { parseQuery } from '../../telemetry/promql/index.ts';
import type { Evaluated, EvaluatedRule } from './evaluated-rule.ts';
import { createPromqlRows, type PromqlParts } from './promql-rows.ts';
import { changesOf, conditionOf, samplesOf } from './sample-rules.ts';

/** Times that are `stepMs` apart. */
export interface EvaluatedTimes {
  readonly times: readonly number[];
  readonly stepMs: number;
}

/** The samples of each time, and what the one query cost that answered all of them. */
export interface EvaluatedRange extends Omit<Evaluated, 'samples'> {
  readonly samples: readonly Evaluated['samples'][];
}

/** Evaluates a rule at several times by one query. @throws as an evaluation at one of the times does, or since the query is too large */
export type EvaluateRange = (
  rule: EvaluatedRule,
  times: EvaluatedTimes,
  signal: AbortSignal,
) => Promise<EvaluatedRange>;

/** Whether one query answers a rule at several times: each step of a range query in PromQL is an instant query. */
export function hasRange({ query, definition }: EvaluatedRule): boolean {
  const isPromql = definition.query_language === 'promql' && definition.burn === undefined;
  return isPromql && !dependsOnRange(parseQuery(query));
}

/** `@ start()` and `@ end()` are other times in a range query than in each instant query. */
function dependsOnRange(expression: Expression): boolean {
  const isAt = 'shift' in expression && typeof expression.shift.at === 'string';
  return isAt || partsOf(expression).some(dependsOnRange);
}

export function createEvaluateRange(parts: PromqlParts): EvaluateRange {
  const promqlRows = createPromqlRows(parts);
  return async (rule, { times, stepMs }, signal) => {
    const { change, labels, kind } = rule.definition;
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const rowsOf = (agoMs: number) =>
      promqlRows(rule, { start: first - agoMs, end: last - agoMs, step: stepMs }, signal);
    const agoMs = kind === 'change' && change !== null ? durationMs(change.ago) : undefined;
    const now = await rowsOf(0);
    const before = agoMs === undefined ? undefined : await rowsOf(agoMs);
    const samples = times.map((at) => {
      const rows = now.rowsAt(at);
      const changed =
        before && agoMs !== undefined && change ? changesOf(change.as, rows, before.rowsAt(at - agoMs)) : rows;
      return samplesOf(conditionOf(rule.definition), changed, labels);
    });
    return {
      samples,
      cost: { queries: before ? 2 : 1, rowsRead: 0, bytesRead: 0 },
      completeness: [now.completeness, ...(before ? [before.completeness] : [])],
    };
  };
}
