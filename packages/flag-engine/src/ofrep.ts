import type { EvaluationErrorCode, Reason } from './evaluation.ts';

/** OpenFeature's reasons, as far as they are used. */
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

/** The OpenFeature reason that OFREP answers with (the interface specification's table "Reason mapping"). */
export function ofrepReason(reason: Reason): OfrepReason {
  return REASONS[reason];
}

/** The OFREP error code and HTTP status of a single evaluation that failed (the table "OFREP errors"). */
export function ofrepError(code: EvaluationErrorCode): { errorCode: EvaluationErrorCode; status: 400 | 404 } {
  return { errorCode: code, status: code === 'FLAG_NOT_FOUND' ? 404 : 400 };
}
