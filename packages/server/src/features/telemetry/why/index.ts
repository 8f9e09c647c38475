export type { FoldReason, Onset, Suspect, What, Why } from './answer.ts';
export type { Change, Column, Items, Novelty, WhyInput } from './input.ts';
export { unknown } from './present-rules.ts';
export type { FlagPlace, WhyQuestion } from './question.ts';
export { explainWhy } from './rules.ts';
export { namedFields } from './selection-rules.ts';
export { sentenceOf } from './sentence-rules.ts';
export { createWhyService, type WhyService } from './service.ts';
