import type { FlagMetadata, JsonValue } from './ruleset.ts';

/**
 * An OpenFeature evaluation context: `targetingKey` and any further attributes. Whatever it holds, evaluation does not
 * throw: a value of a kind that an operator does not compare simply does not match.
 */
export type EvaluationContext = { readonly [attribute: string]: unknown };

/** Why a variant was served. `TRACKED_ROLLOUT` is a tracked bucket of a rule or of the fallthrough. */
export type Reason =
  | 'TARGET_MATCH'
  | 'RULE_MATCH'
  | 'FALLTHROUGH'
  | 'TRACKED_ROLLOUT'
  | 'OFF'
  | 'PREREQUISITE_FAILED'
  | 'ERROR';

/** OpenFeature's error codes, as far as an evaluation can end in them. */
export type EvaluationErrorCode = 'FLAG_NOT_FOUND' | 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'GENERAL';

export interface EvaluationError {
  readonly code: EvaluationErrorCode;
  readonly message: string;
}

/** The answer for one flag and one context. `value` is frozen: the same object is handed to many callers. */
export interface Evaluation {
  readonly key: string;
  /** Null when `error` is set, and where the caller's default holds. */
  readonly value: JsonValue;
  /** Null when `error` is set. Null without an error is the code default: nothing is served, the caller's default holds. */
  readonly variant: string | null;
  readonly reason: Reason;
  /** Version of the flag evaluated; 0 for a flag that does not exist. */
  readonly flag_version: number;
  /** The rule that matched, also when its bucket is tracked. */
  readonly rule_id?: string;
  readonly error?: EvaluationError;
  /** The flag's own; absent where it has none. Frozen. */
  readonly metadata?: FlagMetadata;
  /** True for a bucket whose exposure is kept per unit. */
  readonly tracked?: boolean;
  /** Where on [0, 1] the unit lies, when a rollout decided. Not part of the HTTP answer. */
  readonly bucket?: number;
}

/** Whether the flag serves nothing, so that the default in the caller's code holds. A failed evaluation is an error instead. */
export function isCodeDefault({ variant, error }: Pick<Evaluation, 'variant' | 'error'>): boolean {
  return variant === null && error === undefined;
}
