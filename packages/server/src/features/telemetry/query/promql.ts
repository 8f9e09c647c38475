import { automaticWidth } from '@fanion/oql';
import { durationMs } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import type { Completeness } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import {
  type PromqlBudget,
  type PromqlEvaluator,
  type PromqlRelation,
  parseQuery,
  relationOf,
} from '../promql/index.ts';

/** A query in PromQL. */
export interface PromqlInput {
  readonly query: string;
  readonly evaluate?: 'range' | 'instant' | undefined;
  readonly step?: string | undefined;
  readonly window: Window;
  readonly limit: number;
}

export async function askPromql(
  promql: PromqlEvaluator,
  scope: TelemetryScope,
  { query, window, limit, ...how }: PromqlInput,
  budget: Omit<PromqlBudget, 'seconds'>,
): Promise<PromqlRelation & { readonly completeness: Completeness }> {
  const question = { expression: parseQuery(query), ...timesOf(window, how) };
  const { completeness, ...evaluation } = await promql.evaluate(scope, question, budget);
  return { ...(await relationOf(evaluation, limit)), completeness };
}

/** Milliseconds. Steps are at multiples of their width, as the buckets of OQL. */
export function timesOf(
  { fromNs, toNs }: Window,
  { evaluate = 'range', step: asked }: Pick<PromqlInput, 'evaluate' | 'step'>,
): { readonly start: number; readonly end: number; readonly step: number } {
  const end = Number(toNs / 1_000_000n);
  if (evaluate === 'instant') return { start: end, end, step: 0 };
  const step = asked === undefined ? Number(automaticWidth(toNs - fromNs) / 1_000_000n) : durationMs(asked);
  if (step <= 0) throw fail('INVALID_INPUT', { reason: 'step: at least 1s' });
  return { start: Math.ceil(Number(fromNs / 1_000_000n) / step) * step, end, step };
}
