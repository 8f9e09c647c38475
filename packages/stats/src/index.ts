export type { Counts } from './association.ts';
export { cramersV, cramersVOfTwo, fisherGreater, likelihoodRatio, riskDifference } from './association.ts';
export type { Posterior, Prior } from './bayesian.ts';
export { posterior } from './bayesian.ts';
export type { ChangePoint } from './change-point.ts';
export { changePoint } from './change-point.ts';
export type { Analysis, ArmSummary, Comparison, NoVerdict } from './compare.ts';
export { compare, EVENTS_FOR_VERDICT, summarize } from './compare.ts';
export type { Correction } from './corrections.ts';
export { benjaminiHochberg, correct, holm } from './corrections.ts';
export type { Look } from './crossing.ts';
export { crossingProbability } from './crossing.ts';
export type { Effect, Effects } from './effect.ts';
export { effects } from './effect.ts';
export type { Estimate } from './estimate.ts';
export { estimate, pooledTheta, quantileRanks } from './estimate.ts';
export type { Side, Test } from './fixed.ts';
export { fixedTest } from './fixed.ts';
export type { Guard, GuardVerdict } from './guard.ts';
export { GUARD_ALPHA, judgeGuard, unitsToDecide } from './guard.ts';
export { judgeBefore } from './guard-before.ts';
export { type GuardPlan, smallestRegression, unitsToClear, unitsToDetect } from './guard-plan.ts';
export { heterogeneity } from './heterogeneity.ts';
export type { Baseline, Plan, PlanInput } from './power.ts';
export { fixedPower, minimalEffect, plan, sequentialPower } from './power.ts';
export type {
  AdjustedRatioSample,
  AdjustedSample,
  MeanSample,
  ProportionSample,
  QuantileSample,
  RatioSample,
  Sample,
  SummableSample,
} from './sample.ts';
export { addSamples } from './sample.ts';
export type { SampleRatio } from './sample-ratio.ts';
export { SAMPLE_RATIO_ALPHA, sampleRatio } from './sample-ratio.ts';
export { sequentialTest } from './sequential.ts';
export { normalTail } from './special/normal.ts';
export type { StratumPair } from './stratify.ts';
export { stratifiedEffects } from './stratify.ts';
