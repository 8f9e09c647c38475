import { attributeReader } from './attribute.ts';
import { bucketPrefix, unitOf } from './bucket.ts';
import type { CompiledRollout, CompiledServe, Scope } from './compiled.ts';
import { EvaluationFailure, Malformed } from './failure.ts';
import type { Outcome } from './outcome.ts';
import { type Rollout, type Serve, TARGETING_KEY, TOTAL_WEIGHT } from './ruleset.ts';
import { hashFraction } from './sha1.ts';

/** How a rule or the fallthrough makes its outcomes. */
export interface OutcomeMaker {
  readonly flagKey: string;
  readonly salt: string;
  /** @throws Malformed for an unknown variant */
  readonly outcome: (variant: string | null, how: { bucketed: boolean; tracked: boolean }) => Outcome;
}

/** @throws Malformed */
export function compileServe(serve: Serve, maker: OutcomeMaker): CompiledServe {
  if ('rollout' in serve) return { rollout: compileRollout(serve.rollout, maker) };
  return { fixed: maker.outcome(serve.variant, { bucketed: false, tracked: false }) };
}

function compileRollout(rollout: Rollout, maker: OutcomeMaker): CompiledRollout {
  const { bucket_by = TARGETING_KEY, seed, tracked = false } = rollout;
  if (!seed && typeof maker.salt !== 'string') throw new Malformed('a rollout needs a salt or a seed');
  const ends: number[] = [];
  const outcomes: Outcome[] = [];
  let whenMissing: Outcome | undefined;
  let sum = 0;
  for (const { variant, weight, untracked } of rollout.weights) {
    if (!Number.isInteger(weight) || weight < 0) throw new Malformed('a weight is no whole number');
    const outcome = maker.outcome(variant, { bucketed: true, tracked: tracked && untracked !== true });
    if (weight === 0) continue;
    sum += weight;
    ends.push(sum / TOTAL_WEIGHT);
    outcomes.push(outcome);
    whenMissing ??= maker.outcome(variant, { bucketed: false, tracked: false });
  }
  if (whenMissing === undefined || sum !== TOTAL_WEIGHT) {
    throw new Malformed(`the weights sum to ${sum}, not ${TOTAL_WEIGHT}`);
  }
  return {
    source: rollout,
    read: bucket_by === TARGETING_KEY ? undefined : attributeReader(bucket_by),
    prefix: bucketPrefix(seed ? { seed } : { flag_key: maker.flagKey, salt: maker.salt }),
    ends,
    outcomes,
    whenMissing,
  };
}

/** @throws EvaluationFailure with `TARGETING_KEY_MISSING` */
export function serveOutcome(serve: CompiledServe, scope: Scope): Outcome {
  return serve.fixed ?? rolloutOutcome(serve.rollout, scope);
}

function rolloutOutcome(rollout: CompiledRollout, scope: Scope): Outcome {
  const unit = rolloutUnit(rollout, scope);
  if (unit === undefined) return rollout.whenMissing;
  const bucket = hashFraction(rollout.prefix, unit);
  scope.bucket = bucket;
  const { ends, outcomes } = rollout;
  for (let i = 0; i < ends.length; i++) if (bucket < (ends[i] ?? 1)) return outcomes[i] ?? rollout.whenMissing;
  // A bucket of exactly 1 belongs to the last.
  return outcomes.at(-1) ?? rollout.whenMissing;
}

/**
 * The text that the context is bucketed by, undefined without one.
 *
 * @throws EvaluationFailure with `TARGETING_KEY_MISSING`
 */
export function rolloutUnit(rollout: CompiledRollout, scope: Scope): string | undefined {
  if (rollout.read !== undefined) return unitOf(rollout.read(scope.context));
  if (scope.unit === undefined) {
    throw new EvaluationFailure('TARGETING_KEY_MISSING', 'a targetingKey is needed to choose between variants');
  }
  return scope.unit;
}
