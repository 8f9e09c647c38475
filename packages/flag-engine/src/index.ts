export { type BucketSource, bucketValue, unitOf } from './bucket.ts';
export { unitBehind } from './bucketing.ts';
export { ofrepFragments, renderedOutcomes } from './bulk.ts';
export { type CompileOptions, clientView, compileRuleset, patchRuleset, prepareSegments } from './compile.ts';
export type { CompiledFlag, CompiledRuleset, CompiledSegment } from './compiled.ts';
export { type DependencyGraph, longestChain, prerequisiteCycle, segmentCycle, segmentsNamed } from './cycles.ts';
export { evaluate, evaluateAll, ofrepFlags, resolve, sdkFlags } from './evaluate.ts';
export type { Evaluation, EvaluationContext, EvaluationError, EvaluationErrorCode, Reason } from './evaluation.ts';
export { isCodeDefault } from './evaluation.ts';
export { explain } from './explain.ts';
export type * from './explanation.ts';
export { HASH_NAMES } from './hash/index.ts';
export { ManyKeys } from './key-set.ts';
export {
  joinedParts,
  layoutAfter,
  MAX_LAYOUT_PARTS,
  type MovedShare,
  movedShares,
  withoutLayout,
} from './layout.ts';
export type { Membership } from './membership.ts';
export {
  MAX_METADATA_FIELDS,
  MAX_METADATA_NAME_LENGTH,
  MAX_METADATA_TEXT_LENGTH,
  wrongMetadata,
} from './metadata.ts';
export { type OfrepReason, ofrepError, ofrepReason, versionText } from './ofrep.ts';
export { parseNetwork } from './operators/cidr.ts';
export { parseInstant } from './operators/date.ts';
export { OPERATOR_NAMES } from './operators/index.ts';
export { MAX_LISTED_VALUES, MAX_TRIED_VALUES } from './operators/operator.ts';
export { compilePattern, MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE, type Pattern } from './operators/regex.ts';
export { parseSemver, withoutV } from './operators/semver.ts';
export type { Outcome } from './outcome.ts';
export { isDecimalText } from './read-as.ts';
export * from './ruleset.ts';
export { MAX_REGEX_STEPS } from './scope.ts';
export { nextTimeChange, timeTag } from './time.ts';
export { isDeeperThan } from './validate/depth.ts';
export type * from './validate/draft.ts';
export { validatePrerequisites, validateVariants } from './validate/flag.ts';
export type { Issue } from './validate/issue.ts';
export * from './validate/limits.ts';
export { validateSegment } from './validate/segment.ts';
export { validateTargeting } from './validate/targeting.ts';
