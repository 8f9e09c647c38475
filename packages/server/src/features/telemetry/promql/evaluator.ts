import type { ReadSignal } from '@fanion/oql';
import { type Evaluation, type EvaluationOptions, type Expression, evaluate, PromqlError } from '@fanion/promql';
import { type Failure, fail } from '../../../platform/fail.ts';
import {
  type Completeness,
  completenessOf,
  type Gateway,
  type Lane,
  type Unstored,
} from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { ReadAlerts } from './alert-series-rules.ts';
import type { SourceLimits } from './choosing.ts';
import type { Store } from './condition-store.ts';
import { signalsIn } from './reads.ts';
import { createSource } from './source.ts';
import { defaultLookbackMs, storableMs } from './time-rules.ts';

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
  readonly increases?: EvaluationOptions['increases'];
}

export interface PromqlBudget {
  readonly lane: Lane;
  readonly signal: AbortSignal;
  readonly alerts?: ReadAlerts | undefined;
  /** Longest time, if it is less than that of the configuration. */
  readonly seconds?: number;
}

export interface PromqlEvaluator {
  /** @throws `PROMQL_FAILED`, `QUERY_TOO_EXPENSIVE`, and what the gateway throws */
  evaluate(
    scope: TelemetryScope,
    question: PromqlQuestion,
    budget: PromqlBudget,
  ): Promise<Evaluation & { readonly completeness: Completeness }>;
  readonly limits: EvaluatorLimits;
}

export function createPromqlEvaluator({
  gateway,
  unstored,
  limits,
  seconds,
}: {
  readonly gateway: Gateway;
  /** What was acknowledged for a scope and cannot be queried yet. */
  readonly unstored: (scope: TelemetryScope, signals: readonly ReadSignal[]) => Promise<Unstored>;
  readonly limits: EvaluatorLimits;
  readonly seconds: number;
}): PromqlEvaluator {
  return {
    limits,
    async evaluate(scope, { expression, lookback = defaultLookbackMs, ...range }, { lane, signal, alerts, ...asked }) {
      const allowed = Math.min(seconds, Math.max(0.001, asked.seconds ?? seconds));
      const until = AbortSignal.any([signal, AbortSignal.timeout(allowed * 1000)]);
      const source = createSource({ store: storeOf(gateway, lane), scope, limits, alerts });
      // Before the samples are read: what they do not contain is among this.
      const missing = await unstored(scope, signalsIn(expression));
      const options = { ...range, lookback, limits };
      const evaluation = await evaluate(expression, options, source, until).catch((error: unknown) => {
        throw explained(error, until, signal, allowed);
      });
      return { ...evaluation, completeness: lackedBy(missing, range) };
    },
  };
}

/** The reads of selectors, in one lane. */
export function storeOf(gateway: Gateway, lane: Lane): Store {
  return { lookup: gateway.lane('lookup'), telemetry: gateway.lane(lane), readBlocks: gateway.readBlocks, lane };
}

/** PromQL looks back for the samples that it needs, and extrapolates only what it samples. */
function lackedBy(unstored: Unstored, { start, end }: Pick<PromqlQuestion, 'start' | 'end'>): Completeness {
  const ns = (ms: number) => BigInt(Math.trunc(storableMs(ms))) * 1_000_000n;
  const window = { fromNs: ns(start), toNs: ns(end) };
  return completenessOf({ window, partialBuckets: [] }, { unstored, missingAnchors: 0, sampledShare: 1 });
}

function explained(error: unknown, until: AbortSignal, client: AbortSignal, seconds: number): unknown {
  if (until.aborted && !client.aborted)
    return fail('QUERY_TOO_EXPENSIVE', { reason: `it ran longer than ${seconds} s` }, { cause: error });
  if (client.aborted) return client.reason as Failure;
  return error instanceof PromqlError ? fail('PROMQL_FAILED', { reason: error.message }, { cause: error }) : error;
}
