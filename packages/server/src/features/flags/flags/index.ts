import type { Feature } from '../../feature.ts';
import { flagChange } from './flag-update.ts';
import { flagsHandlers } from './handlers.ts';
import { prerequisitesChange } from './prerequisites.ts';
import { targetingChange } from './targeting-change.ts';

export * from '../../change-kind.ts';
export { createFlagsIn, type HowCreated, type NewFlag } from './create-flag.ts';
export { canonical, differences } from './diff.ts';
export { type FlagPatch, flagChange } from './flag-update.ts';
export { listHistory, presentHistory, recordHistory } from './history-store.ts';
export { type HolderKind, holdFallthrough, refuseHeld, releaseFallthrough } from './holds.ts';
export { findHolds, type HoldRow } from './holds-store.ts';
export { createPastVersions } from './past-versions.ts';
export { prerequisitesChange, replacedVersion } from './prerequisites.ts';
export { proposedFlag } from './proposed.ts';
export { listed, refuse } from './refuse.ts';
export { requirePlace } from './require-place.ts';
export { createRestore } from './restore.ts';
export { type LoadedRuleset, loadRuleset } from './ruleset.ts';
export { bumpRulesets, bumpRulesetsNow, findRulesetVersions, rulesetChanged } from './ruleset-store.ts';
export { controlRatio, rampedServe, serveAfterRamp, shareOf, toldServe, toServe } from './serve.ts';
export { type ServedNow, servedNow } from './served.ts';

export {
  type FlagRow,
  findEnvironment,
  findFlag,
  findUserNames,
  listEnvironments,
  listSegmentKeys,
  lockProject,
  type RampRow,
  rampState,
} from './store.ts';
export { presentSubmitted, submissionOf } from './submitted.ts';
export {
  bumpTargeting,
  shownClause,
  type TargetingNow,
  targetingNow,
  writeTargeting,
} from './targeting.ts';
export { targetingChange } from './targeting-change.ts';

/** Flags and what they serve. */
export const flagsFeature = {
  name: 'flags/flags',
  routes: flagsHandlers,
  changeKinds: [targetingChange, flagChange, prerequisitesChange],
} satisfies Feature;
