export * from './change.ts';
export { canonical, differences } from './diff.ts';
export { type FlagPatch, flagChange } from './flag-update.ts';
export { flagsFeature } from './handlers.ts';
export { findHistory, listHistory, presentHistory, recordHistory } from './history-store.ts';
export { type PrerequisitesPatch, prerequisitesChange } from './prerequisites.ts';
export { listed, refuse, refuseStale } from './refuse.ts';
export { createRestore } from './restore.ts';
export { initialTargeting, type TargetingConfig } from './rules.ts';
export { type LoadedRuleset, loadRuleset } from './ruleset.ts';
export { bumpRulesets, findRulesetVersions, rulesetChanged } from './ruleset-store.ts';
export { rampedServe, serveAfterRamp, shareOf, toServe } from './serve.ts';
export { type FlagsDependencies, maxFlags } from './service.ts';
export { refuseUnstorable } from './storable.ts';
export {
  type FlagRow,
  findActiveRamps,
  findFlag,
  findUserNames,
  listEnvironments,
  listTargeting,
  lockProject,
  type RampRow,
  rampState,
  type TargetingRow,
} from './store.ts';
export {
  bumpTargeting,
  type TargetingNow,
  type TargetingPatch,
  targetingChange,
  targetingNow,
  writeTargeting,
} from './targeting.ts';
