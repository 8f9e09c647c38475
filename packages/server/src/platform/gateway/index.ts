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
