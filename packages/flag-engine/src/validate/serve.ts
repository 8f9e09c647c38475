import { TOTAL_WEIGHT } from '../ruleset.ts';
import { checkBucketing, checkEnd, stepsOf } from './bucketing.ts';
import type { Keys, RolloutDraft, ServeDraft } from './draft.ts';
import type { Issues } from './issue.ts';
import { MAX_VARIANTS } from './limits.ts';

type Path = readonly (string | number)[];

/** One variant or one rollout, of variants that exist. */
export function checkServe(issues: Issues, path: Path, serve: ServeDraft, variants: Keys): void {
  const { variant, rollout } = serve;
  if (variant !== undefined && rollout !== undefined) issues.add(path, 'has both a variant and a rollout');
  else if (rollout !== undefined) checkRollout(issues, [...path, 'rollout'], rollout, variants);
  else if (variant !== undefined) checkVariant(issues, [...path, 'variant'], variant, variants);
  else issues.add(path, 'needs a variant or a rollout');
}

/** Null is the code default, which is not a variant of the flag. */
export function checkVariant(issues: Issues, path: Path, variant: string | null, variants: Keys): void {
  if (variant !== null && !variants.has(variant)) issues.add(path, `unknown variant "${variant}"`);
}

function checkRollout(issues: Issues, path: Path, rollout: RolloutDraft, variants: Keys): void {
  const { weights } = rollout;
  checkBucketing(issues, path, rollout);
  // A variant may occur twice: inside and outside of an experiment.
  if (issues.tooMany([...path, 'weights'], weights.length, 2 * MAX_VARIANTS)) return;
  const steps = stepsOf(rollout);
  let sum = 0;
  for (const [i, { variant, weight }] of weights.entries()) {
    checkVariant(issues, [...path, 'weights', i, 'variant'], variant, variants);
    if (!Number.isInteger(weight) || weight < 0 || weight > TOTAL_WEIGHT) {
      issues.add([...path, 'weights', i, 'weight'], `must be a whole number from 0 to ${TOTAL_WEIGHT}`);
    }
    sum += weight;
    checkEnd(issues, [...path, 'weights', i, 'weight'], sum, steps);
  }
  if (sum !== TOTAL_WEIGHT) issues.add([...path, 'weights'], `must sum to ${TOTAL_WEIGHT} (100%), not ${sum}`);
}
