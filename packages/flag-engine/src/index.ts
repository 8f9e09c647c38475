export { type BucketSource, bucketValue, unitOf } from './bucket.ts';
export { type CompileOptions, compileRuleset, patchRuleset } from './compile.ts';
export type { CompiledFlag, CompiledRuleset, CompiledSegment } from './compiled.ts';
export { evaluate, evaluateAll, ofrepFlags, resolve, sdkFlags } from './evaluate.ts';
export type { Evaluation, EvaluationContext, EvaluationError, EvaluationErrorCode, Reason } from './evaluation.ts';
export { type OfrepReason, ofrepError, ofrepReason } from './ofrep.ts';
export { OPERATOR_NAMES } from './operators/index.ts';
export type { Outcome } from './outcome.ts';
export * from './ruleset.ts';
