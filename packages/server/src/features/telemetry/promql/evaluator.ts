import { type Evaluation, type Expression, evaluate, PromqlError } from '@fanion/promql';
import { type Failure, fail } from '../../../platform/fail.ts';
import type { Gateway, Lane } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Store } from './condition-store.ts';
import type { SourceLimits } from './selecting.ts';
import { createSource } from './source.ts';
import { defaultLookbackMs } from './time-rules.ts';

export interface EvaluatorLimits extends SourceLimits {
  readonly steps: number;
}

/** An expression, and when it is evaluated: at `start`, or at each step from `start` to `end`. All in milliseconds. */
export interface PromqlQuestion {
  readonly expression: Expression;
  readonly start: number;
  readonly end: number;
  /** 0: an instant query. */
  readonly step: number;
  readonly lookback?: number;
}

export interface PromqlBudget {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  /** Longest time, if it is less than that of the configuration. */
  readonly seconds?: number;
}

export interface PromqlEvaluator {
  /** @throws `PROMQL_FAILED`, `QUERY_TOO_EXPENSIVE`, and what the gateway throws */
  evaluate(scope: TelemetryScope, question: PromqlQuestion, budget: PromqlBudget): Promise<Evaluation>;
  readonly limits: EvaluatorLimits;
}

export function createPromqlEvaluator({
  gateway,
  limits,
  seconds,
}: {
  readonly gateway: Gateway;
  readonly limits: EvaluatorLimits;
  readonly seconds: number;
}): PromqlEvaluator {
  return {
    limits,
    async evaluate(scope, { expression, lookback = defaultLookbackMs, ...range }, { lane, signal, ...asked }) {
      const allowed = Math.min(seconds, Math.max(0.001, asked.seconds ?? seconds));
      const until = AbortSignal.any([signal, AbortSignal.timeout(allowed * 1000)]);
      const source = createSource(storeOf(gateway, lane), scope, limits);
      return evaluate(expression, { ...range, lookback, limits }, source, until).catch((error: unknown) => {
        throw explained(error, until, signal, allowed);
      });
    },
  };
}

/** The reads of selectors, in one lane. */
export function storeOf(gateway: Gateway, lane: Lane): Store {
  return { lookup: gateway.lane('lookup'), telemetry: gateway.lane(lane), readChunks: gateway.readChunks, lane };
}

function explained(error: unknown, until: AbortSignal, client: AbortSignal, seconds: number): unknown {
  if (until.aborted && !client.aborted)
    return fail('QUERY_TOO_EXPENSIVE', { reason: `it ran longer than ${seconds} s` }, { cause: error });
  if (client.aborted) return client.reason as Failure;
  return error instanceof PromqlError ? fail('PROMQL_FAILED', { reason: error.message }, { cause: error }) : error;
}
