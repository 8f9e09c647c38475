import type { AlertDefinition } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';
import type { Semantics } from './step-rules.ts';

const dayMs = 86_400_000;

/** @param dropsRows whether a missing row may mean that a condition of the query does not hold, which ends an alert as one of the rule does */
export function semanticsOf(
  { every, condition, no_data, missing_series, on_error }: AlertDefinition,
  { dropsRows }: { readonly dropsRows: boolean },
): Semantics {
  return {
    everyMs: durationMs(every),
    forMs: durationMs(condition.for),
    keepFiringForMs: durationMs(condition.keep_firing_for),
    noData: no_data,
    missingSeries: missing_series,
    missingIsFalse: dropsRows,
    onError: on_error,
  };
}

/** Without a window of its own, a query covers one interval, and at least a minute. */
export function defaultWindow(every: string): string {
  return durationMs(every) < 60_000 ? '1m' : every;
}

/** How often rules are evaluated in a second, all together. */
export function perSecond(rules: readonly { readonly every: string; readonly count: number }[]): number {
  return rules.reduce((sum, { every, count }) => sum + (count * 1_000) / durationMs(every), 0);
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/**
 * What is wrong with a definition beyond its form.
 * @param keptDays how long the project keeps telemetry
 */
export function issuesOf(definition: AlertDefinition, keptDays: number): Issue[] {
  const { kind, change, condition, every, offset, window } = definition;
  const issues: Issue[] = [];
  const within = (path: string, text: string, leastMs: number, mostMs: number, says: string) => {
    const ms = durationMs(text);
    if (ms < leastMs || ms > mostMs) issues.push({ path, message: says });
  };
  const keptMs = keptDays * dayMs;
  const kept = `must not be longer than the ${keptDays} days for which the project keeps telemetry`;
  within('every', every, 1_000, dayMs, 'must be from 1s to 1d');
  if (offset !== null) within('offset', offset, 0, 3_600_000, 'must be at most 1h');
  within('window', window, 1_000, keptMs, durationMs(window) === 0 ? 'must not be 0s' : kept);
  within('condition.for', condition.for, 0, keptMs, kept);
  within('condition.keep_firing_for', condition.keep_firing_for, 0, keptMs, kept);
  issues.push(...issuesOfCondition(definition));
  if (definition.query_language === 'promql' && window !== defaultWindow(every))
    issues.push({ path: 'window', message: 'does not apply to PromQL: set the range in the expression' });
  if (kind === 'change' && change === null)
    issues.push({ path: 'change', message: 'is missing: a rule of the kind change says what it compares with' });
  if (kind !== 'change' && change !== null)
    issues.push({ path: 'change', message: `does not apply to a rule of the kind ${kind}` });
  if (change !== null)
    within('change.ago', change.ago, 10_000, keptMs, durationMs(change.ago) < 10_000 ? 'must be at least 10s' : kept);
  return issues;
}

/** Without an operator, the answer is only what fires: what is missing from it is not a gap in the data. */
function issuesOfCondition(definition: AlertDefinition): Issue[] {
  const { kind, query_language, condition, no_data, missing_series } = definition;
  if (condition.op !== undefined && condition.threshold !== undefined) return [];
  const path = condition.op === undefined ? 'condition.op' : 'condition.threshold';
  if (condition.op !== undefined || condition.threshold !== undefined)
    return [{ path, message: 'is missing: `op` and `threshold` belong together' }];
  if (query_language !== 'promql') return [{ path, message: 'is missing: only an expression in PromQL can compare' }];
  if (kind === 'change') return [{ path, message: 'is missing: a rule of the kind change compares a difference' }];
  if (kind === 'absence') return [];
  const issues: Issue[] = [];
  if (no_data !== 'ok')
    issues.push({ path: 'no_data', message: 'must be ok without `op`: write `absent(…)` to hear of missing data' });
  if (missing_series !== 'resolve')
    issues.push({
      path: 'missing_series',
      message: 'must be resolve without `op`: a series that is not returned is no alert',
    });
  return issues;
}
