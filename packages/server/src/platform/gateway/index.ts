/**
 * A read of telemetry: compile OQL (`compiler.ts`, long queries in threads) → answer cache → a place in a lane →
 * recent points in memory, or the store (`gateway.ts`), read-only, restricted to the tenant and within limits.
 * Statements that assume something cheap run first, and the general one where the assumption fails (`texts-first.ts`,
 * `metric-kinds.ts`). Rows are decoded in slices; answers above 64 KiB in a thread (`answer-reader.ts`).
 *
 * A feature that has its own SQL in `store.ts` reads through `gateway.lane(…).rows`, with the same restriction, limits
 * and errors.
 */

export { type AnswerReader, createAnswerReader } from './answer-reader.ts';
export { boundParameters } from './bound-parameters.ts';
export type { PromqlOptions, PromqlResult } from './compile-job.ts';
export { type Compiler, createCompiler, inlineCharacters, shortCharacters } from './compiler.ts';
export { type Completeness, completenessOfAll, type Unstored } from './completeness-rules.ts';
export { EncodedRows } from './encoded-rows.ts';
export { ranTooLong } from './failures.ts';
export { createGateway, type Gateway, type GatewayOptions, scopeToCompile, textOf } from './gateway.ts';
export { invalidQuery } from './invalid-query.ts';
export { createJobThread, workerEntry } from './job-thread.ts';
export { connectionsOf, type Lane, type LaneLimits, type LaneShares, laneLimits, sharedLanes } from './lanes.ts';
export { listMetricKinds, type Recompilable } from './metric-kinds.ts';
export type {
  Answer,
  Around,
  Budget,
  JsonAnswer,
  Question,
  ReadChanges,
  Related,
  RelationQuestion,
  StreamedAnswer,
} from './question.ts';
