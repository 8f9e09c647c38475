import { compileBucketing } from './bucketing.ts';
import type { CompiledRollout, CompiledServe, Scope } from './compiled.ts';
import { EvaluationFailure, Malformed } from './failure.ts';
import { hashFraction } from './hash/sha1.ts';
import type { Outcome } from './outcome.ts';
import { type Rollout, type Serve, TARGETING_KEY, TOTAL_WEIGHT } from './ruleset.ts';

/** How a rule or the fallthrough creates its outcomes. */
export interface OutcomeMaker {
  readonly flagKey: string;
  readonly salt: string;
  /** @throws Malformed for an unknown variant */
  readonly outcome: (variant: string | null, how: Decided) => Outcome;
}

/** What decided about a variant. */
export interface Decided {
  /** A rollout, by the unit's bucket. */
  readonly bucketed: boolean;
  /** A bucket whose reason is `TRACKED_ROLLOUT`. */
  readonly split: boolean;
  /** A bucket that is measured. */
  readonly tracked: boolean;
}

const NOT_BUCKETED: Decided = { bucketed: false, split: false, tracked: false };

/** @throws Malformed */
export function compileServe(serve: Serve, maker: OutcomeMaker): CompiledServe {
  if ('rollout' in serve) return { rollout: compileRollout(serve.rollout, maker) };
  return { fixed: maker.outcome(serve.variant, NOT_BUCKETED) };
}

function compileRollout(rollout: Rollout, maker: OutcomeMaker): CompiledRollout {
  const {
    bucket_by = TARGETING_KEY,
    fallback_bucket_by = [],
    context_kind,
    tracked = false,
    ramp = false,
    missing = 'first',
  } = rollout;
  const byTargetingKey = bucket_by === TARGETING_KEY && context_kind === undefined && fallback_bucket_by.length === 0;
  const bucketing = compileBucketing(rollout, maker);
  const ends: number[] = [];
  const outcomes: Outcome[] = [];
  let whenMissing: Outcome | undefined;
  let sum = 0;
  for (const { variant, weight, untracked } of rollout.weights) {
    if (!Number.isInteger(weight) || weight < 0) throw new Malformed('a weight is not a whole number');
    const outcome = maker.outcome(variant, {
      bucketed: true,
      split: tracked && (ramp || untracked !== true),
      tracked: tracked && untracked !== true,
    });
    if (weight === 0) continue;
    sum += weight;
    ends.push(bucketing.end(sum));
    outcomes.push(outcome);
    whenMissing ??= maker.outcome(variant, NOT_BUCKETED);
  }
  if (whenMissing === undefined || sum !== TOTAL_WEIGHT) {
    throw new Malformed(`the weights sum to ${sum}, not ${TOTAL_WEIGHT}`);
  }
  return {
    source: rollout,
    bucketing,
    ends,
    outcomes,
    whenMissing: missing === 'skip' ? undefined : whenMissing,
    unitRequired: missing === 'first' && byTargetingKey,
  };
}

/**
 * Undefined if the context has no unit and the rollout skips it.
 *
 * @throws EvaluationFailure with `TARGETING_KEY_MISSING`
 */
export function serveOutcome(serve: CompiledServe, scope: Scope): Outcome | undefined {
  return serve.fixed ?? rolloutOutcome(serve.rollout, scope);
}

function rolloutOutcome(rollout: CompiledRollout, scope: Scope): Outcome | undefined {
  const prefix = rollout.bucketing.ofTargetingKey;
  if (prefix !== undefined && scope.unit !== undefined) {
    const fraction = hashFraction(prefix, scope.unit);
    scope.bucket = fraction;
    return rollout.outcomes[indexAt(rollout, fraction)];
  }
  const unit = rolloutUnit(rollout, scope);
  if (unit === undefined) return rollout.whenMissing;
  const { place, places } = rollout.bucketing;
  const found = place(unit);
  scope.bucket = found / places;
  return rollout.outcomes[indexAt(rollout, found)] ?? rollout.whenMissing;
}

/** The index of the rollout's non-zero weight for a place. */
export function indexAt({ ends }: CompiledRollout, place: number): number {
  for (let i = 0; i < ends.length; i++) if (place < (ends[i] ?? 1)) return i;
  // A place of exactly 1 belongs to the last.
  return ends.length - 1;
}

/**
 * The text by which the context is bucketed; undefined without one.
 *
 * @throws EvaluationFailure with `TARGETING_KEY_MISSING`
 */
export function rolloutUnit(rollout: CompiledRollout, scope: Scope): string | undefined {
  const unit = rollout.bucketing.unit(scope);
  if (unit === undefined && rollout.unitRequired) {
    throw new EvaluationFailure('TARGETING_KEY_MISSING', 'a targetingKey is needed to choose between variants');
  }
  return unit;
}
