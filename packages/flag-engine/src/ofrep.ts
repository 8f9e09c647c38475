import type { Evaluation, EvaluationErrorCode, Reason } from './evaluation.ts';

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

/**
 * OpenFeature's `version`: the flag's version, with `+untracked` for a unit of a ramp or guarded release that is not measured.
 * Clients report it back as `feature_flag.version`, while the reason is `split` for all units of it, so
 * exposures can be told apart (`packages/telemetry/src/transcode/flag-events.ts` reads it).
 */
export function versionText({ flag_version, reason, tracked }: Evaluation): string {
  const isUntracked = reason === 'TRACKED_ROLLOUT' && tracked !== true;
  return isUntracked ? `${flag_version}+untracked` : String(flag_version);
}
