import type { EvaluationErrorCode, Reason } from './evaluation.ts';

/** The OpenFeature reasons in use. */
export type OfrepReason = 'TARGETING_MATCH' | 'DEFAULT' | 'DISABLED' | 'SPLIT' | 'ERROR';

const REASONS: Readonly<Record<Reason, OfrepReason>> = {
  TARGET_MATCH: 'TARGETING_MATCH',
  RULE_MATCH: 'TARGETING_MATCH',
  FALLTHROUGH: 'DEFAULT',
  TRACKED_ROLLOUT: 'SPLIT',
  OFF: 'DISABLED',
  PREREQUISITE_FAILED: 'DISABLED',
  ERROR: 'ERROR',
};

/** The OpenFeature reason in OFREP responses (the interface specification's table "Reason mapping"). */
export function ofrepReason(reason: Reason): OfrepReason {
  return REASONS[reason];
}

/** The OFREP error code and HTTP status of a failed single evaluation (the table "OFREP errors"). */
export function ofrepError(code: EvaluationErrorCode): { errorCode: EvaluationErrorCode; status: 400 | 404 } {
  return { errorCode: code, status: code === 'FLAG_NOT_FOUND' ? 404 : 400 };
}
