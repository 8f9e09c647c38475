import { createHash } from 'node:crypto';
import { type Evaluation, ofrepReason, versionText } from '@fanion/flag-engine';
import type { ExposureOptions } from './options.ts';

export interface Exposure {
  readonly evaluation: Evaluation;
  /** The targeting key. */
  readonly unit: string | undefined;
  readonly flagSetId: string;
}

/** OpenTelemetry's SEVERITY_NUMBER_INFO. */
const INFO = 9;
/** A longer unit is remembered by its hash, so that memory stays small whatever callers send. */
const MAX_UNIT_LENGTH = 64;

/**
 * Reports evaluations as `feature_flag.evaluation` events (OpenTelemetry's semantic conventions for feature flags),
 * each (flag, variant, unit, version) once in a window. The logger is called at once, so the event belongs to the span
 * that is active where the flag was evaluated.
 *
 * @param now monotonic time in milliseconds
 */
export function createExposures(
  { logger, windowMs, maxEntries }: Required<ExposureOptions>,
  providerName: string,
  now: () => number,
): (exposure: Exposure) => void {
  /** When each was reported, oldest first. */
  const reported = new Map<string, number>();

  /** True once per window. */
  function isNew(id: string): boolean {
    const at = now();
    const last = reported.get(id);
    if (last !== undefined && at - last < windowMs) return false;
    reported.delete(id);
    reported.set(id, at);
    // Removes at most two entries per new one, which bounds the work per call and still removes expired ones.
    let gone = 0;
    for (const [oldest, since] of reported) {
      if (reported.size <= maxEntries && at - since < windowMs) break;
      reported.delete(oldest);
      if (++gone === 2) break;
    }
    return true;
  }

  return ({ evaluation, unit, flagSetId }) => {
    const { key, variant, reason, error } = evaluation;
    if (error !== undefined || !isNew(identity(evaluation, unit))) return;
    logger.emit({
      eventName: 'feature_flag.evaluation',
      severityNumber: INFO,
      attributes: {
        'feature_flag.key': key,
        // A code default has no variant; its reason explains why.
        ...(variant !== null && { 'feature_flag.result.variant': variant }),
        'feature_flag.result.reason': ofrepReason(reason).toLowerCase(),
        'feature_flag.provider.name': providerName,
        'feature_flag.set.id': flagSetId,
        'feature_flag.version': versionText(evaluation),
        ...(unit !== undefined && { 'feature_flag.context.id': unit }),
      },
    });
  };
}

/** Flag and variant keys contain no line breaks; the unit, which may, comes last. */
function identity({ key, variant, flag_version }: Evaluation, unit = ''): string {
  const short = unit.length <= MAX_UNIT_LENGTH ? unit : `#${createHash('sha256').update(unit).digest('base64')}`;
  return `${key}\n${variant}\n${flag_version}\n${short}`;
}
