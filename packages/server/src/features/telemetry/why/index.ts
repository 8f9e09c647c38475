export type { FoldReason, Onset, Suspect, What, Why } from './answer.ts';
export type { Change, Column, Items, Novelty, WhyInput } from './input.ts';
export { explainWhy } from './rules.ts';
export { sentenceOf } from './sentence-rules.ts';
