import type { FlagMetadata, JsonValue } from './ruleset.ts';

/**
 * An OpenFeature evaluation context: `targetingKey` and any further attributes. Evaluation never throws, whatever it
 * contains: a value of a type that an operator does not compare does not match.
 */
export type EvaluationContext = { readonly [attribute: string]: unknown };

/** Why a variant was served. `TRACKED_ROLLOUT`: a bucket of a ramp, a guarded release or an experiment. */
export type Reason =
  | 'TARGET_MATCH'
  | 'RULE_MATCH'
  | 'FALLTHROUGH'
  | 'TRACKED_ROLLOUT'
  | 'OFF'
  | 'PREREQUISITE_FAILED'
  | 'ERROR';

/** OpenFeature's error codes that an evaluation can return. */
export type EvaluationErrorCode = 'FLAG_NOT_FOUND' | 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'GENERAL';

export interface EvaluationError {
  readonly code: EvaluationErrorCode;
  readonly message: string;
}

/** The answer for one flag and one context. `value` is frozen: many callers get the same object. */
export interface Evaluation {
  readonly key: string;
  /** Null if `error` is set, and if the caller's default applies. */
  readonly value: JsonValue;
  /**
   * Null when `error` is set. Null without an error is the code default: nothing is served, and the caller's default
   * applies.
   */
  readonly variant: string | null;
  readonly reason: Reason;
  /** Version of the flag evaluated; 0 for a flag that does not exist. */
  readonly flag_version: number;
  /** The rule that matched, also when its bucket is tracked. */
  readonly rule_id?: string;
  readonly error?: EvaluationError;
  /** The flag's own; absent where it has none. Frozen. */
  readonly metadata?: FlagMetadata;
  /** True for a measured bucket: its exposures are stored per unit. */
  readonly tracked?: boolean;
  /** Position of the unit on [0, 1], if a rollout decided. Not part of the HTTP response. */
  readonly bucket?: number;
}

/**
 * Whether the flag serves nothing, so that the default in the caller's code applies. A failed evaluation is an error
 * instead.
 */
export function isCodeDefault({ variant, error }: Pick<Evaluation, 'variant' | 'error'>): boolean {
  return variant === null && error === undefined;
}
