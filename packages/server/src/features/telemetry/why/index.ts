/**
 * Why: `service.ts` is called for alerts, SLOs and errors, and by `POST /contrast`. It reads a sample of traces as
 * columns, the flag variants that they saw (`store.ts`), their new log patterns and errors (`novelties-store.ts`), and
 * changes of flags and deploys. `rules.ts` ranks the causes in a thread (`worker.ts`), and `present-rules.ts` adds a sentence and an action to each.
 */

export type { FoldReason, Onset, Suspect, What, Why } from './answer.ts';
export type { Change, Column, Items, Novelty, WhyInput } from './input.ts';
export { unknown } from './present-rules.ts';
export type { FlagPlace, WhyQuestion } from './question.ts';
export { explainWhy } from './rules.ts';
export { namedFields } from './selection-rules.ts';
export { sentenceOf } from './sentence-rules.ts';
export { createWhyService, type WhyService } from './service.ts';
