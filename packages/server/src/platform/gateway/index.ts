/**
 * A query, in five steps: `parse` what its text needs to be known, `know` it (held in memory, checked beside the statement), `plan` one statement
 * for it, `run` that in a lane, read-only, restricted to the tenant and within limits, and `answer`: rows decoded in slices or a thread, the
 * cache, and how complete they are. `answered.ts` has the steps in order.
 *
 * A feature that has its own SQL in `store.ts` reads through `gateway.lane(…).rows`, with the same restriction, limits
 * and errors.
 */

export { scopeToCompile } from '../scoped-telemetry.ts';
export { AnswerReader } from './answer/answer-reader.ts';
export { type Completeness, completenessOf, completenessOfAll, type Unstored } from './answer/completeness-rules.ts';
export { EncodedRows } from './answer/encoded-rows.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewayOptions } from './parts.ts';
export { boundParameters } from './plan/bound-parameters.ts';
export { type Compiler, createCompiler, inlineCharacters, shortCharacters } from './plan/compiler.ts';
export { invalidQuery } from './plan/invalid-query.ts';
export { JobThread } from './plan/job-thread.ts';
export { assumptionsOf } from './plan/planner.ts';
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
export { ranTooLong } from './run/failures.ts';
export { connectionsOf, type Lane, type LaneLimits, type LaneShares, laneLimits, sharedLanes } from './run/lanes.ts';
export type { Blocks } from './run/reads.ts';
