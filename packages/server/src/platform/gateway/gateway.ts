import type { Compiled, CompiledRelation, Diagnostic } from '@fanion/oql';
import type { QueryLimits } from '../clickhouse/index.ts';
import type { ReadRows, RecentState } from '../recent-points/index.ts';
import type { ScopedTelemetry, TelemetryScope } from '../scoped-telemetry.ts';
import type { CacheState } from './answer/cache.ts';
import { EncodedRows } from './answer/encoded-rows.ts';
import { answered, answeredWithout, type Form } from './answered.ts';
import { askedFor, type GatewayOptions, partsOf } from './parts.ts';
import type { Compiler } from './plan/compiler.ts';
import type { Planned, Refuted } from './plan/planner.ts';
import type {
  Answer,
  Around,
  Budget,
  JsonAnswer,
  Question,
  Related,
  RelationQuestion,
  StreamedAnswer,
} from './question.ts';
import type { Lane, LaneState } from './run/lanes.ts';
import type { ReadBlocks } from './run/reads.ts';
import { relate } from './run/relate.ts';
import { askShards } from './run/shards-away.ts';
import { streamed, streamedWithout } from './streamed.ts';

/**
 * The only access to a tenant's telemetry. Every read waits in a lane, runs read-only, restricted to its scope and
 * within limits of time, rows, memory and bytes, and fails with an error of the registry: `OQL_INVALID`,
 * `QUERY_TOO_EXPENSIVE`, `RESULT_TOO_LARGE`, `QUERY_QUEUE_FULL`, `STORE_UNAVAILABLE`.
 */
export interface Gateway {
  ask(scope: TelemetryScope, question: Question, budget: Budget): Promise<Answer>;
  /** The same for an answer that is only sent on: a large one costs the main thread little. */
  askJson(scope: TelemetryScope, question: Question, budget: Budget): Promise<JsonAnswer>;
  /** The same as a stream of rows. Throws as `ask` does until the first row or the end; later the iteration throws. */
  stream(scope: TelemetryScope, question: Question, budget: Budget): Promise<StreamedAnswer>;
  /**
   * Runs a statement around queries, each of which is a table in it: `SELECT … FROM (${relations.total.sql})`. The
   * relations contain the scope; other tables of the statement need it too. Throws as `ask` does.
   * @param questions the queries by name, of lower-case letters
   * @param around the statement, from the compiled relations
   */
  relate<Row extends object, Name extends string>(
    scope: TelemetryScope,
    questions: Readonly<Record<Name, RelationQuestion>>,
    around: (relations: Readonly<Record<Name, CompiledRelation>>) => Around,
    budget: Budget,
  ): Promise<Related<Row, Name>>;
  /** Reads with SQL of a feature's `store.ts`, in one lane. */
  lane(lane: Lane): ScopedTelemetry;
  /** Reads rows as bytes, with SQL of `recent-points/points-store.ts`, in the lane of background jobs. */
  readonly readRows: ReadRows;
  /** Reads many numbers as columns, with SQL of a `store.ts`. */
  readonly readBlocks: ReadBlocks;
  /** Compiles texts for the places in which the values of their names are; see `createPlacesFirst`. */
  readonly compiler: Compiler;
  /** How a question would be asked now. Throws as `ask` does for one that is invalid. */
  plan(scope: TelemetryScope, question: Question, signal: AbortSignal): Promise<Planned>;
  /** Checks a query without running it, with hints from what was sent. */
  validate(
    scope: TelemetryScope,
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly valid: boolean; readonly diagnostics: readonly Diagnostic[] }>;
  /** Whether recent points in memory can answer a query on this server, once its metric is kept. */
  mayAnswerFromMemory(plan: Compiled): boolean;
  /** Limits of a read unless its budget sets others. */
  readonly limits: QueryLimits;
  state(): {
    readonly lanes: Readonly<Record<Lane, LaneState>>;
    /** Statements that the store was asked since the start. */
    readonly begun: Readonly<Record<Lane, number>>;
    readonly cache: CacheState;
    /** How often a statement was asked again since the start, by what had not held. */
    readonly refuted: Readonly<Record<Refuted, number>>;
    /** Undefined if no recent points are kept on this server. */
    readonly recent: RecentState | undefined;
  };
}

export function createGateway(options: GatewayOptions): Gateway {
  const parts = partsOf(options);
  const { reads, compiler, planner, cache, limits, nowNs } = parts;
  const { recent, findShards } = options;

  const answer = (scope: TelemetryScope, question: Question, budget: Budget, form: Form) =>
    askShards(
      budget,
      findShards,
      () => answered(parts, scope, question, budget, form),
      (away) => answeredWithout(parts, away, scope, question, budget, form),
    );

  return {
    compiler,
    limits,
    lane: reads.lane,
    readRows: reads.rowsAsBytes,
    readBlocks: reads.blocks,
    plan: (scope, question, signal) => planner.plan(askedFor(parts, scope, question, signal)),
    validate: (scope, text, signal) => planner.validate({ scope, text, signal }),
    mayAnswerFromMemory: (plan) => plan.recent !== undefined && recent?.mayAnswer(plan.recent) === true,
    async ask(scope, question, budget) {
      const { rows, ...rest } = await answer(scope, question, budget, 'values');
      if (rows instanceof EncodedRows) throw new Error('the rows were asked for as values');
      return { ...rest, rows };
    },
    askJson: (scope, question, budget) => answer(scope, question, budget, 'json'),
    stream: (scope, question, budget) =>
      askShards(
        budget,
        findShards,
        () => streamed(parts, scope, question, budget),
        (away) => streamedWithout(parts, away, scope, question, budget),
      ),
    relate: (scope, questions, around, budget) =>
      relate(reads, { compiler, nowNs: nowNs() }, scope, questions, around, budget),
    state: () => ({
      lanes: {
        interactive: reads.lanes.state('interactive'),
        dashboard: reads.lanes.state('dashboard'),
        alert: reads.lanes.state('alert'),
        background: reads.lanes.state('background'),
        lookup: reads.lanes.state('lookup'),
      },
      begun: reads.lanes.begun(),
      cache: cache.state(),
      refuted: planner.refuted(),
      recent: recent?.state(),
    }),
  };
}
